import os
import tempfile

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
folder = tempfile.mkdtemp()
counter = 0

COLUMNS = "id INT, name STRING, weight DECIMAL(8, 2), tags ARRAY<STRING>, ts TIMESTAMP(3)"


def table(format, lines, columns="id INT, name STRING", options=""):
    global counter
    counter += 1
    path = os.path.join(folder, str(counter))
    os.mkdir(path)
    with open(os.path.join(path, "a.json"), "w") as file:
        file.write("\n".join(lines) + "\n")
    env.execute_sql(
        f"CREATE TABLE t{counter} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{path}', "
        f"'format' = '{format}'{options})"
    )
    return f"t{counter}"


def show(title, format, lines, columns="id INT, name STRING", options="", query="SELECT * FROM {}"):
    print("--", title)
    try:
        name = table(format, lines, columns, options)
        with env.execute_sql(query.format(name)).collect() as rows:
            for row in rows:
                print(row.get_row_kind().name, tuple(row))
    except Exception as error:
        print("fails:", "Corrupt" in str(error) or "change" in str(error) or type(error).__name__)


def debezium(op, before, after, rest=""):
    return f'{{"before":{before},"after":{after},"source":{{"db":"shop","ts_ms":7}},"op":"{op}","ts_ms":8{rest}}}'


A, B = '{"id":1,"name":"a"}', '{"id":1,"name":"b"}'
KINDS = [debezium("c", "null", A), debezium("u", A, B), debezium("d", B, "null"), debezium("r", "null", B)]
show("debezium", "debezium-json", KINDS)
show("debezium, some columns", "debezium-json", KINDS, query="SELECT name FROM {}")
show("debezium, no columns", "debezium-json", KINDS, query="SELECT 1 FROM {}")
show("debezium, counted", "debezium-json", KINDS[:2], query="SELECT name, COUNT(*) FROM {} GROUP BY name")
show("debezium, filtered", "debezium-json", KINDS, query="SELECT * FROM {} WHERE name = 'b'")
show("debezium, a key", "debezium-json", KINDS, "id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED")
show(
    "debezium, with a schema",
    "debezium-json",
    [f'{{"schema":{{}},"payload":{each}}}' for each in KINDS],
    options=", 'debezium-json.schema-include' = 'true'",
)
show(
    "debezium, types",
    "debezium-json",
    [
        debezium("c", "null", '{"id":1,"name":"a","weight":3.14,"tags":["x"],"ts":"2024-01-31 12:30:00.5"}'),
        debezium("u", '{"id":"1","name":null}', '{"id":2,"weight":"1e1","tags":[],"ts":"2024-01-31 12:30:00"}'),
    ],
    COLUMNS,
)
show("debezium, no row before", "debezium-json", [debezium("u", "null", A)])
show("debezium, nothing deleted", "debezium-json", [debezium("d", "null", "null")])
show("debezium, another op", "debezium-json", [debezium("t", "null", "null")])
show("debezium, no op", "debezium-json", ['{"before":null,"after":{"id":1}}'])
show("debezium, no row after", "debezium-json", [debezium("c", A, "null")])
show("debezium, no JSON", "debezium-json", ["{"])
IGNORE = ", 'debezium-json.ignore-parse-errors' = 'true'"
show(
    "debezium, errors ignored",
    "debezium-json",
    [
        "{",
        debezium("x", A, B),
        debezium("u", "null", A),
        debezium("d", "null", A),
        "[]",
        "1",
        "null",
        debezium("c", "null", '{"id":"x","name":"a"}'),
        debezium("c", "null", A),
    ],
    options=IGNORE,
)
show("debezium, blank lines", "debezium-json", ["", KINDS[0], ""])


def canal(type, data, old="null", rest='"database":"shop","table":"t"'):
    return f'{{"data":{data},"old":{old},"type":"{type}",{rest},"es":1,"ts":2,"pkNames":["id"]}}'


CHANGES = [
    canal("INSERT", f'[{A},{{"id":2,"name":"c"}}]'),
    canal("UPDATE", f"[{B}]", '[{"name":"a"}]'),
    canal("UPDATE", '[{"id":2,"name":null}]', '[{"name":"c"}]'),
    canal("UPDATE", '[{"id":2,"name":"d"}]', '[{"name":null}]'),
    canal("CREATE", "null"),
    canal("DELETE", f"[{B}]"),
]
show("canal", "canal-json", CHANGES)
show("canal, other databases", "canal-json", CHANGES[:1], options=", 'canal-json.database.include' = 'other'")
show("canal, of a pattern", "canal-json", CHANGES[:1], options=", 'canal-json.database.include' = 'sh.*'")
show("canal, a part of the name", "canal-json", CHANGES[:1], options=", 'canal-json.database.include' = 'sho'")
show("canal, tables", "canal-json", CHANGES[:1], options=", 'canal-json.table.include' = 't|u'")
show("canal, some columns", "canal-json", CHANGES, query="SELECT name FROM {}")
show("canal, another type", "canal-json", [canal("QUERY", "null")])
show("canal, no old rows", "canal-json", [canal("UPDATE", f"[{B}]")])
show(
    "canal, errors ignored",
    "canal-json",
    ["{", canal("X", "[]"), CHANGES[0]],
    options=", 'canal-json.ignore-parse-errors' = 'true'",
)


def maxwell(type, data, old="null"):
    return f'{{"database":"shop","table":"t","type":"{type}","ts":1,"data":{data},"old":{old}}}'


EVENTS = [
    maxwell("insert", A),
    maxwell("update", B, '{"name":"a"}'),
    maxwell("update", '{"id":1,"name":null}', '{"name":"b"}'),
    maxwell("update", '{"id":1,"name":"c"}', '{"name":null}'),
    maxwell("delete", '{"id":1,"name":"c"}'),
]
show("maxwell", "maxwell-json", EVENTS)
show("maxwell, another type", "maxwell-json", [maxwell("bootstrap-start", A)])
show("maxwell, no old row", "maxwell-json", [maxwell("update", A)])
show(
    "maxwell, errors ignored",
    "maxwell-json",
    ["{", maxwell("x", A), EVENTS[0]],
    options=", 'maxwell-json.ignore-parse-errors' = 'true'",
)


def ogg(type, before, after):
    return f'{{"before":{before},"after":{after},"op_type":"{type}","op_ts":"2020-05-13 15:40:06.000000"}}'


OGG = [ogg("I", "null", A), ogg("U", A, B), ogg("D", B, "null")]
show("ogg", "ogg-json", OGG)
show("ogg, another type", "ogg-json", [ogg("T", "null", "null")])
show("ogg, no row before", "ogg-json", [ogg("U", "null", A)])
show("ogg, nothing deleted", "ogg-json", [ogg("D", "null", A)])

for format, lines in (
    ("debezium-json", KINDS[:2]),
    ("canal-json", CHANGES[:2]),
    ("maxwell-json", EVENTS[:2]),
    ("ogg-json", OGG[:2]),
):
    print("-- written as", format)
    counter += 1
    path = os.path.join(folder, f"out{counter}")
    source = table(format, lines)
    for name, columns, query in (
        ("changes", "id INT, name STRING", f"SELECT * FROM {source}"),
        ("rows", "name STRING, n BIGINT", f"SELECT name, COUNT(*) FROM {source} GROUP BY name"),
        (
            "new",
            "a DECIMAL(8, 3), b ARRAY<INT>, c ROW<d TIMESTAMP(3)>",
            "SELECT 1.5, ARRAY[1, 2], ROW(TIMESTAMP '2024-01-31 12:30:00.123')",
        ),
    ):
        env.execute_sql(
            f"CREATE TABLE {name}{counter} ({columns}) WITH ('connector' = 'filesystem', "
            f"'path' = '{path}/{name}', 'format' = '{format}')"
        )
        env.execute_sql(f"INSERT INTO {name}{counter} {query}").wait()
        for file in sorted(os.listdir(f"{path}/{name}")):
            if file.startswith("part-"):
                with open(os.path.join(path, name, file)) as written:
                    print(name, written.read().rstrip("\n"))

print("-- settings")
name = table("debezium-json", KINDS, "id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED")
other = table("debezium-json", KINDS)
env.get_config().set("table.exec.source.cdc-events-duplicate", "true")
for each in (name, other):
    try:
        with env.execute_sql(f"SELECT * FROM {each}").collect() as rows:
            for row in rows:
                print(row.get_row_kind().name, tuple(row))
    except Exception as error:
        print("fails:", "requires the changelog sources to define a PRIMARY KEY" in str(error))
print(env.explain_sql(f"SELECT * FROM {name}").split("Optimized Execution Plan")[1].count("ChangelogNormalize"))

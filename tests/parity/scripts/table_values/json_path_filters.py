from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.get_config().set("table.display.max-column-width", "80")

DOCUMENTS = [
    '{"a": [{"x": 1, "p": 19.90, "t": "a"}, {"x": 2, "p": 5e-1, "t": "b"}, {"x": 3, "t": "a b"}, {"y": null}], "b": {"x": 2, "c": "abc"}}',
    '{"a": [3, 1.5, "2", true, null, 2], "b": {"x": 1, "y": {"x": 5}}, "c": 1, "d": []}',
    '{"\uff5e": 1, "😀": 2, "é": {"\uff5e": 1.0, "😀": 2}, "x y": 3, "x.y": 4, "": 5}',
    '{"a": {"b": [[1, 2], [3, 4]], "x": 7}, "x": [{"x": 1}, {"x": 2}], "t": "q"}',
    "[[1, 2], [3], 4]",
    '"a"',
    "null",
]
PATHS = [
    [
        "$.a[?(@.x > 1)]",
        "$.a[?(@.x >= 2)].t",
        "$.a[?(@.t == 'a')].x",
        "$.a[?(@.p < 10)].x",
    ],
    [
        "$.a[?(@.x > 1 && @.x < 3)].x",
        "$.a[?(@.x == 1 || @.x == 3)].x",
        "$.a[?(!(@.x > 1))].x",
        "$.a[?(@.x != 1)]",
        "$.a[?(@.x === 1)].x",
    ],
    [
        "$.a[?(@.t =~ /a.*/)].x",
        "$.a[?(@.t =~ /A.*/i)].x",
        "$.a[?(@.t contains 'a')].x",
    ],
    ["$.a[?(@.t size 1)].x", "$.a[?(@.t empty false)].x"],
    [
        "$.a[?(@.y == null)]",
        "$.a[?($.b.x == @.x)].x",
        "$.b[?(@.x == 2)].c",
        "$.a[? (@['x'] > 1 )][0]",
        "$.a[?('a' == @.t)].x",
    ],
    [
        "$.length()",
        "$.a.length()",
        "$.a.size()",
        "$.b.keys()",
        "$.a.sum()",
        "$.a.min()",
        "$.a.max()",
        "$.a.avg()",
    ],
    ["$.a.first()", "$.a.last()", "$.a.index(1)", "$.a[*].length()", "$.a[?(@.length() > 1)]", "$.a.stddev()"],
    ["$.a[0,1]", "$.a[0, 2].x", "$['a','c']", "$['a', 'c']['x']", "$.b['x', 'c']", "$['x y']", "$['x.y']", "$['']"],
    ["$.a[0:2]", "$.a[:1]", "$.a[-2:]", "$.a[1:]", "$.a[:-1]", "$.a[0:-1]", "$.a[-5:2]", "$.a[1:2:1]", "$[0:2][0]"],
    ["$..x", "$..*", "$..[0]", "$..x[0]", "$..['x']", "$.*", "$.*.x", "$[*][0]", "$.a.[0]"],
    [
        "a",
        "@.a",
        "$.😀",
        "$.é",
        "lax $.a[*].x",
        "lax $.zz[*]",
        "lax $.b[?(@.x == 2)]",
        "strict $.zz[*]",
    ],
]
env.create_temporary_view("docs", env.from_elements(list(enumerate(DOCUMENTS)), ["i", "d"]))
SCALARS = [
    "$.a[?(@ > 2)]",
    "$.a[?(@ == 2)]",
    "$.a[?(@ == '2')]",
    "$.a[?(@ == null)]",
    "$.a[?(@ == true)]",
    "$.a[?(@ != 2)]",
]


def show(paths, where=""):
    quoted = [path.replace("'", "''") for path in paths]
    for call in (
        "JSON_VALUE(d, '{}')",
        "JSON_QUERY(d, '{}' NULL ON EMPTY EMPTY OBJECT ON ERROR)",
        "JSON_EXISTS(d, '{}')",
    ):
        columns = ", ".join(call.format(path) + f" AS c{i}" for i, path in enumerate(quoted))
        try:
            with env.execute_sql(f"SELECT i, {columns} FROM docs {where}").collect() as rows:
                found = list(rows)
            for i, path in enumerate(paths):
                print(call.format(path), *[row[i + 1] for row in found], sep=" | ")
        except Exception:
            print(call, *paths, "fails")


for paths in PATHS:
    show(paths)
show(SCALARS, "WHERE i = 1")
show(["$..[?(@.x == 2)]", "$..[?(@.x > 1)].t"], "WHERE i < 2")
print("keys")
for text in (
    "JSON_OBJECT('\uff5e' VALUE 1, '😀' VALUE 2, 'é' VALUE 3, 'z' VALUE 4, 'Z' VALUE 5)",
    "JSON_OBJECT('a' VALUE JSON_OBJECT('\uff5e' VALUE 1, '😀' VALUE 2))",
    "JSON_OBJECT('a' VALUE MAP['\uff5e', 1, '😀', 2])",
    "JSON_STRING(MAP['\uff5e', 1, '😀', 2])",
    "JSON_OBJECT('a' VALUE JSON('{\"\uff5e\": 1.0, \"😀\": 2}'))",
):
    with env.execute_sql(f"SELECT {text}").collect() as rows:
        print(*[row[0] for row in rows])

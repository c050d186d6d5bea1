# parity: any order
import os
import sqlite3
import subprocess
import urllib.request

import pyflink
from pyflink.table import EnvironmentSettings, TableEnvironment

SAID = (
    "requires an equality condition on fields of table",
    "no row time attribute can be found",
    "only supports 'FOR SYSTEM_TIME AS OF' left table's time attribute field",
    "retry options can be both null or all not null",
    "cannot match the name of input tables or views",
)
ROWS = "(1,'one','a',10,1),(2,'two','b',20,2),(2,'deux','b',25,2),(3,'three','x',30,3),(4,'four',NULL,40,4),(NULL,'null','n',50,NULL)"
STATEMENTS = (
    "CREATE TABLE dim (k INTEGER, name VARCHAR(40), grp VARCHAR(40), v INTEGER, big BIGINT)",
    f"INSERT INTO dim VALUES {ROWS}",
)


def derby():
    """A database for Flink, and the jars that it needs."""
    cache = os.path.expanduser("~/.cache/datastream/flink-jars")
    os.makedirs(cache, exist_ok=True)
    jars = []
    for path in (
        "derby/derby/10.14.2.0/derby-10.14.2.0",
        "derby/derbytools/10.14.2.0/derbytools-10.14.2.0",
        "flink/flink-connector-jdbc-core/4.0.0-2.0/flink-connector-jdbc-core-4.0.0-2.0",
    ):
        jars.append(os.path.join(cache, os.path.basename(path) + ".jar"))
        if not os.path.exists(jars[-1]):
            urllib.request.urlretrieve(f"https://repo1.maven.org/maven2/org/apache/{path}.jar", jars[-1])
    url = f"jdbc:derby:{os.path.abspath('dim')}"
    with open("dim.sql", "w") as file:
        file.write(";\n".join((f"CONNECT '{url};create=true'", *STATEMENTS, "DISCONNECT", "EXIT", "")))
    java = os.path.join(os.environ["JAVA_HOME"], "bin", "java")
    path = os.pathsep.join(jars[:2])
    subprocess.run([java, "-cp", path, "org.apache.derby.tools.ij", "dim.sql"], check=True, capture_output=True)
    return url, jars


if hasattr(pyflink, "__file__"):
    url, jars = derby()
else:
    url, jars = f"jdbc:sqlite:{os.path.abspath('dim.db')}", []
    with sqlite3.connect("dim.db") as database:
        for statement in STATEMENTS:
            database.execute(statement)
with open("o.csv", "w") as file:
    file.write("1,1,a,10\n2,2,b,20\n3,,c,30\n4,9,d,40\n5,3,a,50\n6,1,b,60\n7,4,,70\n")


def environment(mode):
    env = TableEnvironment.create(mode)
    env.get_config().set("parallelism.default", "1")
    for jar in jars:
        env.execute_sql(f"ADD JAR '{jar}'")
    env.execute_sql(
        "CREATE TABLE o (id INT, k INT, c STRING, n INT, p AS PROCTIME(), ts AS TO_TIMESTAMP_LTZ(n * 1000, 3), WATERMARK FOR ts AS ts) "
        f"WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath('o.csv')}', 'format' = 'csv', 'csv.null-literal' = '')"
    )
    columns = "k INT, name STRING, grp STRING, v INT, big BIGINT"
    for name, more in (("d", ""), ("keyed", ", PRIMARY KEY (k) NOT ENFORCED")):
        env.execute_sql(
            f"CREATE TABLE {name} ({columns}{more}) WITH ('connector' = 'jdbc', 'url' = '{url}', 'table-name' = 'dim')"
        )
    env.execute_sql("CREATE VIEW doubled AS SELECT k, v * 2 AS v, name, grp, big FROM d")
    return env


def show(env, text):
    print(text)
    try:
        with env.execute_sql(text).collect() as rows:
            for row in sorted(str(row) for row in rows):
                print(" ", row)
    except Exception as error:
        print(" ", next((part for part in SAID if part in str(error)), "fails"))


JOIN = "SELECT {}o.id, o.k, d.name, d.v FROM o {} JOIN {} FOR SYSTEM_TIME AS OF {} AS d ON {}"
CONDITIONS = (
    "o.k = d.k", "o.k = d.big", "CAST(o.k AS BIGINT) = d.big", "o.k + 1 = d.k", "o.k = d.k AND o.c = d.grp",
    "o.k = d.k AND d.name = 'one'", "o.k = d.k AND o.n > d.v AND d.v > 15 AND o.n > 10", "o.k = d.k AND d.grp IS NULL",
    "o.k = d.k AND d.name = CAST(NULL AS STRING)", "o.k = d.k AND d.k = o.id", "o.k = d.k AND UPPER(d.grp) = UPPER(o.c)",
    "o.k = d.k + 1", "d.k = 1", "o.n > d.v", "TRUE", "o.k = d.k OR o.id = d.v", "o.k = d.k AND (o.id = 1 OR d.v > 20)",
)  # fmt: skip
streaming = environment(EnvironmentSettings.in_streaming_mode())
for condition in CONDITIONS:
    for kind in ("", "LEFT"):
        show(streaming, JOIN.format("", kind, "d", "o.p", condition))
batch = environment(EnvironmentSettings.in_batch_mode())
for condition in CONDITIONS[:3]:
    show(batch, JOIN.format("", "LEFT", "keyed", "o.p", condition))
for time in ("o.ts", "o.p", "CAST(o.p AS TIMESTAMP_LTZ(3))"):
    show(streaming, JOIN.format("", "LEFT", "keyed", time, "o.k = d.k"))
for kind in ("RIGHT", "FULL"):
    show(streaming, JOIN.format("", kind, "d", "o.p", "o.k = d.k"))
show(streaming, JOIN.format("", "LEFT", "doubled", "o.p", "o.k = d.k"))
show(streaming, JOIN.format("", "LEFT", "doubled", "o.p", "o.k = d.k AND d.v > 45"))
show(streaming, JOIN.format("", "LEFT", "d", "o.p", "o.k = d.k") + " WHERE d.v > 15 AND o.id < 6")
show(streaming, JOIN.format("", "LEFT", "d", "o.p", "o.k = d.k") + " WHERE d.v IS NULL")
show(streaming, "SELECT k, d.name, o.id FROM o JOIN d FOR SYSTEM_TIME AS OF o.p USING (k)")
counts = "(SELECT k, COUNT(*) AS n, PROCTIME() AS p FROM o GROUP BY k) AS o"
show(streaming, f"SELECT o.k, o.n, d.name FROM {counts} LEFT JOIN d FOR SYSTEM_TIME AS OF o.p AS d ON o.k = d.k")
show(
    streaming,
    "SELECT o.id, d.name, e.name FROM o LEFT JOIN d FOR SYSTEM_TIME AS OF o.p AS d ON o.k = d.k LEFT JOIN d FOR SYSTEM_TIME AS OF o.p AS e ON d.big = e.big",
)
for hint in ("'table' = 'd', 'async' = 'false'", "'table' = 'x'", "'table' = 'd', 'retry-predicate' = 'lookup_miss'"):
    show(streaming, JOIN.format(f"/*+ LOOKUP({hint}) */ ", "LEFT", "d", "o.p", "o.k = d.k"))
for option in (
    "'lookup.cache' = 'PARTIAL'",
    "'lookup.cache' = 'PARTIAL', 'lookup.partial-cache.max-rows' = '2'",
    "'lookup.cache' = 'NOPE'",
    "'lookup.max-retries' = '-1'",
    "'lookup.nope' = '1'",
    "'lookup.cache.max-rows' = '2'",
    "'lookup.cache.max-rows' = '2', 'lookup.cache.ttl' = '1 s'",
):
    show(streaming, JOIN.format("", "LEFT", f"d /*+ OPTIONS({option}) */", "o.p", "o.k = d.k"))
show(streaming, "SELECT k, name FROM d")
show(batch, "SELECT COUNT(*), MAX(v) FROM d")

"""Joins of SQL whose results change: rows find their partners late, never, or partners that change.

Reads lines of files, and writes changes into files. Of each join all rows are unique.
"""

import argparse

from pyflink.table import EnvironmentSettings, TableEnvironment

parser = argparse.ArgumentParser()
parser.add_argument("input")
parser.add_argument("output")
args = parser.parse_args()

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("pipeline.name", "chaos: sql join")
env.execute_sql(f"""
    CREATE TABLE texts (line STRING) WITH ('connector' = 'filesystem', 'path' = '{args.input}', 'format' = 'raw')
""")
env.execute_sql("""
    CREATE TEMPORARY VIEW numbers AS
    SELECT CAST(SPLIT_INDEX(line, ',', 0) AS BIGINT) AS number, CAST(SPLIT_INDEX(line, ',', 3) AS BIGINT) AS v
    FROM texts
""")
env.execute_sql("""
    CREATE TEMPORARY VIEW orders AS
    SELECT number, MOD(number, 8000) AS place, MOD(number * 7, 3000) AS family, v FROM numbers WHERE MOD(number, 3) = 0
""")
# What has one place is far apart in the input: some partners come before an order, some long after it.
env.execute_sql("""
    CREATE TEMPORARY VIEW offers AS
    SELECT number, MOD(number * 7, 8000) AS place, MOD(number, 3000) AS family, v FROM numbers WHERE MOD(number, 4) = 1
""")


def create_output(name, columns):
    """Declare a table of changes."""
    env.execute_sql(f"""
        CREATE TABLE {name} ({columns}) WITH (
            'connector' = 'filesystem', 'path' = '{args.output}/{name}', 'format' = 'debezium-json'
        )
    """)


create_output("pairs", "a BIGINT, b BIGINT, difference BIGINT")
create_output("families", "a BIGINT, n BIGINT, total BIGINT")
create_output("unanswered", "a BIGINT, v BIGINT")
joins = env.create_statement_set()
joins.add_insert_sql("""
    INSERT INTO pairs
    SELECT a.number, b.number, a.v - b.v
    FROM orders AS a FULL OUTER JOIN offers AS b ON a.place = b.place AND a.v <= b.v + 400
""")
joins.add_insert_sql("""
    INSERT INTO families
    SELECT a.number, b.n, b.total
    FROM orders AS a
    LEFT JOIN (SELECT family, COUNT(*) AS n, SUM(v) AS total FROM offers GROUP BY family) AS b ON a.family = b.family
""")
joins.add_insert_sql("""
    INSERT INTO unanswered
    SELECT number, v FROM orders AS a WHERE NOT EXISTS (SELECT * FROM offers AS b WHERE a.place = b.place)
""")
joins.execute().wait()

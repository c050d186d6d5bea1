from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.execute_sql(
    """
    CREATE TABLE t (
        c CHAR(3), cn CHAR(5) NOT NULL, v VARCHAR(5), vn VARCHAR(9) NOT NULL, s STRING, sn STRING NOT NULL,
        ti TINYINT, i INT, n INT NOT NULL, b BIGINT, f FLOAT, d DOUBLE, dn DOUBLE NOT NULL,
        d5 DECIMAL(5, 2), d20 DECIMAL(20, 10), d38 DECIMAL(38, 18), d3 DECIMAL(3, 0) NOT NULL,
        bo BOOLEAN, bn BOOLEAN NOT NULL, bi BINARY(3), vb VARBINARY(5), dt DATE, dtn DATE NOT NULL, tm TIME(0),
        t3 TIMESTAMP(3), t6 TIMESTAMP(6) NOT NULL, l3 TIMESTAMP_LTZ(3), l6 TIMESTAMP_LTZ(6) NOT NULL,
        ai ARRAY<INT>, an ARRAY<INT NOT NULL> NOT NULL, m MAP<STRING, INT>, r ROW<a INT, b VARCHAR(4) NOT NULL>
    ) WITH ('connector' = 'datagen')
    """
)


def types(*expressions):
    columns = ", ".join(f"{each} AS `{each}`" for each in expressions)
    env.sql_query(f"SELECT {columns} FROM t").print_schema()


types(
    "ai[1]",
    "an[1]",
    "m['a']",
    "r.a",
    "r.b",
    "ARRAY[1, 2.5]",
    "ARRAY['a', 'bcd']",
    "ARRAY[c, s]",
    "MAP['a', 1, 'bcd', 2]",
    "ROW(1, 'a')",
    "ROW(c, s, i)",
    "CARDINALITY(an)",
    "ELEMENT(ai)",
    "ARRAY_CONTAINS(an, 1)",
    "ARRAY_DISTINCT(ai)",
    "ARRAY_CONCAT(ai, an)",
    "ARRAY_JOIN(ARRAY['a'], ',')",
    "MAP_KEYS(m)",
    "MAP_VALUES(m)",
    "bo AND bn",
    "bn OR bn",
    "NOT bn",
    "bo IS TRUE",
    "n = i",
    "i IS DISTINCT FROM n",
    "i IS NULL",
    "sn LIKE 'a%'",
    "IF(bn, 1, 2)",
    "IF(bo, 'a', 'bcd')",
    "CAST(ai AS ARRAY<BIGINT>)",
    "CAST(r AS STRING)",
    "JSON_OBJECT(KEY 'a' VALUE i)",
    "JSON_ARRAY(i)",
)

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
    "SUM(n)",
    "AVG(n)",
    "MIN(n)",
    "COUNT(n)",
    "STDDEV_POP(n)",
    "VAR_SAMP(n)",
    "COLLECT(n)",
    "ARRAY_AGG(n)",
    "FIRST_VALUE(n)",
    "SUM(d5)",
    "AVG(d5)",
    "MIN(d5)",
    "COUNT(d5)",
    "STDDEV_POP(d5)",
    "VAR_SAMP(d5)",
    "COLLECT(d5)",
    "ARRAY_AGG(d5)",
    "FIRST_VALUE(d5)",
    "SUM(d)",
    "AVG(d)",
    "MIN(d)",
    "COUNT(d)",
    "STDDEV_POP(d)",
    "VAR_SAMP(d)",
    "COLLECT(d)",
    "ARRAY_AGG(d)",
    "FIRST_VALUE(d)",
    "SUM(f)",
    "AVG(f)",
    "MIN(f)",
    "COUNT(f)",
    "STDDEV_POP(f)",
    "VAR_SAMP(f)",
    "COLLECT(f)",
    "ARRAY_AGG(f)",
    "FIRST_VALUE(f)",
    "LISTAGG(cn)",
    "LISTAGG(v, '|')",
    "LISTAGG(sn)",
    "JSON_OBJECTAGG(KEY sn VALUE i)",
    "JSON_ARRAYAGG(i)",
    "MAX(cn)",
    "MAX(t3)",
    "COUNT(*)",
    "SUM(DISTINCT d5)",
    "SUM(n) * 2",
    "AVG(d5) + 1",
)

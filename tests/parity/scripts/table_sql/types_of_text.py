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
    "'abc'",
    "''",
    "UPPER(c)",
    "LOWER(cn)",
    "INITCAP(v)",
    "UPPER('abc')",
    "TRIM(c)",
    "TRIM(BOTH 'x' FROM vn)",
    "LTRIM(cn)",
    "RTRIM(v, 'a')",
    "BTRIM(c)",
    "SUBSTRING(cn, 2)",
    "SUBSTRING(v FROM 1 FOR 2)",
    "SUBSTR('abc', 1, 2)",
    "LEFT(vn, 2)",
    "RIGHT(sn, 2)",
    "LPAD(sn, 5, 'x')",
    "RPAD(s, 5, 'x')",
    "OVERLAY(v PLACING 'xx' FROM 1)",
    "OVERLAY(sn PLACING 'xx' FROM 1 FOR 2)",
    "c || cn",
    "c || v",
    "cn || 'xy'",
    "vn || cn",
    "v || s",
    "sn || sn",
    "'a' || 'b' || 'c'",
    "CONCAT(cn, 'a')",
    "CONCAT(c, v)",
    "CONCAT_WS(',', vn, cn)",
    "CONCAT_WS(',', v, cn)",
    "UPPER(c || v)",
    "REVERSE(sn)",
    "REPEAT(sn, 2)",
    "REPLACE(cn, 'a', 'b')",
    "URL_ENCODE(sn)",
    "CHR(n)",
    "UUID()",
    "MD5(sn)",
    "HEX(n)",
    "BIN(n)",
    "TO_BASE64(sn)",
    "REGEXP_COUNT(sn, 'a')",
    "REGEXP_INSTR(sn, 'a')",
    "REGEXP_REPLACE(sn, 'a', 'b')",
    "REGEXP_EXTRACT(sn, 'a')",
    "SPLIT_INDEX(sn, ',', 0)",
    "STR_TO_MAP(sn)",
    "CHAR_LENGTH(sn)",
    "POSITION('a' IN sn)",
    "JSON_VALUE(sn, '$.a')",
    "JSON_VALUE(sn, '$.a' RETURNING INT)",
    "JSON_EXISTS(sn, '$.a')",
    "CASE WHEN bo THEN 'a' ELSE 'bcd' END",
    "CASE WHEN bo THEN cn ELSE cn END",
    "CASE WHEN bo THEN c ELSE 'abcdef' END",
    "CASE WHEN bo THEN vn END",
    "COALESCE(v, 'abcdef')",
    "COALESCE(c, s)",
    "IFNULL(cn, 'abcdef')",
    "IFNULL(v, 'x')",
    "NULLIF(cn, v)",
    "GREATEST(cn, v)",
    "LEAST(vn, 'abcd')",
    "ELT(1, 'a', 'bc')",
    "X''",
    "bi || X'0a'",
    "vb || X'0a'",
    "CAST(n AS VARCHAR(2))",
    "CAST(s AS CHAR(7))",
    "TRY_CAST(cn AS STRING)",
    "TYPEOF(i)",
    "DATE_FORMAT(t6, 'yyyy')",
    "FROM_UNIXTIME(n)",
)

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    CREATE TABLE t (a STRING, n INT, ts TIMESTAMP(3), b AS UPPER(a), c AS CHAR_LENGTH(a),
    d AS CONCAT(a, 'x'), e AS TO_TIMESTAMP(a), f AS COALESCE(a, 'y'), g AS SUBSTRING(a FROM 2),
    h AS CAST(n AS STRING), i AS ABS(n), j AS MD5(a), k AS PROCTIME(), l AS IF(n > 1, 1, 2),
    m AS CASE WHEN n > 1 THEN 'x' ELSE 'y' END, o AS REGEXP_REPLACE(a, 'x', 'y'),
    p AS EXTRACT(YEAR FROM ts), q AS FLOOR(ts TO DAY), r AS ROUND(n, 1), s AS NULLIF(n, 1),
    u AS LOWER(a), v AS TRIM(a), w AS a || 'x', x AS a LIKE 'x%', y AS n BETWEEN 1 AND 2,
    z AS n IN (1, 2), aa AS POWER(n, 2), bb AS DATE_FORMAT(ts, 'yyyy'), cc AS NOT n > 1, dd AS n IS NULL,
    ee AS -n, ff AS JSON_VALUE(a, '$.x'), gg AS YEAR(ts), hh AS ts + INTERVAL '1' DAY,
    ii AS REPLACE(a, 'x', 'y'), jj AS LTRIM(a), kk AS MOD(n, 2), ll AS CURRENT_TIMESTAMP,
    mm AS ARRAY[1, 2], nn AS LEFT(a, 1), oo AS INITCAP(a), pp AS CEIL(n), qq AS SQRT(n),
    rr AS TIMESTAMPDIFF(DAY, ts, ts), ss AS POSITION('x' IN a)) WITH ('connector' = 'datagen')
""")
show("DESCRIBE t")

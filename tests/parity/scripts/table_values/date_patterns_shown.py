from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.get_config().set("table.display.max-column-width", "80")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


PATTERNS = [
    "yyyy-MM-dd HH:mm:ss",
    "yy y yyy yyyyy",
    "M MM MMM MMMM",
    "d dd D DDD",
    "E EEE EEEE",
    "H HH k kk h hh K KK a",
    "m s S SSS SSSSSS",
]
PATTERNS += ["G GGGG", "L LL LLL LLLL", "'x' ''yy", "YYYY YY Y w ww W F", "yyyy-MM-dd'T'HH:mm:ss.SSS"]
SIMPLE = ["z zzzz Z X XX XXX", "ddd MMMMM EEEEE u uu", "aa GGGGG SSSS"]
NEWER = [
    "Q q QQ QQQ QQQQ QQQQQ",
    "e ee eee eeee c ccc cccc",
    "B BBBB BBBBB",
    "n nn A N g",
    "ppH ppppd",
    "u uu uuuu uuuuuu",
    "yyyy-MM-dd[ HH:mm]",
]
NEWER += ["S SS SSSS SSSSSSSSS", "EEEEE MMMMM LLLLL GGGGG"]
SECONDS = [0, 1709633472, 1719835200, -1, -62135596800, 253402300799, 1735603200, 1704067200]
TIMES = [
    "2024-03-05 10:11:12.123456",
    "2024-12-31 23:59:59.999999",
    "2024-01-01 00:00:00",
    "2023-01-01 12:00:00",
    "1969-12-31 18:00:01",
    "2021-01-03 21:00:00",
]

kind = DataTypes.ROW(
    [
        DataTypes.FIELD("i", DataTypes.INT()),
        DataTypes.FIELD("p", DataTypes.STRING()),
        DataTypes.FIELD("s", DataTypes.BIGINT()),
    ]
)
rows = [(p, s) for p in [*PATTERNS, *SIMPLE] for s in SECONDS]
env.create_temporary_view("simple", env.from_elements([(i, *each) for i, each in enumerate(rows)], kind))
for zone in ("UTC", "Europe/Paris", "America/St_Johns", "Asia/Kolkata"):
    env.get_config().set("table.local-time-zone", zone)
    env.execute_sql("SELECT i, p, s, FROM_UNIXTIME(s, p) AS x FROM simple ORDER BY i").print()
kind = DataTypes.ROW(
    [
        DataTypes.FIELD("i", DataTypes.INT()),
        DataTypes.FIELD("p", DataTypes.STRING()),
        DataTypes.FIELD("t", DataTypes.STRING()),
    ]
)
rows = [(p, t) for p in [*PATTERNS, *NEWER] for t in TIMES]
env.create_temporary_view("times", env.from_elements([(i, *each) for i, each in enumerate(rows)], kind))
env.execute_sql("SELECT i, p, DATE_FORMAT(CAST(t AS TIMESTAMP(6)), p) AS x FROM times ORDER BY i").print()
env.get_config().set("table.local-time-zone", "Europe/Paris")
CLOCKS = [
    "2021-03-28 02:30:00",
    "2021-10-31 02:30:00",
    "2021-03-28 25:00:00",
    "2021-3-28 2:3:4",
    "x",
    "1969-12-31 23:59:59",
    "2021-03-28 02:30:00.5",
    "2021-02-30 00:00:00",
]
clocks = ", ".join(f"('{each}')" for each in CLOCKS)
show(f"""
    SELECT t, UNIX_TIMESTAMP(t) u, CASE WHEN t <> 'x' THEN TO_DATE(t, 'yyyy-MM-dd') END d, CONVERT_TZ(t, 'Europe/Paris', 'UTC') a, CONVERT_TZ(t, 'UTC', 'America/New_York') b,
    DATE_FORMAT(t, 'yyyy-MM-dd HH:mm:ss z') c FROM (VALUES {clocks}) AS v (t)
""")
show("SELECT DATE_FORMAT(TO_TIMESTAMP_LTZ(1709633472, 0), 'yyyy-MM-dd HH:mm:ss') a")
show(
    "SELECT UNIX_TIMESTAMP('2009-02-13 23:31:30.000 +0000', 'yyyy-MM-dd HH:mm:ss.SSS Z') a, TO_TIMESTAMP('2024-03-05 24:00:00', 'yyyy-MM-dd HH:mm:ss') b"
)
show("SELECT DATE_FORMAT(TIMESTAMP '2024-03-05 10:11:12', 'yyyy Z') a")
show("SELECT TO_DATE('2024-03-05', 'yyyy-bb') a")

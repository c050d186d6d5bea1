from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, lit, row_interval
from pyflink.table.window import Slide, Tumble

KIND = DataTypes.ROW(
    [
        DataTypes.FIELD("k", DataTypes.STRING()),
        DataTypes.FIELD("v", DataTypes.BIGINT()),
        DataTypes.FIELD("d", DataTypes.DOUBLE()),
    ]
)


def streaming():
    tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    tables.get_config().set("parallelism.default", "1")
    rows = [("aba"[i % 3], i, i * 1.5) for i in range(17)]
    tables.create_temporary_view("src", tables.from_elements(rows, KIND))
    return tables


def show(name, make):
    print("==", name)
    try:
        made = make()
        made.print_schema()
        with made.execute().collect() as rows:
            for row in rows:
                print(row.get_row_kind(), list(row))
    except Exception as error:
        print("refused" if "row" in str(error) or "same type" in str(error) else error)


tables = streaming()
timed = tables.sql_query("SELECT k, v, d, PROCTIME() AS p FROM src")
updated = tables.sql_query("SELECT k, SUM(v) AS v, PROCTIME() AS p FROM src GROUP BY k")


def tumble(table, size):
    return table.window(Tumble.over(row_interval(size)).on(col("p")).alias("w"))


def slide(size, step):
    return timed.window(Slide.over(row_interval(size)).every(row_interval(step)).on(col("p")).alias("w"))


def of_key(windows, *fields):
    return windows.group_by(col("k"), col("w")).select(col("k"), *fields)


def of_all(windows, *fields):
    return windows.group_by(col("w")).select(*fields)


total, count = col("v").sum.alias("s"), col("v").count.alias("c")
show("tumble of a key", lambda: of_key(tumble(timed, 3), total, count))
show("tumble of all", lambda: of_all(tumble(timed, 4), total, col("d").avg, col("v").min))
show("one row", lambda: of_key(tumble(timed, 1), total))
show("slide of a key", lambda: of_key(slide(4, 2), total, col("v").max.alias("m"), col("v").first_value.alias("f")))
show("slide with gaps", lambda: of_all(slide(2, 3), total, col("v").min.alias("m")))
show("slide of an odd size", lambda: of_all(slide(5, 2), total, col("v").min.alias("m")))
show("slide of one size", lambda: of_all(slide(3, 3), total, count))
show("rows with updates", lambda: of_all(tumble(updated, 3), total, count))
show("keys alone", lambda: of_key(tumble(timed, 3)))
show("expressions", lambda: of_key(tumble(timed, 3), (col("v").sum + 1).alias("s"), (col("v").max - col("v").min)))
show("distinct", lambda: of_all(tumble(timed, 6), col("k").count.distinct.alias("n")))
show("start", lambda: of_all(tumble(timed, 3), col("w").start, total))
mixed = Slide.over(row_interval(4)).every(lit(2).seconds).on(col("p")).alias("w")
show("rows and seconds", lambda: of_all(timed.window(mixed), total))
tables.execute_sql(
    "CREATE TABLE events (x BIGINT, p TIMESTAMP(3), WATERMARK FOR p AS p) WITH ('connector' = 'datagen', 'number-of-rows' = '5')"
)
show("event time", lambda: of_all(tumble(tables.from_path("events"), 3), col("x").count))

from pyflink.table.expressions import col, lit, row_interval

for expression in (
    lit(1).year,
    lit(2).years,
    lit(1).quarter,
    lit(2).quarters,
    lit(1).month,
    lit(14).months,
    lit(1).week,
    lit(2).weeks,
    lit(1).day,
    lit(2).days,
    lit(1).hour,
    lit(25).hours,
    lit(1).minute,
    lit(2).minutes,
    lit(1).second,
    lit(90).seconds,
    lit(1).milli,
    lit(1500).millis,
    row_interval(5),
    col("t") + lit(1).day,
    col("t") - lit(3).months,
):
    print(expression)

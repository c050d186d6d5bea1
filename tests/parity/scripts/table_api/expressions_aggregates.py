from pyflink.table.expressions import col, lag, lead

a = col("a")
for expression in (
    a.sum,
    a.sum0,
    a.min,
    a.max,
    a.count,
    a.avg,
    a.first_value,
    a.last_value,
    a.list_agg(),
    a.list_agg("-"),
    a.stddev_pop,
    a.stddev_samp,
    a.var_pop,
    a.var_samp,
    a.collect,
    a.array_agg,
    a.sum.distinct,
    a.count.distinct,
    a.percentile(0.5),
    a.percentile(0.5, col("n")),
    a.sum.over(col("w")),
    a.sum.alias("s"),
    lag(a),
    lag(a, 2),
    lead(a, 2, 0),
):
    print(expression)

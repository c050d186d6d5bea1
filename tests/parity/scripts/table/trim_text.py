from pyflink.table.expressions import col

a = col("a")
for expression in (a.trim(), a.trim_leading(), a.trim_trailing("x")):
    print(expression)

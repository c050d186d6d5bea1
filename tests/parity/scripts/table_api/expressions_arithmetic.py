from pyflink.table.expressions import col, lit, negative

a, b = col("a"), col("b")
for expression in (
    a + b * 2,
    (a + b) * 2,
    1 + a,
    1 - a,
    2 * a,
    2 / a,
    7 % a,
    a**2,
    2**a,
    -a,
    negative(a),
    a - b - 1,
    a / b / 2,
    a % 3 + 1,
    lit(3) - 2,
    a.abs,
):
    print(expression)

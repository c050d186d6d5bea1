from pyflink.table.expressions import and_, col, lit, not_, or_

a, b = col("a"), col("b")
for expression in (
    a == b,
    a != b,
    a < 1,
    1 < a,
    a >= lit(2),
    a.between(1, 2),
    a.not_between(1, b),
    a.in_(1, 2, 3),
    a.in_("x"),
    a.is_null,
    a.is_not_null,
    (a > 1).is_true,
    (a > 1).is_false,
    (a > 1).is_not_true,
    (a > 1).is_not_false,
    (a > 1) & (b > 1) & (b < 3),
    (a > 1) | (b > 1) & (b < 3),
    ~(a > 1),
    True & (a > 1),
    and_(a > 1, b > 1, b > 2),
    or_(a > 1, b > 1),
    not_(a > 1),
    (a > 1).then(1, 2),
    a.if_null(b),
    a == None,  # noqa: E711
):
    print(expression)

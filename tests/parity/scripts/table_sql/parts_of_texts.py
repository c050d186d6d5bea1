from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.get_config().set("parallelism.default", "1")
kind = DataTypes.ROW([DataTypes.FIELD("s", DataTypes.STRING()), DataTypes.FIELD("i", DataTypes.INT())])
texts = ["a", "bb", "abc", "a.c", "a$", "^a", "A1 b", "x\ny", "", "a-z", "abcdef", "a\\b", None]
t_env.create_temporary_view("t", t_env.from_elements([(s, None if s == "a" else 1) for s in texts], kind))


def show(*expressions):
    for expression in expressions:
        try:
            with t_env.execute_sql(f"SELECT {expression} FROM t").collect() as rows:
                print(expression, [row[0] for row in rows])
        except Exception:
            print(expression, "fails")


PATTERNS = [
    ".*", "(a|b).", "_", "__", "%", "%c", "a.c", "^a$", "a$", "^a", "[a-c]+", "[^a]%", "[[:ALPHA:]]+", "[[:alpha:]]+",
    "[[:ALNUM:]]*", "[[:DIGIT:]]", "[A-Z][[:DIGIT:]][[:SPACE:]]b", "x[[:WHITESPACE:]]y", "x_y", "x%y", "x.y", "a-z",
    "a|bb|abc", "(ab)?c*%", "a{1}b*%", "[a-]%", "a+", "b{2}",
]  # fmt: skip
show(*(f"s SIMILAR TO '{pattern}'" for pattern in PATTERNS))
show(
    "s NOT SIMILAR TO '.b%'",
    "s SIMILAR TO '[abc'",
    "s SIMILAR TO '[a[b]'",
    "s SIMILAR TO '[a_]'",
    "s SIMILAR TO 'a\\b'",
)
show(*(f"SUBSTRING(s FROM {start})" for start in (-9, -3, -2, 0, 1, 2, 9)))
show(*(f"SUBSTRING(s FROM {start} FOR {size})" for start in (-5, -2, 0, 1, 3) for size in (0, 2, 9)))
show("SUBSTR(s, -5, 3)", "SUBSTR(s, -1)", "SUBSTRING(s || 'xy' FROM -4)", "SUBSTRING(s FROM 1 FOR -1)")
show(*(f"OVERLAY(s PLACING 'XY' FROM {start} FOR {size})" for start in (0, 1, 3, 9) for size in (-2, -1, 0, 1, 2, 9)))
show("OVERLAY(s PLACING 'XY' FROM 2)", "OVERLAY(s PLACING '' FROM 2)", "OVERLAY(s PLACING 'XYZ' FROM 3)")
show("ARRAY_POSITION(ARRAY[i, 1], i)", "ARRAY_POSITION(ARRAY[i, CAST(NULL AS INT)], CAST(NULL AS INT))")
show("ARRAY_POSITION(ARRAY[i, 1], 1)", "ARRAY_POSITION(ARRAY[s, 'a'], 'a')", "ARRAY_POSITION(ARRAY[s], s)")
show("ARRAY_CONTAINS(ARRAY[i, 1], i)", "ARRAY_REMOVE(ARRAY[i, 2], i)")

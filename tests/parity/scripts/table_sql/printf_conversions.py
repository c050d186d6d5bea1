from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(*expressions):
    with env.execute_sql("SELECT " + ", ".join(expressions)).collect() as rows:
        for text, value in zip(expressions, list(rows)[0], strict=True):
            print(text, repr(value), sep=" | ")


show(
    "PRINTF('%x', -1)",
    "PRINTF('%x', CAST(-1 AS BIGINT))",
    "PRINTF('%X', CAST(-1 AS TINYINT))",
    "PRINTF('%o', -1)",
    "PRINTF('%#x', 255)",
    "PRINTF('%(d', -5)",
    "PRINTF('% d', 5)",
    "PRINTF('%,d', 1234567)",
    "PRINTF('%05d', -42)",
    "PRINTF('%.2d', 1)",
)
show(
    "PRINTF('%.2f', 1.005e0)",
    "PRINTF('%.0f', 2.5e0)",
    "PRINTF('%(.1f', -1.25e0)",
    "PRINTF('%08.3f', -1.5e0)",
    "PRINTF('%,.2f', 1234567.891e0)",
    "PRINTF('%.3e', 12345.6785e0)",
    "PRINTF('%f', CAST('NaN' AS DOUBLE))",
    "PRINTF('%f', CAST('-Infinity' AS DOUBLE))",
    "PRINTF('%f', 1e10)",
)
show(
    "PRINTF('%g', 0.0001e0)",
    "PRINTF('%g', 0.00001e0)",
    "PRINTF('%g', 123456.789e0)",
    "PRINTF('%.3g', 12345e0)",
    "PRINTF('%g', 1e10)",
    "PRINTF('%g', 0e0)",
    "PRINTF('%.3g', 999.9e0)",
)
show(
    "PRINTF('%s', 1e10)",
    "PRINTF('%s', CAST(1.1 AS FLOAT))",
    "PRINTF('%s', TRUE)",
    "PRINTF('%b', 'x')",
    "PRINTF('%B', FALSE)",
    "PRINTF('%b', CAST(NULL AS STRING))",
    "PRINTF('%c', 65)",
    "PRINTF('%c', 'a')",
    "PRINTF('%.2f', CAST(NULL AS DOUBLE))",
)
show(
    "PRINTF('%s %<s', 'a')",
    "PRINTF('%<s', 'a')",
    "PRINTF('%', 1)",
    "PRINTF('%-d', 1)",
    "PRINTF('%-5d|', 1)",
    "PRINTF('%-05d', 1)",
    "PRINTF('%1$s %s %s', 'a', 'b')",
    "PRINTF('%q', 1)",
)

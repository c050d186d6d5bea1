from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(*expressions):
    with env.execute_sql("SELECT " + ", ".join(expressions)).collect() as rows:
        for text, value in zip(expressions, list(rows)[0], strict=True):
            print(text, repr(value), sep=" | ")


show(
    "LOCATE('b', 'abcb', 0)",
    "LOCATE('b', 'abcb', -1)",
    "LOCATE('a', 'abcb', 0)",
    "LOCATE('b', 'abcb', 3)",
    "LOCATE('b', 'abcb', 9)",
    "LOCATE('', 'abcb', 3)",
    "LOCATE('', '')",
    "LOCATE('a', '')",
)
show(
    "UNHEX('4')",
    "UNHEX('414')",
    "UNHEX('4142')",
    "UNHEX('')",
    "UNHEX('4g')",
    "UNHEX('g')",
)
show(
    "TRANSLATE('abc', 'ab', CAST(NULL AS STRING))",
    "TRANSLATE('abc', CAST(NULL AS STRING), 'x')",
    "TRANSLATE(CAST(NULL AS STRING), 'a', 'x')",
)
show(
    "SPLIT_INDEX('a b  c', '', 1)",
    "SPLIT_INDEX('a b  c', '', 2)",
    "SPLIT_INDEX('abc', '', 0)",
    "SPLIT_INDEX('a,b', 44, 1)",
    "SPLIT_INDEX('a,b', -1, 0)",
    "SPLIT_INDEX('a,b', 0, 0)",
    "SPLIT_INDEX('a,b', 255, 0)",
    "SPLIT_INDEX('a,b', 256, 0)",
)
show(
    "CAST(STR_TO_MAP('abc', '', '') AS STRING)",
    "CAST(STR_TO_MAP('a1b2c', '(1|2)', '=') AS STRING)",
    "CAST(STR_TO_MAP('a==1', ',', '(=)') AS STRING)",
    "CAST(STR_TO_MAP('a=1,', ',', '=') AS STRING)",
)
show(
    "FROM_BASE64('YQ')",
    "FROM_BASE64('YWI')",
    "FROM_BASE64('YWJj')",
    "FROM_BASE64('YQ==')",
)
show(
    "ENCODE('é', 'latin1')",
    "ENCODE('é', 'ASCII')",
    "ENCODE('€', 'windows-1252')",
    "ENCODE('日', 'Shift_JIS')",
    "ENCODE('a', 'UTF8')",
    "DECODE(x'00e9', 'UTF-16')",
    "DECODE(x'fffee900', 'UTF-16')",
    "DECODE(x'93fa', 'Shift_JIS')",
)
show(
    "IS_DECIMAL(' 1')",
    "IS_DECIMAL('1f')",
    "IS_DECIMAL('NaN')",
    "IS_DECIMAL('Infinity')",
    "IS_DECIMAL('0x1p3')",
    "IS_DECIMAL('1,000')",
    "IS_DECIMAL('')",
    "IS_DECIMAL(1)",
    "IS_DIGIT(-1)",
    "IS_DIGIT('-1')",
)

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("""
    SELECT POSITION('b' IN a), INSTR(a, 'b'), LOCATE('b', a), LOCATE('b', a, 3), POSITION('' IN a)
    FROM (VALUES ('abcb'), (''), ('xyz'), (CAST(NULL AS STRING))) AS t(a)
""")
show("""
    SELECT INSTR('abcabc', 'c', 4), INSTR('abcabc', 'c', 1, 2), INSTR('abcabc', 'c', -1), INSTR('abcabc', 'c', -1, 2), INSTR('abc', '')
""")
show("""
    SELECT STARTSWITH('abc', 'ab'), STARTSWITH('abc', ''), STARTSWITH('abc', 'b'), ENDSWITH('abc', 'bc'), ENDSWITH('abc', ''),
    STARTSWITH(CAST(NULL AS STRING), 'a')
""")
show("""
    SELECT REPLACE('aXbX', 'X', ''), REPLACE('abc', '', '-'), REPLACE('abc', 'z', 'y'), REPLACE('aaa', 'aa', 'b'),
    REPLACE('a', 'a', CAST(NULL AS STRING))
""")
show("""
    SELECT TRANSLATE('abcabc', 'ab', 'xy'), TRANSLATE('abc', 'abc', 'x'), TRANSLATE('abc', '', 'x'), TRANSLATE('aba', 'aa', 'xy')
""")
show("""
    SELECT CONCAT('a', CAST(NULL AS STRING), 'b'), CONCAT_WS(',', 'a', CAST(NULL AS STRING), 'b'), CONCAT_WS(CAST(NULL AS STRING), 'a'),
    CONCAT_WS('-', 'a'), CONCAT('', '')
""")
show("SELECT 'a' || 1")
show("SELECT CONCAT('a', 1, TRUE)")

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    env.execute_sql(f"SELECT {text}").print()


show("UPPER('abc') AS a, LOWER('ABC') AS b, CHAR_LENGTH('abc') AS c, 'a' || 'b' AS d, SUBSTRING('hello', 2, 3) AS e")
show("TRIM('  x ') AS a, TRIM(LEADING 'x' FROM 'xxy') AS b, LTRIM(' x') AS c, RTRIM('x ') AS d, REPEAT('ab', 3) AS e")
show("CONCAT('a', 'b', 'c') AS a, CONCAT_WS('-', 'a', 'b') AS b, LPAD('x', 3, '0') AS c, RPAD('x', 3, '0') AS d")
show("REPLACE('abcabc', 'b', 'x') AS a, REGEXP_REPLACE('foobar', 'oo|ar', '') AS b, POSITION('b' IN 'abc') AS c")
show("REGEXP_EXTRACT('foothebar', 'foo(.*?)(bar)', 2) AS a, SPLIT_INDEX('a,b,c', ',', 1) AS b, REVERSE('abc') AS c")
show(
    "INITCAP('hello world') AS a, OVERLAY('abcdef' PLACING 'xy' FROM 2 FOR 3) AS b, LEFT('hello', 2) AS c, "
    "RIGHT('hello', 2) AS d"
)
show("ASCII('A') AS a, CHR(66) AS b, LOCATE('l', 'hello') AS c, INSTR('hello', 'l') AS d, MD5('a') AS e")

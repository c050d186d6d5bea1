from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("SELECT TO_BASE64('hello'), FROM_BASE64('aGVsbG8='), TO_BASE64(''), FROM_BASE64(CAST(NULL AS STRING))")
show("""
    SELECT HEX('abc'), HEX(255), HEX(-1), HEX(CAST(NULL AS INT)), BIN(5), BIN(-1), BIN(CAST(0 AS BIGINT)), UNHEX('616263'), UNHEX('zz')
""")
show("""
    SELECT ENCODE('é', 'UTF-8'), DECODE(X'c3a9', 'UTF-8'), ENCODE('é', 'ISO-8859-1'), DECODE(ENCODE('é', 'UTF-16BE'), 'UTF-16BE')
""")
show("SELECT ENCODE('a', 'nothing')")
show("SELECT URL_ENCODE('a b&c=é/'), URL_DECODE('a+b%26c'), URL_DECODE('%zz'), URL_ENCODE('')")
show("""
    SELECT PARSE_URL('http://user:pw@host:80/p/a?x=1&y=2#frag', 'HOST'), PARSE_URL('http://user:pw@host:80/p/a?x=1&y=2#frag', 'PATH'),
    PARSE_URL('http://h/p?x=1&y=2', 'QUERY', 'y'), PARSE_URL('http://h/p?x=1', 'QUERY'), PARSE_URL('http://h/p#r', 'REF'),
    PARSE_URL('http://user:pw@host:80/p?q=1', 'AUTHORITY'), PARSE_URL('http://user:pw@h/p', 'USERINFO'), PARSE_URL('http://h/p?q', 'FILE'),
    PARSE_URL('nothing', 'HOST'), PARSE_URL('http://h/p', 'protocol'), PARSE_URL('http://h', 'PROTOCOL')
""")
show("SELECT STR_TO_MAP('a=1,b=2'), STR_TO_MAP('a:1;b:2', ';', ':'), STR_TO_MAP(''), STR_TO_MAP('a,b=')")
show("""
    SELECT PRINTF('%d-%s-%.2f', 5, 'x', CAST(1.5 AS DOUBLE)), PRINTF('%5d|%-5s|%05d', 42, 'ab', 7), PRINTF('%d', 'x'), PRINTF('%%')
""")
show("SELECT INET_ATON('10.0.0.1'), INET_NTOA(167772161), INET_ATON('x')")

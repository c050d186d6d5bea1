from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(*expressions):
    with env.execute_sql("SELECT " + ", ".join(expressions)).collect() as rows:
        for text, value in zip(expressions, list(rows)[0], strict=True):
            print(text, repr(value), sep=" | ")


show(
    "PARSE_URL('http://h.com/p?', 'QUERY')",
    "PARSE_URL('http://h.com/p?', 'FILE')",
    "PARSE_URL('http://h.com/p#', 'REF')",
    "PARSE_URL('http://h.com/p', 'QUERY')",
    "PARSE_URL('http://h.com/p', 'REF')",
    "PARSE_URL('http://h.com/p?#r', 'FILE')",
    "PARSE_URL('http://h.com/p?#r', 'QUERY')",
    "PARSE_URL('http://h.com/p#a?b', 'QUERY')",
)
show(
    "PARSE_URL('foo://h.com/A', 'HOST')",
    "PARSE_URL('ftp://h.com/A', 'HOST')",
    "PARSE_URL('mailto:a@b.c', 'PATH')",
    "PARSE_URL('http://h.com:x/', 'HOST')",
    "PARSE_URL('http://h.com:99999/', 'HOST')",
    "PARSE_URL('http://h.com:-1/', 'HOST')",
    "PARSE_URL('http://h.com:-2/', 'HOST')",
    "PARSE_URL(' http://h.com/p ', 'PATH')",
    "PARSE_URL('http://[::1]:80/', 'HOST')",
)

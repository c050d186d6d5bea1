from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("fails:", text)


show("SELECT MD5('a'), SHA1('a'), SHA1(''), MD5(CAST(NULL AS STRING)), MD5('é')")
show("SELECT SHA224('a'), SHA256('a')")
show("SELECT SHA384('a')")
show("SELECT SHA512('a')")
show("""
    SELECT SHA2('a', 224) = SHA224('a'), SHA2('a', 256) = SHA256('a'), SHA2('a', 512) = SHA512('a'), SHA2(CAST(NULL AS STRING), 256)
""")
show("SELECT SHA2('a', 100)")
show("""
    SELECT CHAR_LENGTH(UUID()), TYPEOF(MD5('a')), TYPEOF(SHA256('a')), TYPEOF(SHA2('a', 256)), CHAR_LENGTH(SHA512('a'))
""")

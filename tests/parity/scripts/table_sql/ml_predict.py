from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.execute_sql("CREATE MODEL words INPUT (word STRING) OUTPUT (label STRING) WITH ('task' = 'x')")
env.execute_sql("CREATE MODEL sums INPUT (a INT, b BIGINT) OUTPUT (c DOUBLE) WITH ('provider' = 'nobody')")
env.execute_sql("CREATE MODEL narrow INPUT (n INT NOT NULL) OUTPUT (c INT) WITH ('task' = 'x')")
env.execute_sql("CREATE VIEW t AS SELECT * FROM (VALUES (1, 'a', CAST(NULL AS INT))) AS t (id, word, n)")

CALLS = [
    (
        "TABLE t, MODEL words, DESCRIPTOR(id, word)",
        "Number of descriptor columns (2) does not match model input size (1).",
    ),
    (
        "TABLE t, MODEL words, DESCRIPTOR(id)",
        "Descriptor column 'id' type INT NOT NULL cannot be assigned to model input type",
    ),
    ("TABLE t, MODEL sums, DESCRIPTOR(id, word)", "cannot be assigned to model input type BIGINT at position 1."),
    (
        "TABLE t, MODEL sums, DESCRIPTOR(id, n)",
        "Unable to create a model provider for model 'default_catalog.default_database.sums'",
    ),
    ("TABLE t, MODEL narrow, DESCRIPTOR(n)", "cannot be assigned to model input type INT NOT NULL at position 0."),
    (
        "TABLE t, MODEL words, DESCRIPTOR(x)",
        "Descriptor column 'x' not found in table columns. Available columns: id, word, n.",
    ),
    ("TABLE t, MODEL words, DESCRIPTOR(word)", "do not contain an option key 'provider' for discovering a provider."),
    ("TABLE t, MODEL nothing, DESCRIPTOR(word)", "'nothing'"),
    ("TABLE nothing, MODEL words, DESCRIPTOR(word)", "'nothing'"),
    ("TABLE t, MODEL words", "ML_PREDICT"),
    ("TABLE t, TABLE t, DESCRIPTOR(word)", ""),
    ("MODEL words, TABLE t, DESCRIPTOR(word)", ""),
    ("TABLE t, MODEL words, word", ""),
    ("TABLE t, MODEL words, DESCRIPTOR(word), MAP['async', TRUE]", ""),
    ("TABLE t, MODEL words, DESCRIPTOR(word), 'async'", ""),
    ("TABLE t PARTITION BY id, MODEL words, DESCRIPTOR(word)", "Only tables with set semantics may be partitioned."),
    ("INPUT => TABLE t, MODEL => MODEL words, ARGS => DESCRIPTOR(x)", "Descriptor column 'x' not found"),
    ("INPUT => TABLE t, MODEL => MODEL words, COLUMNS => DESCRIPTOR(word)", ""),
]
for call, wanted in CALLS:
    try:
        env.explain_sql(f"SELECT * FROM ML_PREDICT({call})")
        print(call, "taken")
    except Exception as error:
        print(call, "refused,", "as expected" if wanted in str(error) else str(error))

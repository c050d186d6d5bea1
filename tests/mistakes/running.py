"""Mistakes in starting a job and reading its results."""

from __future__ import annotations

from .mistake import Mistake

TITLE = "Running a job"

MISTAKES = (
    Mistake(
        "no-execute",
        "`env.execute()` is missing",
        "Nothing runs: `warning: …ended without a job: it never called env.execute()` (plain Python ends silently)",
        "Call `env.execute()` once, at the end of the script",
        "words.print()\n",
        exit_code=0,
    ),
    Mistake(
        "executed-twice",
        "`env.execute()` twice, or after `execute_and_collect()`",
        "The second one fails: `the job has no operators: those made so far ran as a job at …execute() and "
        "execute_and_collect() each run one, so call one of them, after all sinks`. With new operators in between it "
        "is a second job, with a [checkpoint of its own](several-jobs.md#checkpoints-of-several-jobs)",
        "Call it once, when all streams have their sinks. Give each of two jobs a name",
        """
        words.print()
        env.execute()  # here
        env.execute()
        """,
        ("{here}",),
        exit_code=2,
    ),
    Mistake(
        "no-sink",
        "No sink: `stream.map(...)` and then `env.execute()`",
        "The functions run, and their results are dropped. A warning says: `the job has no sink: it runs for what its "
        "functions do, and their results are dropped (its last operator is 'Map', made at …)`",
        "`stream.print()`, `sink_to(...)` or `execute_and_collect()`",
        """
        words.map(str.upper)  # here
        env.execute()
        """,
        ("{here}", "0 out"),
        exit_code=0,
    ),
    Mistake(
        "print-of-a-stream",
        "`print(stream)` instead of `stream.print()`",
        "It prints what the stream is, not its records: `<DataStream of 'Map' (made at …)>`",
        "`stream.print()` and `env.execute()`",
        "print(words.map(str.upper))  # here\n",
        ("{here}", "never called env.execute()"),
        exit_code=0,
    ),
    Mistake(
        "loop-over-a-stream",
        "`for record in stream`, `list(stream)`",
        "The script stops: `TypeError: a DataStream cannot be looped over: its records exist while the job runs; use "
        "execute_and_collect()`",
        "`with stream.execute_and_collect() as records:`, for input that ends",
        """
        for word in words:  # here
            print(word)
        """,
        exit_code=2,
    ),
    Mistake(
        "no-build",
        "`.build()` is missing: `env.from_source(FileSource.for_record_stream_format(...), ...)`",
        "The script stops: `from_source needs a Source, got FileSourceBuilder; call .build() on it`. So do sinks",
        "`.build()` after the builder's last setting",
        """
        from pyflink.datastream.connectors.file_system import FileSource, StreamFormat

        files = FileSource.for_record_stream_format(StreamFormat.text_line_format(), "/data")
        env.from_source(files, WatermarkStrategy.no_watermarks(), "lines").print()
        """,
        exit_code=2,
    ),
    Mistake(
        "no-file",
        "The path of an input that does not exist",
        "The job does not start: `FileSource: no file or folder at /data/no-such-file.txt`",
        "Correct the path. Relative ones count from the folder in which the job is started",
        """
        env.read_text_file("/data/no-such-file.txt").print()
        env.execute()
        """,
        exit_code=2,
    ),
    Mistake(
        "wrong-broker",
        "A Kafka address without a broker, or a misspelt topic",
        "The job does not start: `cannot list the topics at …127.0.0.1:1…check the address`. A topic that does not "
        "exist "
        "is named together with similar names",
        "Correct the address: that which the broker advertises, reachable from the workers, too",
        """
        from pyflink.common import SimpleStringSchema
        from pyflink.datastream.connectors.kafka import KafkaSource

        source = KafkaSource.builder().set_bootstrap_servers("127.0.0.1:1").set_topics("lines").set_group_id("one")
        source.set_value_only_deserializer(SimpleStringSchema()).set_property("default.api.timeout.ms", "300")
        env.from_source(source.build(), WatermarkStrategy.no_watermarks(), "lines").print()
        env.execute()
        """,
    ),
    Mistake(
        "batch-without-end",
        "`RuntimeExecutionMode.BATCH` with a source that does not end",
        "The job does not start: `batch mode needs sources that end, but 'Source: endless' …does not`",
        "Bound the source, as by `set_bounded(...)` for Kafka; or stay in streaming mode",
        """
        from datastream.connectors.datagen import DataGeneratorSource

        env.set_runtime_mode(RuntimeExecutionMode.BATCH)
        env.from_source(DataGeneratorSource(lambda n: n), WatermarkStrategy.no_watermarks(), "endless").print()  # here
        env.execute()
        """,
        ("{here}",),
        exit_code=2,
    ),
)

"""The reference page of connectors and formats: ``python -m datastream.table.connectors.docs`` prints it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from datastream.table.types.data_types import DataTypes
from datastream.table.types.type_text import summary

from .connector import COMMON, TableConnector
from .formats.bulk import BULK_OPTIONS
from .formats.changes import ChangeFormat
from .formats.format import TableFormat
from .formats.registry import find_format
from .generators import field_options
from .options import Option
from .registry import find_connector

#: Connector -> what the page says of it, in the page's order.
CONNECTORS = {
    "filesystem": """\
Reads and writes the files of a folder, on the [file systems](files.md) of `FileSource` and `FileSink`.

- Formats: `csv`, `json`, `raw`, `parquet`, `orc`, `avro`, and those of [changes](#formats-of-changes).
- Reading: the table has the files that are there when the job starts, and ends. With `source.monitor-interval`
  it has no end.
- Writing: exactly once. A part file is visible when it is finished and its epoch is committed. Files of `parquet`,
  `orc` and `avro` are finished with each epoch.
- `PARTITIONED BY (a, b)`: rows lie in folders `a=1/b=x`, and the columns are not in the files. A condition
  such as `WHERE a = 1` leaves out the files of other folders.
- `sink.partition-commit.policy.kind` tells readers that a partition is complete; see
  [below](#complete-partitions).
- `parquet`: a condition on a column of whole numbers, texts or dates leaves out row groups, by their statistics.
- `INSERT OVERWRITE` replaces files at the end of the job; see [SQL](sql.md#write-tables).
- Only new rows can be written, except by formats of changes. One task reads a file of changes.

### Complete partitions

`'sink.partition-commit.policy.kind' = 'success-file'` writes an empty file `_SUCCESS` into the folder of a partition
that is complete. It is written once all files of the partition are visible, exactly once but for a restart, which may
write it again. On a [remote path](files.md#remote-file-systems), give the job a checkpoint directory: what a job
without one has left open is not completed by another job.

- `process-time`: a partition is complete when `sink.partition-commit.delay` has passed since its first rows were
  committed. With the default, no delay, each epoch completes the partitions that it writes.
- `partition-time`: a partition is complete when the watermark of the query is later than the time of the partition
  and the delay: `'1 h'` for partitions of an hour. Without a WATERMARK that is at the end of the job only.
- The time of a partition is read from the text that `timestamp-pattern` makes of its columns, by the clocks of
  `watermark-time-zone`. Set the session's zone there if the watermark is one of TIMESTAMP_LTZ.
- A complete partition has all of its rows visible, whatever the rolling policy. Rows that come later are visible with
  their epoch, and the file is written again.
- The end of the job completes all partitions. In batch mode that is the only time, and a table without partitions
  gets the file, too.
- `custom` takes a Python class with the method `commit(self, context)`. The context has Flink's methods:
  `partition_path()`, `partition_spec()`, `table_name()`, `database_name()`, `catalog_name()`. It may be called again
  after a crash. A time extractor has `extract(self, partition_keys, partition_values)` and returns a `datetime`.
- `metastore` is refused: only tables of Hive have one.""",
    "kafka": """\
Reads and writes topics. Each record is a new row. Needs `pip install '.[kafka]'`; see [Kafka](kafka.md).

- Formats, for keys and values: `avro`, `avro-confluent`, `csv`, `json`, `raw`. Of values also those of
  [changes](#formats-of-changes).
- A record without a value is not a row.
- Only new rows can be written, and the table cannot have a PRIMARY KEY: that is `upsert-kafka`. With a format of
  changes rows of all kinds are read and written, and a PRIMARY KEY says by what they are unique.""",
    "upsert-kafka": """\
A topic with the last row of each key. The key is the table's PRIMARY KEY. A deleted row is a record without a value.
`key.format` and `value.format` are required. Needs `pip install '.[kafka]'`.

An INSERT whose rows are not unique by that key states what counts: [ON CONFLICT](sql.md#write-tables).

A topic is read from the earliest offset, and its rows are changes: a record replaces the row of its key. For that the
last row of each key is kept, as state; `table.exec.state.ttl` bounds it. In a [temporal
join](sql.md#temporal-joins-and-lookup-joins) nothing is kept for that, and a deleted row needs its time: take it from
the metadata `timestamp`.""",
    "pubsub": """\
Reads a subscription of [Google Pub/Sub](pubsub.md), and writes to a topic. Each message is a new row. Needs
`pip install '.[pubsub]'`.

- Formats: `avro`, `avro-confluent`, `csv`, `json`, `raw`.
- Reading: without an end, and exactly once with the exceptions of [the page](pubsub.md#guarantees).
- Writing: at least once. Only new rows can be written.""",
    "kinesis": """\
Reads and writes streams of [Kinesis](kinesis.md). Each record is a new row. Needs `pip install '.[kinesis]'`.

- Formats: `avro`, `avro-confluent`, `csv`, `json`, `raw`.
- Reading: without an end, and exactly once. Rows of a partition key keep their order.
- Writing: at least once. Only new rows can be written. With `PARTITIONED BY` the values of its columns are the
  partition key.""",
    "firehose": """\
Writes to a delivery stream of Firehose; see [Kinesis](kinesis.md#firehose). It cannot be read. Needs
`pip install '.[kinesis]'`.

- Formats: `avro`, `avro-confluent`, `csv`, `json`, `raw`. Nothing separates the rows of `json` and `csv`, as in Flink.
- Writing: at least once. Only new rows can be written.""",
    "rabbitmq": """\
Reads a queue of [RabbitMQ](rabbitmq.md), and writes to a queue or an exchange. Each message is a new row. Needs
`pip install '.[rabbitmq]'`.

- Formats: `avro`, `avro-confluent`, `csv`, `json`, `raw`.
- Reading: without an end, and at least once. With `'scan.correlation-ids' = 'true'` exactly once: each message needs a
  correlation id that no other one has. A table that is written can give it by the metadata `correlation-id`.
- Writing: at least once. Only new rows can be written.""",
    "mqtt": """\
Reads topics of [MQTT](mqtt.md) 5, and writes to topics. Each message is a new row. Needs `pip install '.[mqtt]'`.

- Formats: `avro`, `avro-confluent`, `csv`, `json`, `raw`.
- Reading: without an end, and at least once. With `scan.id-property` exactly once: each message needs a user property
  with an id that no other one has. A table that is written can give it by the metadata `user-properties`. One task
  reads, unless the filters begin with `$share/group/`.
- Writing: at least once, with a `sink.qos` of 1 or 2. Only new rows can be written.
- Messages of MQTT have no timestamp: have their senders write one into the payload or a user property. Of user
  properties with the same name, the last one is read.""",
    "http": """\
Asks a URL for rows, sends rows to it, and looks rows up; see [HTTP](http.md). Each record is a new row.

- Formats: `json`, `raw`; of events and of requests also `avro`, `avro-confluent`, `csv`.
- Reading: exactly once, by a cursor or by the ids of events. Without an end, unless `'scan.bounded' = 'true'`.
- Writing: exactly once, if the receiver heeds the header `Idempotency-Key`. Only new rows can be written.
- A [lookup](sql.md#temporal-joins-and-lookup-joins) is a `GET`. Columns of the join that are in the URL, as in
  `'https://host/orders/{id}'`, take their value there. The others are parameters of the query. The answer has the rows
  of the key. A status of 204, 404 or 410 means that there are none. A join compares all columns that are in the URL.
  An empty value, `.` and `..` cannot be in the path of a URL, and have no rows.""",
    "pulsar": """\
Reads topics of [Apache Pulsar](pulsar.md), and writes to topics. Each message is a new row. Needs
`pip install '.[pulsar]'`.

- Formats: `avro`, `avro-confluent`, `csv`, `json`, `raw`.
- Reading: exactly once. Without an end, unless one of `source.stop.*` is set to something else than `never`.
- Writing: at least once by default. Only new rows can be written.
- The metadata `topic` is the partition that a message is from. An `event_time` that its sender did not set is NULL.""",
    "redis": """\
Reads streams of [Redis](redis.md), and writes streams, lists, sets, hashes and strings. Hashes and strings can be
looked up. Needs `pip install '.[redis]'`.

| `data-type` | A row is | Read | Written | Looked up |
| --- | --- | --- | --- | --- |
| `stream` | an entry of the stream `key`, with the content in the field of the option `field` | yes | new rows | no |
| `list` | a value at the end of the list `key` | no | new rows | no |
| `set` | a member of the set `key` | no | all changes | no |
| `hash` | a field of the hash `key`, named by the PRIMARY KEY | no | all changes | by the PRIMARY KEY |
| `string` | a key, named by `key-prefix` and the PRIMARY KEY | no | all changes | by the PRIMARY KEY |

- Formats of contents: `avro`, `avro-confluent`, `csv`, `json`, `raw`. The content holds all columns,
  those of the PRIMARY KEY too.
- A PRIMARY KEY of several columns: rows whose values, with `key-delimiter` between them, make the same text are one
  row, such as `'a_b'`, `'c'` and `'a'`, `'b_c'`. Choose a delimiter that no value has.
- A set holds equal rows once: when the first of them goes, so does the member. Let a query for a set give each row
  once.
- Reading: exactly once, as long as entries stay until they are committed.
- Writing: exactly once by default.
- Looking up: by a [lookup join](sql.md#temporal-joins-and-lookup-joins) that compares all columns of the PRIMARY KEY,
  and no others.""",
    "cassandra": """\
A table of [Cassandra](cassandra.md). Needs `pip install '.[cassandra]'`.

- Reading as a whole: the rows that the table has, once. All tasks read, each ranges of tokens, so rows have no order.
- Looking up: `JOIN t FOR SYSTEM_TIME AS OF` a processing time asks the cluster for the rows of each key. The join must
  compare all columns of Cassandra's partition key, or one with an index. See
  [lookup joins](sql.md#temporal-joins-and-lookup-joins).
- Writing: at least once. With a PRIMARY KEY the row of a key is inserted, updated or deleted, so each row is there
  once, and a query may update its rows. It must have the columns of Cassandra's primary key. Without one rows are
  inserted, and a row still replaces the one of its key, as Cassandra does it. Counters cannot be written.
- Names of columns are those of Cassandra, in small letters unless they were made in quotes.
- `list`, `set` and `vector` are ARRAY, `map` is MAP, tuples and user-defined types are ROW; the fields of a
  user-defined type are written in its order and read by their names. `uuid`, `timeuuid` and `inet` are STRING,
  `varint` is DECIMAL or BIGINT, `timestamp` is TIMESTAMP_LTZ(3), or TIMESTAMP(3) in UTC; a time with more digits is
  refused.""",
    "delta": """\
A table of [Delta Lake](lakehouse.md). Needs `pip install '.[delta]'`.

- Reading: the rows of one version. With `'mode' = 'streaming'` also what later versions add, without an end.
  A condition on a column of whole numbers, texts or dates leaves out files of other partitions and row groups.
- Writing: exactly once. The table is made unless it is there, with the declared columns and `PARTITIONED BY`.
- With a PRIMARY KEY the rows of an epoch are merged by it: a row is inserted, updated or deleted, and a query may
  update its rows. Without one only new rows can be written.
- `INSERT OVERWRITE` replaces all rows at the end of the job. Of a partitioned table it replaces the partitions that
  get rows.""",
    "iceberg": """\
A table of [Apache Iceberg](lakehouse.md#apache-iceberg). Needs `pip install '.[iceberg]'`.

- Reading: the rows of one snapshot. With `'streaming' = 'true'` what snapshots add, without an end: by default from the
  latest one on, as in Flink. A condition on a column of whole numbers, texts or dates leaves out files and row groups.
- Writing: exactly once. The table is made unless it is there, with the declared columns and `PARTITIONED BY`.
- With a PRIMARY KEY a query may update its rows: the rows of an epoch are merged by it in one snapshot. With
  `'write.upsert.enabled' = 'true'` the rows of any query are; one whose rows are not unique by the key needs
  [ON CONFLICT](sql.md#write-tables) in streaming mode. Otherwise rows are added.
- There is no `INSERT OVERWRITE`.""",
    "jdbc": """\
A table of a database: PostgreSQL, MySQL, MariaDB or SQLite. Needs `pip install '.[jdbc]'`, but for SQLite; see
[databases](jdbc.md) for URLs.

- Looking up: `JOIN t FOR SYSTEM_TIME AS OF` a processing time asks the database for the rows of each key. See
  [lookup joins](sql.md#temporal-joins-and-lookup-joins). Up to four queries of a task run at a time.
- Reading as a whole: the rows that the table has when the job starts, by one task, in order of the PRIMARY KEY or of
  all columns. With `scan.partition.*` ranges of a column are read in parallel, and only rows within the bounds.
- The database tests conditions that compare a column with constants: of whole numbers, dates and timestamps, and `=`
  and `IN` of texts. SQLite tests those on texts and NULL alone, as its columns hold values of any type.
- Columns are numbers, BOOLEAN, texts, bytes, DATE, TIME, TIMESTAMP. SQLite keeps dates, times and decimals as texts.
  A lookup finds a TIMESTAMP in SQLite only in the form in which it is written here: six digits of a second or none, as
  in `2026-01-02 03:04:05.678000` and `2026-01-02 03:04:05`.
- Writing: at least once. With a PRIMARY KEY the row of a key is inserted, updated or deleted, so each row is there
  once, and a query may update its rows; the table in the database needs the same key. Without one each row is inserted.
  [`JdbcSink`](jdbc.md) on a stream writes exactly once too.""",
    "postgres-cdc": """\
Reads a table of PostgreSQL, and then its changes, [from the server's log](jdbc.md#read-a-table-and-its-changes): the
rows of the table are those of PostgreSQL's, each change exactly once. It cannot be written. Needs
`pip install '.[jdbc]'`.

- Names of options are those of Flink CDC.
- Queries see `+I`, `-U`, `+U` and `-D`. For that the server must log whole rows: `ALTER TABLE t REPLICA IDENTITY FULL`.
  Otherwise set `'changelog-mode' = 'upsert'`. With `scan.read-changelog-as-append-only.enabled` all are `+I`, and the
  metadata `row_kind` says what they were.
- Prepare the server, and drop the slot when the job is gone for good, as the page says.""",
    "mysql-cdc": """\
Reads tables of MySQL or MariaDB, and then their changes, [from the server's binary
log](jdbc.md#read-tables-of-mysql-and-their-changes): the rows of the table are those of MySQL's, each change exactly
once. It cannot be written. Needs `pip install '.[jdbc]'`.

- Names of options are those of Flink CDC. Prepare the server as the page says: `binlog_row_metadata = FULL`.
- Queries see `+I`, `-U`, `+U` and `-D`. With `scan.read-changelog-as-append-only.enabled` all are `+I`, and the
  metadata `row_kind` says what they were.
- Columns are found by their names. Where a row has no such column, yet or any more, it is NULL.""",
    "elasticsearch-7": """\
Writes documents to indexes of [Elasticsearch](elasticsearch.md) 8 or 9; `elasticsearch-8` is the same. It cannot be
read. Needs `pip install '.[elasticsearch]'`.

- With a PRIMARY KEY its values are the id of a document: a row changes the fields of the document that is there, or
  deletes it, and a query may update its rows. Without one each row is a new document.
- `index` may have values of the row: `'users-{day}'`, `'users-{at|yyyy-MM-dd}'`. `'users-{now()|yyyy-MM-dd}'` has the
  day of writing, and takes new rows alone. Times are in UTC. A row that deletes a document must name the index that it
  is in.
- Writing: at least once, so with a PRIMARY KEY each document is there once.""",
    "elasticsearch-8": "The same as [elasticsearch-7](#elasticsearch-7), with its options.",
    "opensearch": """\
Writes documents to indexes of OpenSearch, as [elasticsearch-7](#elasticsearch-7) does: keys, index names and guarantees
are the same. It cannot be read. Needs `pip install '.[elasticsearch]'`, whose transport is used.""",
    "opensearch-2": "The same as [opensearch](#opensearch), with its options.",
    "state": """\
The [state of an operator](operations.md#query-state-in-sql) in a checkpoint directory or a savepoint, as rows. The
table has the rows of the last commit before the query began, and ends. It can only be read. A catalog of the type
`state` declares the tables by itself.

- Columns: `key STRING`, `state STRING`, `form STRING`, `value STRING`, `entries BIGINT`, `key_group INT` and
  `touched TIMESTAMP_LTZ(3)`. Declare those that you need.
- Conditions on `key` and `state` are checked while the state is read.""",
    "datagen": """\
Gives random rows, or sequences. The table ends after `number-of-rows`, or with its shortest sequence. Otherwise it
has no end.

- DATE and TIME are the present ones. A TIMESTAMP lies up to `max-past` before the present.
- The elements of a column of collections are `fields.<column>.element`, `.key` and `.value`; the fields of a ROW have
  their names.""",
    "print": """\
Prints each row on the standard output of the driver, such as `+I[1, ann]`. It takes rows of all kinds. With several
tasks a line begins with the task: `2> +I[1, ann]`.""",
    "blackhole": "Takes rows of all kinds and drops them.",
}

#: Format -> what the page says of it.
FORMATS = {
    "csv": "A row is a line; its fields are the columns, in order. An empty field is NULL, but an empty "
    "text in a column of text.",
    "json": "A row is a JSON object; its fields have the names of the columns.",
    "raw": "The table has one column, whose bytes are the whole message or line.",
    "debezium-json": "Changes as Debezium writes them: the row before, the row after, and the kind.",
    "debezium-avro-confluent": "The same as Avro records, with the number of their schema in a schema registry. "
    "It is for `kafka`.",
    "canal-json": "Changes as Canal writes them. A message has rows of one kind. An update has the columns that were "
    "different before. Messages with the type CREATE are skipped.",
    "maxwell-json": "Changes as Maxwell writes them. An update has the columns that were different before.",
    "ogg-json": "Changes as Oracle GoldenGate writes them: the row before, the row after, and the kind.",
    "avro": "Messages of Kafka without a schema. The schema is that of the columns, as in Flink.",
    "avro-confluent": "Messages of Kafka with the number of their schema in a schema registry.",
    "protobuf": "A row is a Protobuf message; its fields have the names of the columns. It is for `kafka` and other "
    "systems of messages.\n\n"
    "- int32 and uint32 are INT, int64 and uint64 BIGINT, with the same bits. An enum is STRING or INT, a repeated "
    "field ARRAY, a map MAP.\n- A message is ROW, so google.protobuf.Timestamp is `ROW<seconds BIGINT, nanos INT>`.\n"
    "- An absent field is NULL, and so is an empty list or map. In proto3 a single value that is no message is never "
    "absent: it has its zero value.\n"
    "- A NULL is not written; within an ARRAY or MAP it is written as the zero value. Of a oneof the last column "
    "that is not NULL is written.",
}

_HEAD = """\
# Connectors and formats of tables

A table names its connector and its options in the WITH clause:

```sql title="words.sql"
SET 'table.dml-sync' = 'true';

CREATE TABLE words (word STRING, n INT) WITH (
  'connector' = 'filesystem',
  'path' = 'words',
  'format' = 'csv',
  'csv.field-delimiter' = ';'
);

INSERT INTO words VALUES ('to', 2), ('be', 2);

SET 'execution.runtime-mode' = 'batch';

SELECT * FROM words ORDER BY word;
```

```sh
datastream run --executor local words.sql
```

```text
+--------------------------------+-------------+
|                           word |           n |
+--------------------------------+-------------+
|                             be |           2 |
|                             to |           2 |
+--------------------------------+-------------+
2 rows in set
```

- An unknown option is an error, and so is a value that the option does not take.
- The options of a format begin with its name: `csv.field-delimiter`. Of keys and values in Kafka they begin with `key.`
  and `value.`: `key.csv.field-delimiter`.
- A duration is a text such as `'200 ms'` or `'3 min'`, an amount of bytes one such as `'128 mb'`. A list has
  semicolons: `'a;b'`.
- One query may change options: `SELECT * FROM words /*+ OPTIONS('csv.null-literal' = '-') */`.
- A column takes metadata by `METADATA`: `name STRING METADATA FROM 'file.name' VIRTUAL`. Columns that cannot be
  written are VIRTUAL.
- You can [write a connector](write-table-connector.md) of your own.
"""


_CHANGES = """
## Formats of changes

Tools of change data capture write what happens to the tables of a database as messages. A table with such a format has
the rows of the database's table: each message inserts, updates or deletes some of them.

This file has the changes of a table `people`, as Debezium writes them:

```jsonl title="people/changes.json"
{"before": null, "after": {"id": 1, "name": "ann"}, "op": "c"}
{"before": null, "after": {"id": 2, "name": "bob"}, "op": "c"}
{"before": {"id": 1, "name": "ann"}, "after": {"id": 1, "name": "eve"}, "op": "u"}
{"before": {"id": 2, "name": "bob"}, "after": null, "op": "d"}
```

```sql title="people.sql"
CREATE TABLE people (id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = 'people', 'format' = 'debezium-json');

SELECT * FROM people;
```

```sh
datastream run --executor local people.sql
```

```text
+----+-------------+--------------------------------+
| op |          id |                           name |
+----+-------------+--------------------------------+
| +I |           1 |                            ann |
| +I |           2 |                            bob |
| -U |           1 |                            ann |
| +U |           1 |                            eve |
| -D |           2 |                            bob |
+----+-------------+--------------------------------+
5 rows in set
```

- Queries see `+I`, `-U`, `+U` and `-D`. Batch mode refuses such tables, as Flink does.
- What is written: `+I` and `+U` as a row that is inserted, `-U` and `-D` as one that is deleted.
- The changes of a row must come in order: in one partition of a topic, or in one file.
- Tools may write a change again after a failure. Declare a PRIMARY KEY and
  `SET 'table.exec.source.cdc-events-duplicate' = 'true'`: the last row of each key is kept as state, and changes that
  change nothing are dropped.
- A message that holds no change of a row, such as `TRUNCATE` of Canal or `table-create` of Maxwell, fails the job. With
  `ignore-parse-errors` it is dropped and counted (see [metrics](metrics.md)), and the command prints how many were
  dropped when the job ends. A wrong value is NULL then, also that of a key.
- The tables have no METADATA of these formats in `filesystem`, as in Flink."""


def _default(option: Option) -> str:
    value: Any = option.default
    if option.required:
        return "required"
    if value is None or value == () or value == "":
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if option.kind == "duration":
        return f"`{value // 60_000} min`" if value and value % 60_000 == 0 else f"`{value} ms`"
    if option.kind == "memory":
        return f"`{value >> 20} mb`"
    return f"`{_cell(str(value))}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _kind(option: Option) -> str:
    return ", ".join(f"`{choice}`" for choice in option.choices) if option.choices else option.kind


def _table(options: Iterable[Option], prefix: str = "") -> Iterator[str]:
    yield "| Option | Value | Default | Meaning |"
    yield "| --- | --- | --- | --- |"
    for option in options:
        yield f"| `{prefix}{option.name}` | {_kind(option)} | {_default(option)} | {_cell(option.doc)} |"


def _generated() -> list[Option]:
    """The options of a column of ``datagen``, whatever its type."""
    kinds = (DataTypes.INT(), DataTypes.STRING(), DataTypes.TIMESTAMP(3))
    found = {option.name: option for kind in kinds for option in field_options("fields.<column>", kind)}
    return list(found.values())


def _connector(name: str) -> Iterator[str]:
    found = find_connector(name)
    assert isinstance(found, TableConnector)
    yield f"\n## {name}\n"
    yield CONNECTORS[name]
    if type(found).__base__ is not TableConnector and "options" not in type(found).__dict__:
        return  # they are those of another one
    options = [*found.options, *(_generated() if name == "datagen" else ())]
    if options:
        yield ""
        yield from _table(options)
    if found.metadata:
        yield "\n| Metadata | Type | Written |"
        yield "| --- | --- | --- |"
        for key, kind in found.metadata.items():
            yield f"| `{key}` | {summary(kind)} | {'yes' if key in found.writable_metadata else 'no'} |"


def _formats() -> Iterator[str]:
    forms = [(find_format(name, "the page"), text) for name, text in FORMATS.items()]
    for form, text in forms:
        if not isinstance(form, ChangeFormat):
            yield from _format(form, text)
    yield _CHANGES
    for form, text in forms:
        if isinstance(form, ChangeFormat):
            yield from _format(form, text)
            if form.metadata:
                yield from _format_metadata(form)


def _format_metadata(form: ChangeFormat) -> Iterator[str]:
    yield "\n| Metadata in Kafka | Type |"
    yield "| --- | --- |"
    for key, kind in form.metadata.items():
        yield f"| `value.{key}` | {summary(kind)} |"


def _whole_files() -> Iterator[str]:
    yield "\n## Formats of whole files\n"
    yield "`parquet`, `orc` and `avro` are formats of the connector `filesystem`. See [formats](formats.md).\n"
    yield from _table(
        Option(f"{name}.{option.name}", option.kind, option.default, option.required, option.doc, option.choices)
        for name, options in BULK_OPTIONS.items()
        for option in options
    )


def _format(form: TableFormat, text: str) -> Iterator[str]:
    yield f"\n## Format {form.name}\n"
    yield f"{text}\n"
    yield from _table(form.options, f"{form.name}.")


def page() -> str:
    """Give the text of the page, in Markdown."""
    lines = [_HEAD.rstrip("\n"), "\n## All connectors\n", *_table(COMMON)]
    for name in CONNECTORS:
        lines += _connector(name)
    return "\n".join([*lines, *_formats(), *_whole_files()]) + "\n"


if __name__ == "__main__":
    print(page(), end="")

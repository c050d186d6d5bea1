"""The reference page of connectors and formats: ``python -m datastream.table.connectors.docs`` prints it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from datastream.table.types.data_types import DataTypes
from datastream.table.types.type_text import summary

from .connector import COMMON, TableConnector
from .formats.bulk import BULK_OPTIONS
from .formats.format import TableFormat
from .formats.registry import find_format
from .generators import field_options
from .options import Option
from .registry import find_connector

#: Connector -> what the page says of it, in the page's order.
CONNECTORS = {
    "filesystem": """\
Reads and writes the files of a folder, on the [file systems](files.md) of `FileSource` and `FileSink`.

- Formats: `csv`, `json`, `raw`, `parquet`, `orc`, `avro`.
- Reading: the table has the files that are there when the job starts, and ends. With `source.monitor-interval`
  it has no end.
- Writing: exactly once. A part file is visible when it is finished and its epoch is committed. Files of `parquet`,
  `orc` and `avro` are finished with each epoch.
- `PARTITIONED BY (a, b)`: rows lie in folders `a=1/b=x`, and the columns are not in the files.
- `INSERT OVERWRITE` replaces files at the end of the job; see [SQL](sql.md#write-tables).
- Only new rows can be written.""",
    "kafka": """\
Reads and writes topics. Each record is a new row. Needs `pip install '.[kafka]'`; see [Kafka](kafka.md).

- Formats, for keys and values: `avro`, `avro-confluent`, `csv`, `json`, `raw`.
- A record without a value is not a row.
- Only new rows can be written, and the table cannot have a PRIMARY KEY: that is `upsert-kafka`.""",
    "upsert-kafka": """\
A topic with the last row of each key. The key is the table's PRIMARY KEY. A deleted row is a record without a value.
`key.format` and `value.format` are required. Needs `pip install '.[kafka]'`.

An INSERT whose rows are not unique by that key states what counts: [ON CONFLICT](sql.md#write-tables).

A topic is read from the earliest offset, and its rows are changes: a record replaces the row of its key. For that the
last row of each key is kept, as state; `table.exec.state.ttl` bounds it. In a join [as of the time of its
versions](sql.md#tables-as-of-a-time) nothing is kept for that, and a deleted row needs its time: take it from the
metadata `timestamp`.""",
    "delta": """\
A table of [Delta Lake](lakehouse.md). Needs `pip install '.[delta]'`.

- Reading: the rows of one version. With `'mode' = 'streaming'` also what later versions add, without an end.
- Writing: exactly once. The table is made unless it is there, with the declared columns and `PARTITIONED BY`.
- With a PRIMARY KEY the rows of an epoch are merged by it: a row is inserted, updated or deleted, and a query may
  update its rows. Without one only new rows can be written.
- `INSERT OVERWRITE` replaces all rows at the end of the job. Of a partitioned table it replaces the partitions that
  get rows.""",
    "jdbc": """\
A table of a database: PostgreSQL, MySQL, MariaDB or SQLite. Needs `pip install '.[jdbc]'`, but for SQLite; see
[databases](jdbc.md) for URLs.

- Looking up: `JOIN t FOR SYSTEM_TIME AS OF` a processing time asks the database for the rows of each key. See
  [tables as of a time](sql.md#tables-as-of-a-time). Up to four queries of a task run at a time.
- Reading as a whole: the rows that the table has when the job starts, in order of the PRIMARY KEY or of all columns.
- Columns are numbers, BOOLEAN, texts, bytes, DATE, TIME, TIMESTAMP. SQLite keeps dates, times and decimals as texts.
- Writing: at least once. With a PRIMARY KEY the row of a key is inserted, updated or deleted, so each row is there
  once, and a query may update its rows; the table in the database needs the same key. Without one each row is inserted.
  [`JdbcSink`](jdbc.md) on a stream writes exactly once too.""",
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
    "avro": "Messages of Kafka without a schema. The schema is that of the columns, as in Flink.",
    "avro-confluent": "Messages of Kafka with the number of their schema in a schema registry.",
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
- A package brings a connector by an entry point of the group `datastream.table_connectors`.
"""


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
    for name, text in FORMATS.items():
        form: TableFormat = find_format(name, "the page")
        yield f"\n## Format {name}\n"
        yield f"{text}\n"
        yield from _table(form.options, f"{name}.")
    yield "\n## Formats of whole files\n"
    yield "`parquet`, `orc` and `avro` are formats of the connector `filesystem`. See [formats](formats.md).\n"
    yield from _table(
        Option(f"{name}.{option.name}", option.kind, option.default, option.required, option.doc, option.choices)
        for name, options in BULK_OPTIONS.items()
        for option in options
    )


def page() -> str:
    """Give the text of the page, in Markdown."""
    lines = [_HEAD.rstrip("\n"), "\n## All connectors\n", *_table(COMMON)]
    for name in CONNECTORS:
        lines += _connector(name)
    return "\n".join([*lines, *_formats()]) + "\n"


if __name__ == "__main__":
    print(page(), end="")

"""The connector ``legacy-csv``: a file of CSV as the Table API wrote and read it before version 1.14.

It is what ``connect(FileSystem())`` and `CsvTableSource` of older programs mean. New tables: ``filesystem``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from datastream.connectors.files import FileFormat, FilePart, FileSource
from datastream.connectors.files.appended import AppendedFileSink
from datastream.connectors.files.formats import BLOCK
from datastream.connectors.files.part_reading import open_part
from datastream.connectors.files.parts import CHUNK
from datastream.connectors.print_sink import PrintSink
from datastream.errors import FormatError, ValidationError
from datastream.formats import Encoder, SerializationSchema
from datastream.formats.dead_letters import DeadLetter
from datastream.functions import OutputTag
from datastream.table.plan.relations import Column
from datastream.table.types.logical_types import VarCharType
from datastream.types import Types

from .connector import Option, Settings, TableConnector, TableInfo, only_sink
from .formats.csv_format import CsvFormat
from .formats.csv_reading import CsvDecoder
from .formats.format import DROPPED, Layout
from .picked_columns import Pick, picker
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink


class LegacyCsvConnector(TableConnector):
    """See the module. Rows are written into one file, which must not be there unless it is to be overwritten."""

    name = "legacy-csv"
    options = (
        Option("path", required=True, doc="The file; to read also a folder."),
        Option("columns", doc="JSON: for each field of a line its column, or null. Default: the columns in order."),
        Option("field-delimiter", default=",", doc="Between two fields."),
        Option("line-delimiter", default="\n", doc="Between two rows."),
        Option("quote-character", default='"', doc="Around fields that hold delimiters; empty: none."),
        Option("escape-character", doc="Before a character that is meant as itself."),
        Option("array-element-delimiter", default=";", doc="Between elements of arrays."),
        Option("null-literal", doc="The text of NULL."),
        Option("allow-comments", "boolean", False, doc="Whether rows that begin with # are skipped."),
        Option("ignore-first-line", "boolean", False, doc="Whether the first row of a file is skipped."),
        Option("ignore-parse-errors", "boolean", False, doc="Whether rows that cannot be read are dropped."),
        Option("overwrite", "boolean", False, doc="Whether a file that is there is replaced."),
    )

    def check(self, table: TableInfo) -> None:
        self._layout(table, self.settings(table))

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        settings = self.settings(table)
        decoder = CsvFormat().decoder(self._layout(table, settings), wanted, _csv(settings))
        assert isinstance(decoder, CsvDecoder)
        form = DelimitedRows(decoder, settings["line-delimiter"], settings["ignore-first-line"])
        source = FileSource.for_record_stream_format(form, settings["path"]).build()
        return scanned(env, source, self, table, wanted, None)

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        settings = self.settings(table)
        layout = self._layout(table, settings)
        names = [column.name for column in table.columns]
        if len(layout.columns) != len(names) or any(each not in names for each in layout.names):
            raise ValidationError(f"{table}: a file is written with the columns of the table and no other fields")
        pick = picker([names.index(each) for each in layout.names], len(names))
        encoder = DelimitedEncoder(CsvFormat().encoder(layout, _csv(settings)), pick, settings["line-delimiter"])
        return stream.sink_to(AppendedFileSink(settings["path"], encoder, settings["overwrite"])).name(name)

    def _layout(self, table: TableInfo, settings: Settings) -> Layout:
        columns = table.columns
        if settings["columns"] is not None:
            names: list[str | None] = json.loads(settings["columns"])
            columns = tuple(
                Column(f"field {i + 1}", VarCharType(2**31 - 1)) if name is None else Column(name, table.type_of(name))
                for i, name in enumerate(names)
            )
        return Layout(columns, str(table))


class LegacyPrintConnector(TableConnector):
    """The connector ``legacy-print``: prints rows as lines of CSV."""

    name = "legacy-print"

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        raise only_sink(self.name)

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        options = {option.name: option.default for option in CsvFormat.options} | {"disable-quote-character": True}
        encoder = CsvFormat().encoder(Layout(table.columns, str(table)), options)
        lines = stream.map(lambda row: (encoder.serialize(row) or b"").decode(), Types.STRING()).name(f"{name}: text")
        return lines.sink_to(PrintSink(with_subtask=False)).name(name)


class DelimitedRows(FileFormat):
    """Rows with any text between them.

    Args:
        decoder: Reads a row.
        delimiter: The text.
        skips_first: Whether the first row is left out.
    """

    def __init__(self, decoder: CsvDecoder, delimiter: str, skips_first: bool) -> None:
        self._decoder, self._delimiter, self._skips_first = decoder, delimiter.encode(), skips_first

    @property
    def side_tags(self) -> tuple[OutputTag, ...]:
        return (DROPPED,) if self._decoder.drops_errors else ()

    def read(self, part: FilePart) -> Iterator[list[Any]]:
        rows = self._rows(part)
        while block := list(islice(rows, BLOCK)):
            yield block

    def _rows(self, part: FilePart) -> Iterator[Any]:
        offset, first = 0, True
        for data in self._pieces(part):
            start, offset = offset, offset + len(data) + len(self._delimiter)
            skipped, first = first and self._skips_first, False
            if self._delimiter == b"\n":
                data = data.removesuffix(b"\r")
            if skipped or not data:
                continue
            try:
                row = self._decoder.deserialize(data)
            except FormatError as error:
                if not self._decoder.drops_errors:
                    raise FormatError(f"{part.path}, row at byte {start}: {error}") from None
                yield DROPPED, DeadLetter(data, str(error), part.path, None, start)
                continue
            if row is not None:
                yield row

    def _pieces(self, part: FilePart) -> Iterator[bytes]:
        rest = b""
        with open_part(part) as file:
            while data := file.read(CHUNK):
                *pieces, rest = (rest + data).split(self._delimiter)
                yield from pieces
        if rest:
            yield rest


class DelimitedEncoder(Encoder):
    """Writes rows with a text after each.

    Args:
        encoder: Writes the fields of a row.
        pick: Gives them of a row of the table.
        delimiter: The text.
    """

    def __init__(self, encoder: SerializationSchema, pick: Pick, delimiter: str) -> None:
        self._encoder, self._pick, self._delimiter = encoder, pick, delimiter.encode()

    def encode(self, value: Any) -> bytes:
        return (self._encoder.serialize(self._pick(value)) or b"") + self._delimiter


def _csv(settings: Settings) -> dict[str, Any]:
    """The settings as those of the format ``csv``."""
    found = {option.name: option.default for option in CsvFormat.options}
    found.update({key: settings[key] for key in found if key in {option.name for option in LegacyCsvConnector.options}})
    quote = settings["quote-character"]
    return {**found, "quote-character": quote or '"', "disable-quote-character": not quote}

"""What a file holds: how its bytes become records."""

from __future__ import annotations

import codecs
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from datastream.errors import FormatError, JobError, ValidationError, cut
from datastream.functions import OutputTag
from datastream.types import TypeInformation, Types

from .part_reading import line_chunks
from .parts import FilePart

if TYPE_CHECKING:
    from datastream.formats import DeserializationSchema

BLOCK = 4096
"""Records a block at most."""


class FileFormat(ABC):
    """Reads the records of a file. Subclass it for a format of your own; it is pickled to the workers.

    Attributes:
        splittable: Whether parts of an uncompressed file can be read by themselves. If not, the only part
            is the whole file.
    """

    splittable: bool = False

    @property
    def produced_type(self) -> TypeInformation | None:
        """The type of the records; None where it is not known. Default: None."""
        return None

    @property
    def exact(self) -> bool:
        """Whether all records are sure to fit `produced_type`, so that nothing tests them. Default: yes."""
        return True

    @property
    def side_tags(self) -> tuple[OutputTag, ...]:
        """The side outputs that `read` returns pairs (tag, value) for. Default: none."""
        return ()

    @abstractmethod
    def read(self, part: FilePart) -> Iterator[list[Any]]:
        """The records that start in the part, in order, in blocks of some thousand."""


class BulkFormat(FileFormat):
    """A format that is read a file at a time, such as Parquet or Avro."""


class StreamFormat(FileFormat):
    """A format that is read front to back; PyFlink's factories and three more."""

    @staticmethod
    def text_line_format(charset_name: str = "UTF-8") -> StreamFormat:
        """Lines as str, without their ends. A line ends with LF or CR LF.

        Args:
            charset_name: The charset, by its Java or Python name. Default: UTF-8.

        Raises:
            ValidationError: if there is no such charset, or a line end is not one byte in it (UTF-16).
        """
        return TextLineFormat(charset_name)

    @staticmethod
    def json_lines() -> StreamFormat:
        """One JSON value a line; blank lines are skipped. UTF-8."""
        return JsonLinesFormat()

    @staticmethod
    def lines(schema: DeserializationSchema) -> StreamFormat:
        """Lines that a schema reads, each without its end (LF or CR LF); empty lines are skipped.

        With ``schema.with_dead_letters(tag)`` lines that cannot be read go aside; their offset is that of the
        line's first byte (in a compressed file, of the uncompressed data).

        Args:
            schema: Reads the bytes of one line, such as a `JsonRowDeserializationSchema`.

        Raises (while it reads):
            FormatError: a line cannot be read; the message names the file and the line's offset.
        """
        from .schema_lines import SchemaLinesFormat

        return SchemaLinesFormat(schema)

    @staticmethod
    def csv(
        fields: Sequence[str] | None = None,
        *,
        header: bool = True,
        delimiter: str = ",",
        quote: str = '"',
        types: dict[str, Callable[[str], Any]] | None = None,
        record: Callable[..., Any] = dict,
        multiline: bool = False,
        charset_name: str = "UTF-8",
    ) -> StreamFormat:
        """Comma-separated values.

        Args:
            fields: The columns' names. Default: those of each file's header.
            header: Whether a file's first line names its columns. Default: yes.
            delimiter: Between two fields; one character.
            quote: Around fields that hold the delimiter; one character.
            types: By column, what makes a value from its text, such as ``int``. An empty field becomes None.
                Other columns are str.
            record: ``dict`` (default), ``tuple``, or a callable that takes the fields in order, such as
                ``Row`` or a named tuple.
            multiline: Whether quoted fields may hold line ends. A file is then one split.
            charset_name: The charset. Default: UTF-8.

        Raises:
            ValidationError: if neither `fields` nor a header names the columns, or `types` names others.
        """
        from .csv_format import CsvFormat

        return CsvFormat(fields, header, delimiter, quote, types, record, multiline, charset_name)


def checked_charset(name: str) -> str:
    """Python's name of a charset in which LF is one byte.

    Raises:
        ValidationError: if there is no such charset or LF has another form in it.
    """
    try:
        charset = codecs.lookup(name).name
        fits = "\n".encode(charset) == b"\n"
    except LookupError:
        raise ValidationError(f"unknown charset {name!r}: use a name such as UTF-8 or ISO-8859-1") from None
    if not fits:
        raise ValidationError(f"charset {name!r} is not supported: a line end must be the single byte LF")
    return charset


def lines_of(data: bytes, charset: str, path: str) -> list[str]:
    """The lines of whole-line bytes, without their ends.

    Raises:
        JobError: if the bytes are not in the charset.
    """
    try:
        text = data.decode(charset)
    except UnicodeDecodeError as error:
        raise JobError(
            f"the file {path} is not {charset}: {error.reason} at {cut(data[error.start :][:20])}"
        ) from error
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def in_blocks(records: list[Any]) -> Iterator[list[Any]]:
    """A list as blocks of at most `BLOCK` records."""
    if len(records) <= BLOCK:
        if records:
            yield records
        return
    for low in range(0, len(records), BLOCK):
        yield records[low : low + BLOCK]


class TextLineFormat(StreamFormat):
    """See `StreamFormat.text_line_format`."""

    splittable = True

    def __init__(self, charset_name: str) -> None:
        self._charset = checked_charset(charset_name)

    @property
    def produced_type(self) -> TypeInformation:
        return Types.STRING()

    def read(self, part: FilePart) -> Iterator[list[str]]:
        for data in line_chunks(part):
            yield from in_blocks(lines_of(data, self._charset, part.path))


class JsonLinesFormat(StreamFormat):
    """See `StreamFormat.json_lines`."""

    splittable = True

    def read(self, part: FilePart) -> Iterator[list[Any]]:
        from datastream.formats.json.plain_values import decode_all

        for data in line_chunks(part):
            lines = [line for line in data.split(b"\n") if line and not line.isspace()]
            try:
                records = decode_all(lines)  # 2 M records/s
            except Exception:  # found again, with the line
                records = [self._one(line, part.path) for line in lines]
            yield from in_blocks(records)

    @staticmethod
    def _one(line: bytes, path: str) -> Any:
        from datastream.formats.json.plain_values import decode

        try:
            return decode(line)
        except FormatError as error:
            reason = str(error).partition("; the message is")[0]
            raise JobError(f"a line of {path} is {reason}; the line is {cut(line)}") from error

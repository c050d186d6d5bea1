"""Files of a table: their rows, with what their paths and their metadata give."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any
from urllib.parse import unquote

from datastream.connectors.files import FileFormat, FilePart
from datastream.connectors.files.formats import in_blocks
from datastream.connectors.files.part_reading import line_chunks
from datastream.connectors.files.remote.location import is_remote
from datastream.connectors.files.schema_lines import SchemaLinesFormat, first_line
from datastream.errors import FormatError, ValidationError
from datastream.formats.csv.options import CsvOptions
from datastream.formats.csv.splitting import Splitter
from datastream.formats.dead_letters import DeadLetter
from datastream.functions import OutputTag
from datastream.io import Predicate
from datastream.table.types.logical_types import DataType

from .formats.csv_reading import CsvDecoder, reader_of
from .formats.format import DROPPED

_MARK = "\ufeff"


class CsvFiles(FileFormat):
    """Files of CSV; quoted fields may hold line ends. Blank lines are skipped.

    Args:
        decoder: Makes rows of fields.
        dialect: How the lines are written.
    """

    def __init__(self, decoder: CsvDecoder, dialect: CsvOptions) -> None:
        self._decoder, self._dialect = decoder, dialect
        self.splittable = not (dialect.quote or dialect.escape or dialect.comments)

    @property
    def side_tags(self) -> tuple[OutputTag, ...]:
        return (DROPPED,) if self._decoder.drops_errors else ()

    def read(self, part: FilePart) -> Iterator[list[Any]]:
        splitter = Splitter(self._dialect, self._dialect.null)
        texts = (data.decode(errors="surrogateescape") for data in line_chunks(part))
        first, offset = next(texts, ""), first_line(part)
        if part.start == 0 and first.startswith(_MARK):
            first, offset = first.removeprefix(_MARK), len(_MARK.encode())
        for text, rows in splitter.stream(chain((first,), texts)):
            found = None if rows is None else self._decoder.fast(text, rows)
            yield from in_blocks(list(self._one_by_one(splitter, text, part, offset)) if found is None else found)
            offset += len(_bytes(text))

    def _one_by_one(self, splitter: Splitter, text: str, part: FilePart, offset: int) -> Iterator[Any]:
        """The rows of a text; an error names the file and the byte."""
        before = 0
        for start, end, fields in splitter.located(text):
            offset += len(_bytes(text[before:start]))
            before = start
            data = _bytes(text[start:end]).rstrip(b"\r\n")
            try:
                if isinstance(fields, FormatError):
                    raise fields
                if fields:
                    yield self._decoder.fields(fields, data)
            except FormatError as error:
                if not self._decoder.drops_errors:
                    raise FormatError(f"{part.path}, record at byte {offset}: {error}") from None
                yield DROPPED, DeadLetter(data, str(error), part.path, None, offset)


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


class ChangeLines(SchemaLinesFormat):
    """Files whose lines are changes. One task reads a file, so that the changes of a row stay in order."""

    splittable = False


class PlacedFiles(FileFormat):
    """Rows of files together with the values of their folders and their metadata.

    Args:
        inner: Reads the rows of a file.
        columns: For each column of the rows that are given: index of the inner row's value; or the name of a partition
            column or key of metadata.
        partitions: Partition columns -> types.
        default_name: Stands for NULL in the name of a folder.
        predicates: On partition columns; files for which one is not true are not opened.
        pattern: Of whole paths; other files are not opened. None: all are.
    """

    def __init__(
        self,
        inner: FileFormat,
        columns: Sequence[int | str],
        partitions: Mapping[str, DataType],
        default_name: str,
        predicates: Sequence[Predicate] = (),
        pattern: re.Pattern[str] | None = None,
    ) -> None:
        self._inner, self._columns = inner, tuple(columns)
        self._partitions, self._default = dict(partitions), default_name
        self._predicates = tuple(predicates)
        self._pattern = pattern
        self.splittable = inner.splittable

    @property
    def side_tags(self) -> tuple[OutputTag, ...]:
        return self._inner.side_tags

    def read(self, part: FilePart) -> Iterator[list[Any]]:
        if self._pattern is not None and self._pattern.fullmatch(_path_of(part)) is None:
            return
        known = self._known(part)
        if not all(each.passes(known[each.column]) for each in self._predicates):
            return
        place = self._placing([known[name] if isinstance(name, str) else None for name in self._columns])
        drops = bool(self.side_tags)
        for block in self._inner.read(part):
            yield [row if drops and _is_dropped(row) else place(row) for row in block]

    def _placing(self, constants: list[Any]) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
        columns = list(zip(self._columns, constants, strict=True))
        return lambda row: tuple([row[at] if isinstance(at, int) else value for at, value in columns])

    def _known(self, part: FilePart) -> dict[str, Any]:
        wanted = {name for name in self._columns if isinstance(name, str)}
        wanted.update(each.column for each in self._predicates)
        known = {name: value for name, value in self._of_folders(part.path).items() if name in wanted}
        for key in wanted - set(known):
            known[key] = _METADATA[key](part)
        return known

    def _of_folders(self, path: str) -> dict[str, Any]:
        pairs = dict(piece.partition("=")[::2] for piece in path.split("/")[:-1] if "=" in piece)
        values = {}
        for name, kind in self._partitions.items():
            if name not in pairs:
                raise FormatError(f"the file {path} lies in no folder {name}=..., which the table is partitioned by")
            values[name] = self._value(name, kind, unquote(pairs[name]), path)
        return values

    def _value(self, name: str, kind: DataType, text: str, path: str) -> Any:
        if text == self._default:
            return None
        try:
            return reader_of(kind, CsvOptions())(text)
        except (ValueError, ArithmeticError, LookupError):
            raise FormatError(
                f"the file {path}: {text!r} is not a value of the partition column {name} ({kind})"
            ) from None


def _path_of(part: FilePart) -> str:
    """The path of a file, from ``/`` on: without the scheme and the bucket or host of a remote one."""
    return "/" + part.path.partition("://")[2].partition("/")[2] if is_remote(part.path) else part.path


def _is_dropped(row: Any) -> bool:
    return len(row) == 2 and isinstance(row[1], DeadLetter)


def _modified(part: FilePart) -> int:
    if is_remote(part.path):
        raise ValidationError(f"the file {part.path} is remote: its file.modification-time is not known")
    return os.stat(part.path).st_mtime_ns // 1_000_000 * 1000


_METADATA: dict[str, Callable[[FilePart], Any]] = {
    "file.path": lambda part: part.path,
    "file.name": lambda part: part.path.rpartition("/")[2],
    "file.size": lambda part: part.size,
    "file.modification-time": _modified,
}

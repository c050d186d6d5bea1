"""What formats have in common whose messages are JSON objects around the JSON objects of rows.

A message is read in two steps: msgspec reads the object around, and leaves rows as they are; then the rows of a block
are read together, as by the format ``json``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import msgspec

from datastream.errors import FormatError, cut
from datastream.table.connectors.options import Option
from datastream.table.plan.relations import Column

from .changes import BEFORE, ChangeDecoder, ChangeEncoder, ChangeFormat
from .format import Decoder, Layout, unreadable
from .json_forgiven import forgiven
from .json_format import JsonFormat

_SHARED = (
    "ignore-parse-errors",
    "timestamp-format.standard",
    "map-null-key.mode",
    "map-null-key.literal",
    "encode.decimal-as-plain-number",
    "encode.ignore-null-fields",
)
_OWN = {
    "ignore-parse-errors": "A wrong value is NULL; a message that holds no change is dropped.",
}
_NOTHING = (b"", b"null")
_JSON = JsonFormat()
_MOST_MS = (2**63 - 1) // 1000
_keys = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def json_options() -> tuple[Option, ...]:
    """The options that these formats have of ``json``."""
    of_json = {option.name: option for option in JsonFormat.options}
    return tuple(
        Option(name, each.kind, each.default, each.required, _OWN.get(name, each.doc), each.choices)
        for name, each in ((name, of_json[name]) for name in _SHARED)
    )


def micros(ms: int | None) -> int | None:
    """A time in ms as a time in µs.

    Raises:
        ValueError: It is too large.
    """
    if ms is None:
        return None
    if abs(ms) > _MOST_MS:
        raise ValueError(f"{ms} is no time in ms")
    return ms * 1000


@dataclass(frozen=True)
class Change:
    """A change in a message.

    Attributes:
        kind: Of the row.
        row: Its JSON object; b"" or b"null": it is missing.
        replaces: Of a +U whose message has only what was different before: that object. A -U is put in front.
    """

    kind: int
    row: msgspec.Raw
    replaces: msgspec.Raw | None = None


class JsonChanges(ABC):
    """How a tool writes changes.

    Attributes:
        tool: Its name, for people.
        envelope: Reads a message; its fields have rows as `msgspec.Raw`.
        fields: Of a message, what metadata is made of; they are read as columns of the format ``json`` are.
        metadata: Key -> makes its value of the values of `fields`. Raises ValueError: there is none.
    """

    tool: ClassVar[str]
    envelope: ClassVar[type[msgspec.Struct]]
    fields: ClassVar[tuple[Column, ...]] = ()
    metadata: ClassVar[Mapping[str, Callable[[tuple[Any, ...]], Any]]] = {}

    @abstractmethod
    def changes(self, envelope: Any) -> Sequence[Change]:
        """The changes of a message.

        Raises:
            ValueError: There is none.
        """


class JsonChangeFormat(ChangeFormat):
    """A format of this kind."""

    @abstractmethod
    def reading(self, options: Mapping[str, Any], of: str) -> JsonChanges:
        """How messages are read.

        Args:
            options: The format's.
            of: For errors.
        """

    def change_decoder(
        self, layout: Layout, wanted: Sequence[str], options: Mapping[str, Any], metadata: Sequence[str]
    ) -> ChangeDecoder:
        form, of_json = self.reading(options, layout.of), {**options, "fail-on-missing-field": False}
        rows = _JSON.decoder(layout, wanted, of_json)
        around = Layout(form.fields, f"{layout.of}, metadata")
        return _JsonChangeDecoder(layout, rows, form, wanted, metadata, _JSON.decoder(around, around.names, of_json))


class _JsonChangeDecoder(ChangeDecoder):
    """Reads messages.

    Args:
        layout: The columns.
        rows: Reads the objects of rows.
        form: How changes are written.
        wanted: The names of the columns of `rows`.
        metadata: Keys whose values come after them.
        fields: Reads what these are made of.
    """

    def __init__(
        self,
        layout: Layout,
        rows: Decoder,
        form: JsonChanges,
        wanted: Sequence[str],
        metadata: Sequence[str],
        fields: Decoder,
    ) -> None:
        self._of, self._rows, self._form = layout.of, rows, form
        self._wanted, self._metadata, self._fields = tuple(wanted), tuple(metadata), fields
        self.drops_errors = rows.drops_errors

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_envelope"}

    @cached_property
    def _envelope(self) -> Callable[[bytes], Any]:
        return msgspec.json.Decoder(self._form.envelope).decode

    def rows(self, messages: Sequence[bytes]) -> list[Any]:
        envelopes = [self._envelope(data) if data else None for data in messages]
        changes = [() if envelope is None else self._form.changes(envelope) for envelope in envelopes]
        flat = [each for of_message in changes for each in of_message]
        texts = [bytes(each.row) for each in flat] + [bytes(each.replaces) for each in flat if each.replaces]
        if any(text in _NOTHING for text in texts):
            raise ValueError("a row is missing")
        read = self._rows.rows(texts)
        after, old = iter(read), iter(read[len(flat) :])
        around = iter(self._fields.rows([data for data in messages if data]) if self._metadata else ())
        return [
            self._made(of_message, after, old, self._metadata_of(around)) if data else None
            for data, of_message in zip(messages, changes, strict=True)
        ]

    def row(self, data: bytes) -> Any:
        try:
            try:
                envelope = self._envelope(data)
            except (msgspec.DecodeError, UnicodeDecodeError):
                data = forgiven(data)
                envelope = self._envelope(data)
            changes = self._form.changes(envelope)
            if any(bytes(text) in _NOTHING for each in changes for text in (each.row, each.replaces or each.row)):
                raise ValueError("the row of a change is null")
        except (ValueError, RecursionError, msgspec.MsgspecError) as error:
            raise unreadable(
                self._of, f"this is no change as {self._form.tool} writes it: {error}; the message is {cut(data)}"
            ) from None
        try:
            rows = [self._rows.row(bytes(each.row)) for each in changes]
            old = [self._rows.row(bytes(each.replaces)) for each in changes if each.replaces]
            around = self._metadata_of(iter([self._fields.row(data)] if self._metadata else ()))
        except FormatError as error:
            raise FormatError(f"{error}, in the message {cut(data)}") from None
        return self._made(changes, iter(rows), iter(old), around)

    def _metadata_of(self, fields: Iterator[Any]) -> tuple[Any, ...]:
        """The values of the keys, for the next message; `fields` is empty if there are no keys.

        Raises:
            FormatError: One has none.
        """
        if not self._metadata:
            return ()
        found = next(fields)
        return tuple([self._metadata_value(key, found) for key in self._metadata])

    def _metadata_value(self, key: str, fields: tuple[Any, ...]) -> Any:
        try:
            return self._form.metadata[key](fields)
        except ValueError as error:
            if self.drops_errors:
                return None
            raise unreadable(self._of, f"the metadata '{key}' cannot be read: {error}") from None

    def _made(
        self, changes: Sequence[Change], rows: Iterator[Any], old: Iterator[Any], metadata: tuple[Any, ...]
    ) -> list[Any]:
        made: list[Any] = []
        for each in changes:
            row = next(rows)
            if each.replaces is not None:
                before, given = next(old), _keys(each.replaces)
                values = [b if name in given else a for name, b, a in zip(self._wanted, before, row, strict=True)]
                made.append((BEFORE, *values, *metadata))
            made.append((each.kind, *row, *metadata))
        return made


def json_change_encoder(
    layout: Layout,
    fields: Sequence[Column],
    options: Mapping[str, Any],
    message: Callable[[bool, tuple[Any, ...]], tuple[Any, ...]],
) -> ChangeEncoder:
    """What writes rows with their kind in front.

    Args:
        layout: The columns.
        fields: Of a message.
        options: The format's.
        message: Makes the values of the fields; see `ChangeEncoder`.
    """
    return ChangeEncoder(_JSON.encoder(Layout(tuple(fields), layout.of), options), message)

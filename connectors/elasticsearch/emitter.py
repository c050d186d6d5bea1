"""Records as actions of Elasticsearch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.types import Row

from .actions import ACTIONS, Action, document_lines, json_of, lines_of

Emitted = Action | Iterable[Action] | None
"""What a function makes of a record."""


class ElasticsearchEmitter(ABC):
    """Makes actions of records. Made by `static_index`, `dynamic_index` and `of`."""

    @staticmethod
    def static_index(index: str, key_field: str | None = None, doc_type: str | None = None) -> ElasticsearchEmitter:
        """Each record is a document of one index.

        Args:
            index: The index, alias or data stream.
            key_field: The field whose value is the document's id. The record's fields replace those of a document that
                is there, whose others stay. Default: each record is a new document.
            doc_type: No effect: Elasticsearch has had no types of documents since version 8.

        Raises:
            ValidationError: A name is no text, or empty.
        """
        return _DocumentEmitter(_name("static_index", "index", index), None, _key("static_index", key_field))

    @staticmethod
    def dynamic_index(
        index_field: str, key_field: str | None = None, doc_type: str | None = None
    ) -> ElasticsearchEmitter:
        """Each record is a document, of the index that one of its fields names.

        Args:
            index_field: The field, which the document keeps.
            key_field: As of `static_index`.
            doc_type: No effect.

        Raises:
            ValidationError: A name is no text, or empty.
        """
        field = _name("dynamic_index", "index_field", index_field)
        return _DocumentEmitter(None, field, _key("dynamic_index", key_field))

    @staticmethod
    def of(function: Callable[[Any], Emitted]) -> ElasticsearchEmitter:
        """Each record is what a function makes of it.

        Args:
            function: Gives an action (`Index`, `Create`, `Update`, `Delete`), several, or None.

        Raises:
            ValidationError: It cannot be called.
        """
        if not callable(function):
            raise ValidationError(f"ElasticsearchEmitter.of needs a function of a record, got {cut(function)}")
        return _FunctionEmitter(function)

    @abstractmethod
    def _request_lines(self, record: Any, ids: Iterator[str] | None) -> list[bytes]:
        """The lines of each of a record's actions in a bulk request.

        Args:
            record: The record.
            ids: Ids for documents without one; None: the server assigns them.

        Raises:
            ValidationError: The record is no document.
        """


def lines_maker(emitter: ElasticsearchEmitter) -> Callable[[Any, Iterator[str] | None], list[bytes]]:
    """What makes the lines of a record's actions in a bulk request."""
    return emitter._request_lines  # noqa: SLF001 - users' classes have attributes of any other name


class _DocumentEmitter(ElasticsearchEmitter):
    """The record is the document."""

    def __init__(self, index: str | None, index_field: str | None, key_field: str | None) -> None:
        self._index, self._index_field, self._key_field = index, index_field, key_field

    def _request_lines(self, record: Any, ids: Iterator[str] | None) -> list[bytes]:
        document = json_of(record)
        index = self._index or str(_field(record, self._index_field, "index_field"))
        if self._key_field is not None:
            return [document_lines(index, document, str(_field(record, self._key_field, "key_field")), None)]
        return [document_lines(index, document, None, None if ids is None else next(ids))]


class _FunctionEmitter(ElasticsearchEmitter):
    """A function of the user's makes the actions."""

    def __init__(self, function: Callable[[Any], Emitted]) -> None:
        self._function = function

    def _request_lines(self, record: Any, ids: Iterator[str] | None) -> list[bytes]:
        made = self._function(record)
        actions: Any = () if made is None else (made,) if isinstance(made, ACTIONS) else made
        if isinstance(actions, (str, bytes, dict)) or not isinstance(actions, Iterable):
            raise _no_action(actions, record)
        return [self._lines(action, record, ids) for action in actions]

    @staticmethod
    def _lines(action: Any, record: Any, ids: Iterator[str] | None) -> bytes:
        if not isinstance(action, ACTIONS):
            raise _no_action(action, record)
        return lines_of(action, next(ids) if ids is not None and action.id is None else None)


def _no_action(found: Any, record: Any) -> ValidationError:
    return ValidationError(
        f"the emitter's function gave {cut(found)} for {cut(record)}, expected an Index, Create, Update or Delete of "
        "datastream.connectors.elasticsearch, several of them, or None"
    )


def _field(record: Any, name: str | None, what: str) -> Any:
    """A field of a record that is a mapping, a row or an object."""
    assert name is not None
    try:
        if isinstance(record, Row):
            record = record.as_dict()
        value = record[name] if hasattr(record, "__getitem__") else getattr(record, name)
    except (KeyError, AttributeError):
        value = None
    if value is None:
        raise ValidationError(f"the record {cut(record)} has no {name!r}, its {what}")
    return value


def _name(call: str, what: str, given: Any) -> str:
    if not isinstance(given, str) or not given:
        raise ValidationError(f"ElasticsearchEmitter.{call}: {what} must be a text, got {cut(given)}")
    return given


def _key(call: str, given: Any) -> str | None:
    return None if given is None else _name(call, "key_field", given)

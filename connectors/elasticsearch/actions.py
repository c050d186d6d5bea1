"""What a record becomes in Elasticsearch: actions, and their lines in a bulk request."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

import orjson

from datastream.errors import ValidationError, cut
from datastream.types import Row

#: How often the server repeats an update that another one came between.
_CONFLICTS = 3
_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS


@dataclass(frozen=True, slots=True)
class Index:
    """Writes a document, in the place of the one with its id.

    Attributes:
        index: Name of the index, alias or data stream.
        document: A mapping, a row with names, or an object of a dataclass.
        id: None: the sink assigns one if it writes exactly once, else the server does.
        routing: What chooses the shard instead of the id.
        pipeline: Of the server, through which the document goes.
        version: Of the document: an older one than the one that is there changes nothing.
    """

    operation: ClassVar[str] = "index"

    index: str
    document: Any
    id: Any = None
    routing: str | None = None
    pipeline: str | None = None
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Create:
    """Writes a document unless there is one with its id; data streams take these alone. Attributes: as of `Index`."""

    operation: ClassVar[str] = "create"

    index: str
    document: Any
    id: Any = None
    routing: str | None = None
    pipeline: str | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """Writes some fields of a document; the others stay.

    Attributes:
        index: Name of the index or alias.
        id: The document's.
        document: The fields.
        upsert: Without the document: True: these fields are the new one; a mapping: that is; False: a failure.
        routing: What chooses the shard instead of the id.
    """

    operation: ClassVar[str] = "update"

    index: str
    id: Any
    document: Any
    upsert: Any = False
    routing: str | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Deletes a document; one that is not there is none to worry about.

    Attributes:
        index: Name of the index or alias.
        id: The document's.
        routing: What chooses the shard instead of the id.
        version: A newer document than this stays.
    """

    operation: ClassVar[str] = "delete"

    index: str
    id: Any
    routing: str | None = None
    version: int | None = None


Action = Index | Create | Update | Delete
"""What a record becomes."""

ACTIONS = (Index, Create, Update, Delete)


def lines_of(action: Action, fallback_id: str | None) -> bytes:
    """The lines of an action in a bulk request.

    Args:
        action: The action.
        fallback_id: The id of a document without one.

    Raises:
        ValidationError: It has no index or no id, or a document that has no form in JSON.
    """
    if not isinstance(action.index, str) or not action.index:
        raise ValidationError(f"{type(action).__name__}: the index must be a text, got {cut(action.index)}")
    meta: dict[str, Any] = {"_index": action.index}
    key = action.id if action.id is not None else fallback_id
    if action.id is None and isinstance(action, (Update, Delete)):
        raise ValidationError(f"{type(action).__name__} needs the id of a document: {cut(action)}")
    if key is not None:
        meta["_id"] = str(key)
    if action.routing is not None:
        meta["routing"] = action.routing
    if isinstance(action, Update):
        meta["retry_on_conflict"] = _CONFLICTS
    elif isinstance(action, Delete):
        _versioned(meta, action.version)
        return b'{"delete":' + orjson.dumps(meta) + b"}\n"
    else:
        if action.pipeline is not None:
            meta["pipeline"] = action.pipeline
        if isinstance(action, Index):
            _versioned(meta, action.version)
    document = json_of(action.document)
    if isinstance(action, Update):
        document = b'{"doc":' + document + _upsert(action.upsert) + b"}"
    return b'{"%b":%b}\n%b\n' % (action.operation.encode(), orjson.dumps(meta), document)


def document_lines(index: str, document: bytes, key: str | None, fallback_id: str | None) -> bytes:
    """The lines of an action that writes a document of an index.

    Args:
        index: Its name.
        document: JSON.
        key: Its id: its fields replace those of the document that is there, whose others stay. None: a new document.
        fallback_id: The id of a new document; None: the server assigns one.
    """
    meta: dict[str, Any] = {"_index": index}
    if key is not None:
        meta |= {"_id": key, "retry_on_conflict": _CONFLICTS}
        return b'{"update":%b}\n{"doc":%b,"doc_as_upsert":true}\n' % (orjson.dumps(meta), document)
    if fallback_id is not None:
        meta["_id"] = fallback_id
    return b'{"index":%b}\n%b\n' % (orjson.dumps(meta), document)


def json_of(document: Any) -> bytes:
    """A document as JSON.

    Dates and times are written as ISO 8601, decimals and UUIDs as text, bytes as Base64, sets as arrays.

    Raises:
        ValidationError: It is no mapping, or has no form in JSON.
    """
    try:
        text = orjson.dumps(document, _plain, _OPTIONS)
    except (TypeError, orjson.JSONEncodeError) as error:
        why = error.__cause__ or error
        raise ValidationError(f"the document {cut(document)} has no form in JSON: {why}") from None
    if not text.startswith(b"{"):
        raise ValidationError(
            f"expected a document: a dict, a Row with names or an object of a dataclass, got {cut(document)}; map the "
            "records to dicts, or give the sink an emitter of your own: ElasticsearchEmitter.of(function)"
        )
    return text


def _plain(value: Any) -> Any:
    """What orjson does not know by itself."""
    if isinstance(value, Row):
        try:
            return value.as_dict()
        except Exception as error:
            raise TypeError(f"{cut(value)} has no names of fields") from error
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return list(value)
    raise TypeError(f"a value of type {type(value).__name__}")


def _upsert(upsert: Any) -> bytes:
    if upsert is True:
        return b',"doc_as_upsert":true'
    return b"" if upsert is False or upsert is None else b',"upsert":' + json_of(upsert)


def _versioned(meta: dict[str, Any], version: int | None) -> None:
    if version is not None:
        # The same version again changes nothing either, and an epoch may run again.
        meta |= {"version": version, "version_type": "external_gte"}

"""From the text of a JSON schema to a row type, as Flink's JsonRowSchemaConverter reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import msgspec

from datastream.errors import ValidationError, cut
from datastream.types import RowTypeInfo, TupleTypeInfo, TypeInformation, Types

_BASIC = {"null": Types.VOID, "boolean": Types.BOOLEAN, "number": Types.BIG_DEC, "integer": Types.BIG_INT}
_FORMATS = {"date": Types.SQL_DATE, "time": Types.SQL_TIME, "date-time": Types.SQL_TIMESTAMP}
_UNIONS = ("allOf", "anyOf", "not")
_VOID = Types.VOID()


def row_type_of(json_schema: str) -> RowTypeInfo:
    """The row type that a JSON schema describes.

    Objects are rows with the names of their properties; arrays with one schema for all items are object arrays,
    those with a list of schemas tuples. Strings are STRING, by ``format`` SQL_DATE, SQL_TIME or SQL_TIMESTAMP, and
    with ``contentEncoding: base64`` bytes. Numbers are BIG_DEC, integers BIG_INT. ``$ref`` may point into the same
    schema. ``oneOf`` and a list of types may name one type and null.

    Args:
        json_schema: Its text.

    Raises:
        ValidationError: it is no JSON schema of an object, or a part of it has no type here; the message names the
            place as a JSON pointer.
    """
    if not isinstance(json_schema, (str, bytes)):
        raise ValidationError(f"json_schema: expected the schema's text, got {type(json_schema).__name__}.")
    try:
        root = msgspec.json.decode(json_schema)
        found = _Converter(root).convert(root, "#", ())
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise ValidationError(f"json_schema: the text is not JSON: {error}.") from error
    except RecursionError:
        raise ValidationError("json_schema: it is nested too deeply.") from None
    if not isinstance(found, RowTypeInfo):
        raise ValidationError(f"json_schema: a record must be an object, and the schema describes a {found}.")
    return found


@dataclass(frozen=True)
class _Converter:
    """Converts the parts of one schema.

    Attributes:
        root: The whole of it.
    """

    root: Any

    def convert(self, node: Any, place: str, through: tuple[str, ...]) -> TypeInformation:
        """The type of a part.

        Args:
            node: The part.
            place: Where it is, for errors.
            through: The references that lead to it.
        """
        return _single(self._found(node, place, through), node, place)

    def _found(self, node: Any, place: str, through: tuple[str, ...]) -> list[TypeInformation]:
        """The different types that a part may be of."""
        if not isinstance(node, dict):
            raise _wrong(place, f"a schema must be an object, got {cut(node)}")
        for word in _UNIONS:
            if word in node:
                raise _wrong(place, f"{word!r} is not supported; declare one type, or one and null with 'oneOf'")
        if "$ref" in node and "type" not in node and "oneOf" not in node:
            return self._referred(node["$ref"], place, through)
        names = node.get("type", [])
        found: list[TypeInformation] = []
        for name in names if isinstance(names, list) else [names]:
            found.append(self._of_name(name, node, place, through))
        choices = node.get("oneOf", [])
        if not isinstance(choices, list):
            raise _wrong(f"{place}/oneOf", f"it must be an array, got {cut(choices)}")
        for i, choice in enumerate(choices):
            found += self._found(choice, f"{place}/oneOf/{i}", through)
        return _different(found)

    def _of_name(self, name: Any, node: dict[str, Any], place: str, through: tuple[str, ...]) -> TypeInformation:
        if name == "object":
            return self._object(node, place, through)
        if name == "array":
            return self._array(node, place, through)
        if name == "string":
            return _string(node, place)
        if isinstance(name, str) and name in _BASIC:
            return _BASIC[name]()
        raise _wrong(
            place, f"unsupported type {cut(name)}; use object, array, string, number, integer, boolean or null"
        )

    def _object(self, node: dict[str, Any], place: str, through: tuple[str, ...]) -> TypeInformation:
        properties = node.get("properties", {})
        if not isinstance(properties, dict):
            raise _wrong(f"{place}/properties", f"it must be an object, got {cut(properties)}")
        if node.get("additionalProperties") is True:
            raise _wrong(place, "a row has the declared fields only; leave out 'additionalProperties'")
        types = [
            self.convert(part, f"{place}/properties/{_escaped(name)}", through) for name, part in properties.items()
        ]
        return Types.ROW_NAMED(list(properties), types)

    def _array(self, node: dict[str, Any], place: str, through: tuple[str, ...]) -> TypeInformation:
        if "items" not in node:
            raise _wrong(place, "an array needs 'items'")
        items = node["items"]
        if isinstance(items, dict):
            return Types.OBJECT_ARRAY(self.convert(items, f"{place}/items", through))
        if not isinstance(items, list):
            raise _wrong(f"{place}/items", f"it must be a schema or a list of schemas, got {cut(items)}")
        if node.get("additionalItems") is True:
            raise _wrong(place, "a tuple has the declared items only; leave out 'additionalItems'")
        return self._tuple(items, place, through)

    def _tuple(self, items: list[Any], place: str, through: tuple[str, ...]) -> TupleTypeInfo:
        types = []
        for i, part in enumerate(items):
            found = self._found(part, f"{place}/items/{i}", through)
            if _VOID in found and len(found) > 1:
                raise _wrong(f"{place}/items/{i}", "an item of a tuple cannot be null; use an object")
            types.append(_single(found, part, f"{place}/items/{i}"))
        return Types.TUPLE(types)

    def _referred(self, reference: Any, place: str, through: tuple[str, ...]) -> list[TypeInformation]:
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise _wrong(
                place, f"a '$ref' must point into the same schema, such as #/definitions/name: {cut(reference)}"
            )
        if reference in through:
            raise _wrong(place, f"the reference {cut(reference)} leads to itself; a row type cannot be recursive")
        node: Any = self.root
        for part in unquote(reference[1:]).split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if isinstance(node, list) and len(name) < 10 and name.isdecimal() and int(name) < len(node):
                node = node[int(name)]
            elif isinstance(node, dict) and name in node:
                node = node[name]
            else:
                raise _wrong(place, f"nothing is at the reference {cut(reference)}")
        return self._found(node, reference, (*through, reference))


def _single(found: list[TypeInformation], node: Any, place: str) -> TypeInformation:
    kinds = [kind for kind in found if kind != _VOID]
    if len(kinds) > 1:
        raise _wrong(place, f"it may be {' or '.join(map(str, kinds))}; declare one type, or one and null")
    if not found:
        raise _wrong(place, f"no type could be found in {cut(node)}; give it a 'type'")
    return kinds[0] if kinds else _VOID


def _string(node: dict[str, Any], place: str) -> TypeInformation:
    if "format" in node:
        form = node["format"]
        if not isinstance(form, str):
            raise _wrong(f"{place}/format", f"it must be text, got {cut(form)}")
        return _FORMATS.get(form, Types.STRING)()
    encoding = node.get("contentEncoding")
    if encoding is None:
        return Types.STRING()
    if encoding != "base64":
        raise _wrong(f"{place}/contentEncoding", f"only 'base64' is supported, got {cut(encoding)}")
    return Types.PRIMITIVE_ARRAY(Types.BYTE())


def _different(types: list[TypeInformation]) -> list[TypeInformation]:
    # Row types are equal when their field types are, so equal ones with other names count as two.
    return list({repr(kind): kind for kind in types}.values())


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _wrong(place: str, what: str) -> ValidationError:
    return ValidationError(f"json_schema at {place}: {what}.")

"""Functions of JSON, which is text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from datastream.errors import FormatError, ValidationError
from datastream.table.functions import text_forms, types
from datastream.table.functions.entry import Entry
from datastream.table.functions.json_filters import NotFound
from datastream.table.functions.json_path import parsed_path
from datastream.table.functions.json_texts import (
    NotJson,
    Raw,
    document,
    fragment,
    java_order,
    json_text,
    scalar_text,
)
from datastream.table.functions.signatures import any_nullable, constant, quoted, refuse, rule, type_of
from datastream.table.functions.types import string_type, with_nullability
from datastream.table.plan.expressions import Call, Expression
from datastream.table.types.logical_types import (
    ArrayType,
    BigIntType,
    BooleanType,
    DataType,
    DateType,
    DoubleType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    NullType,
    TimestampType,
    TimeType,
    VarCharType,
)
from datastream.table.types.row_type import RowType

_STRING = string_type()
_KINDS = ("VALUE", "SCALAR", "ARRAY", "OBJECT")
_MAKERS = ("JSON_OBJECT", "JSON_ARRAY", "JSON")


def is_json(text: str | None, kind: str = "VALUE") -> bool:
    """Whether a text is JSON, of a kind."""
    if text is None:
        return False
    try:
        value = document(text)
    except NotJson:
        return False
    shape = "OBJECT" if isinstance(value, dict) else "ARRAY" if isinstance(value, list) else "SCALAR"
    return kind in ("VALUE", shape)


def json_exists(text: str, path: str, on_error: str = "FALSE") -> bool | None:
    """Whether a path leads to a value.

    Raises:
        FormatError: it fails, and `on_error` is ERROR.
    """
    steps = parsed_path(path)
    try:
        whole = document(text)
        return _answer(text, path, on_error) if whole is None else steps.find(whole) is not None
    except NotFound:
        if steps.lax:
            return False
        return _answer(text, path, on_error)
    except NotJson:
        return _answer(text, path, on_error)


def _answer(text: str, path: str, on_error: str) -> bool | None:
    if on_error == "ERROR":
        raise FormatError(f"JSON_EXISTS: the path {path!r} fails on {text[:200]!r}")
    return {"TRUE": True, "UNKNOWN": None}.get(on_error, False)


_READ: Mapping[str, Callable[[Any], Any]] = {
    "STRING": scalar_text,
    "BOOLEAN": lambda value: value if isinstance(value, bool) else text_forms.read_boolean(str(value)),
    "INT": lambda value: _whole(value, 32),
    "BIGINT": lambda value: _whole(value, 64),
    "DOUBLE": lambda value: float(value) if not isinstance(value, bool) else _refused(value),
}


def _whole(value: Any, bits: int) -> int:
    number = value if isinstance(value, int) and not isinstance(value, bool) else int(str(value))
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise ValueError(f"{number} has more than {bits} bits")
    return number


def _refused(value: Any) -> Any:
    raise ValueError(f"{value} is no number")


def json_value(
    text: str,
    path: str,
    returning: str = "STRING",
    on_empty: str = "NULL",
    default_on_empty: Any = None,
    on_error: str = "NULL",
    default_on_error: Any = None,
) -> Any:
    """The scalar value that a path leads to.

    Raises:
        FormatError: there is none, and ERROR is asked for.
    """
    steps = parsed_path(path)
    try:
        whole = document(text)
        if whole is None:
            return _otherwise("JSON_VALUE", text, path, on_error, default_on_error, ValueError("the document is null"))
        value = steps.find(whole)
        if value is not None and not isinstance(value, (dict, list)):
            return _READ[returning](value)
        problem: Exception = ValueError("it is null" if value is None else "it is not a scalar value")
    except (NotFound, NotJson) as error:
        problem = error
    except (ValueError, TypeError) as error:
        return _otherwise("JSON_VALUE", text, path, on_error, default_on_error, error)
    if steps.lax:
        return _otherwise("JSON_VALUE", text, path, on_empty, default_on_empty, None)
    return _otherwise("JSON_VALUE", text, path, on_error, default_on_error, problem)


def _otherwise(name: str, text: str, path: str, behaviour: str, default: Any, error: Exception | None) -> Any:
    if behaviour == "ERROR":
        raise FormatError(f"{name}: the path {path!r} gives no value of {text[:200]!r}: {error or 'it is empty'}")
    return default if behaviour == "DEFAULT" else None


def json_query(
    text: str, path: str, wrapper: str = "WITHOUT", on_empty: str = "NULL", on_error: str = "NULL"
) -> str | None:
    """The array or object that a path leads to, as JSON.

    Raises:
        FormatError: there is none, and ERROR is asked for.
    """
    steps = parsed_path(path)
    try:
        whole = document(text)
        if whole is None:
            return _other_query(text, path, on_error, ValueError("the document is null"))
        value = steps.find(whole)
        if value is not None:
            if wrapper == "UNCONDITIONAL" or (wrapper == "CONDITIONAL" and not isinstance(value, list)):
                value = [value]
            if isinstance(value, (dict, list)):
                return json_text(value, sort_keys=True)
        problem: Exception = ValueError("it is null" if value is None else "it is a scalar value")
    except (NotFound, NotJson) as error:
        problem = error
    return _other_query(text, path, on_empty if steps.lax else on_error, problem)


def _other_query(text: str, path: str, behaviour: str, error: Exception | None) -> str | None:
    if behaviour in ("EMPTY ARRAY", "EMPTY OBJECT"):
        return "[]" if behaviour == "EMPTY ARRAY" else "{}"
    _otherwise("JSON_QUERY", text, path, behaviour, None, error)
    return None


def json_elements(text: str | None) -> tuple[str | None, ...] | None:
    """The elements of a JSON array as texts; None where it is no array."""
    value = None if text is None else document(text)
    if not isinstance(value, list):
        return None
    return tuple(
        json_text(each, sort_keys=True)
        if isinstance(each, (dict, list))
        else None
        if each is None
        else scalar_text(each)
        for each in value
    )


def json_object(on_null: str, *parts: Any) -> str:
    """The JSON object of keys and values, one after the other, in the order of the keys; the last of a key counts."""
    pairs = zip(parts[::2], parts[1::2], strict=True)
    kept = {key: value for key, value in pairs if value is not None or on_null == "NULL"}
    shown = (f"{json_text(key)}:{fragment(value)}" for key, value in sorted(kept.items(), key=java_order))
    return "{" + ",".join(shown) + "}"


def json_array(on_null: str, *values: Any) -> str:
    """The JSON array of values."""
    return f"[{','.join(fragment(value) for value in values if value is not None or on_null == 'NULL')}]"


def json_checked(text: str) -> str:
    """The JSON of a text, without spaces.

    Raises:
        FormatError: it is none.
    """
    try:
        return json_text(document(text), sort_keys=True)
    except NotJson as error:
        raise FormatError(f"JSON: {text[:200]!r} is not JSON: {error}") from error


def json_quoted(text: str) -> str:
    """The text as a JSON string, of ASCII only."""
    return json.dumps(text).replace("/", "\\/")


def json_unquoted(text: str) -> str:
    """The text of a JSON string; any other text as it is."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    try:
        value = document(text)
    except NotJson:
        return text
    return value if isinstance(value, str) else text


def json_length(text: str, path: str = "$") -> int | None:
    """The number of elements of an array or of entries of an object; 1 for a scalar value."""
    try:
        value = parsed_path(path).find(document(text))
    except (NotFound, NotJson):
        return None
    return len(value) if isinstance(value, (dict, list)) else 1


def moment_text(micros: int, precision: int) -> str:
    """A time in JSON: a fraction without zeros at its end."""
    text = text_forms.timestamp_text(micros, precision).replace(" ", "T")
    return text.rstrip("0").rstrip(".") if "." in text else text


_HELPERS: Mapping[str, Any] = {
    **{
        function.__name__: function
        for function in (
            *(is_json, json_exists, json_value, json_query, json_elements, json_object, json_array, json_checked),
            *(json_quoted, json_unquoted, json_length, fragment),
            *(text_forms.date_text, text_forms.time_text, moment_text),
        )
    },
    "raw_json": Raw,
}

_RETURNING = {"VARCHAR": "STRING", "CHAR": "STRING", "INTEGER": "INT"}
_RETURN_TYPES: Mapping[str, DataType] = {
    "STRING": _STRING,
    "BOOLEAN": BooleanType(),
    "INT": IntType(),
    "BIGINT": BigIntType(),
    "DOUBLE": DoubleType(),
}


def _returning(args: Sequence[Expression]) -> str:
    """What JSON_VALUE returns: named by a text, or the type of a NULL."""
    if len(args) < 3:
        return "STRING"
    named = constant(args[2])
    if named is None and isinstance(type_of(args[2]), NullType):
        return "STRING"
    name = str(named).partition("(")[0].strip().upper() if named is not None else type_of(args[2]).type_name()
    name = _RETURNING.get(name, name)
    if name not in _RETURN_TYPES:
        raise ValidationError(f"JSON_VALUE: expected RETURNING STRING, BOOLEAN, INT, BIGINT or DOUBLE, got {name}")
    return name


def _word(args: Sequence[Expression], place: int, default: str, allowed: tuple[str, ...], name: str) -> str:
    """A word of the syntax, as a constant of the text."""
    value = constant(args[place]) if len(args) > place else default
    word = str(value).upper().replace("_", " ").removesuffix(" ARRAY") if value else default
    if value and str(value).upper().replace("_", " ") == "EMPTY ARRAY":
        word = "EMPTY ARRAY"
    if word not in allowed:
        raise ValidationError(f"{name}: expected one of {', '.join(allowed)}, got {value!r}")
    return word


def _value_type(args: Sequence[Expression]) -> DataType:
    rule("JSON_VALUE", "string, string, any?, any?, any?, any?, any?", _STRING)(args)
    _value_text(args)
    named = type_of(args[2]) if len(args) > 2 and constant(args[2]) is None else None
    found = named if isinstance(named, VarCharType) else _RETURN_TYPES[_returning(args)]
    return with_nullability(found, True)


def _value_text(args: Sequence[Expression]) -> str:
    allowed = ("NULL", "ERROR", "DEFAULT")
    empty, error = (_word(args, place, "NULL", allowed, "JSON_VALUE") for place in (3, 5))
    given = [f"{{0}}, {{1}}, {_returning(args)!r}"]
    if len(args) > 3:
        defaults = ("{4}" if len(args) > 4 else "None", "{6}" if len(args) > 6 else "None")
        given.append(f"{empty!r}, {defaults[0]}, {error!r}, {defaults[1]}")
    _path_test(args)
    return f"(None if {{0}} is None or {{1}} is None else json_value({', '.join(given)}))"


def _path_test(args: Sequence[Expression]) -> None:
    path = constant(args[1])
    if isinstance(path, str):
        parsed_path(path)


def _query_text(args: Sequence[Expression]) -> str:
    # As in JSON_VALUE, the third argument may be the type to return.
    shift = 1 if len(args) > 2 and constant(args[2]) is None or len(args) == 6 else 0
    wrapper = _word(args, 2 + shift, "WITHOUT", ("WITHOUT", "CONDITIONAL", "UNCONDITIONAL"), "JSON_QUERY")
    allowed = ("NULL", "ERROR", "EMPTY ARRAY", "EMPTY OBJECT")
    empty, error = (_word(args, place + shift, "NULL", allowed, "JSON_QUERY") for place in (3, 4))
    _path_test(args)
    call = f"json_query({{0}}, {{1}}, {wrapper!r}, {empty!r}, {error!r})"
    if isinstance(_query_kind(args), ArrayType):
        call = f"json_elements({call})"
    return f"(None if {{0}} is None or {{1}} is None else {call})"


def _query_type(args: Sequence[Expression]) -> DataType:
    _query_text(args)
    return rule("JSON_QUERY", "string, string, any?, any?, any?, any?", _query_kind(args), True)(args)


def _query_kind(args: Sequence[Expression]) -> DataType:
    """What JSON_QUERY returns: STRING, or ARRAY<STRING>, the type of a NULL."""
    given = type_of(args[2]) if len(args) == 6 else _STRING
    return ArrayType(_STRING) if isinstance(given, ArrayType) else _STRING


def _exists_text(args: Sequence[Expression]) -> str:
    word = _word(args, 2, "FALSE", ("TRUE", "FALSE", "UNKNOWN", "ERROR"), "JSON_EXISTS")
    _path_test(args)
    return f"json_exists({{0}}, {{1}}, {word!r})"


def _exists_type(args: Sequence[Expression]) -> DataType:
    _exists_text(args)
    return rule("JSON_EXISTS", "string, string, any?", BooleanType(), True)(args)


def _kind_text(args: Sequence[Expression]) -> str:
    return f"is_json({{0}}, {_word(args, 1, 'VALUE', _KINDS, 'IS JSON')!r})"


def _kind_type(args: Sequence[Expression]) -> DataType:
    _kind_text(args)
    return rule("IS JSON", "string, any?", BooleanType(), False)(args)


def part_text(args: Sequence[Expression], place: int) -> str:
    """Text of an argument as a value that `fragment` takes."""
    argument, text = args[place], f"{{{place}}}"
    if isinstance(argument, Call) and argument.function in _MAKERS:
        return f"(None if {text} is None else raw_json({text}))"
    return _inner_text(type_of(argument), text)


def _inner_text(source: DataType, text: str, depth: int = 0) -> str:
    """Text of a value of a type; rows are dicts."""
    shown, inner = text, f"v{depth}"
    match source:
        case DateType():
            shown = f"date_text({text})"
        case TimeType():
            shown = f"time_text({text}, {source.precision})"
        case TimestampType() | LocalZonedTimestampType():
            zone = " + 'Z'" if isinstance(source, LocalZonedTimestampType) else ""
            shown = f"moment_text({text}, {source.precision}){zone}"
        case ArrayType():
            element = _inner_text(source.element_type, inner, depth + 1)
            shown = text if element == inner else f"[{element} for {inner} in {text}]"
        case MapType():
            value = _inner_text(source.value_type, inner, depth + 1)
            shown = text if value == inner else f"dict((k{depth}, {value}) for k{depth}, {inner} in {text}.items())"
        case RowType():
            fields = enumerate(source.fields)
            pairs = (
                f"({quoted(each.name)}, {_inner_text(each.data_type, f'{inner}[{i}]', depth + 1)}), "
                for i, each in fields
            )
            shown = f"(lambda {inner}: dict(({''.join(pairs)})))({text})"
    return shown if shown == text else f"(None if {text} is None else {shown})"


def _null_word(args: Sequence[Expression], name: str) -> str:
    return _word(args, 0, "NULL", ("NULL", "ABSENT"), name)


def _object_text(args: Sequence[Expression]) -> str:
    parts = [part_text(args, place) if place % 2 == 0 else f"{{{place}}}" for place in range(1, len(args))]
    return f"json_object({', '.join([repr(_null_word(args, 'JSON_OBJECT')), *parts])})"


def _object_type(args: Sequence[Expression]) -> DataType:
    if len(args) % 2 == 0 or not all(isinstance(type_of(each), types.STRING) for each in args[1::2]):
        raise refuse("JSON_OBJECT", args, "NULL or ABSENT, then string keys with their values")
    _object_text(args)
    return with_nullability(_STRING, False)


def _array_text(args: Sequence[Expression]) -> str:
    parts = [part_text(args, place) for place in range(1, len(args))]
    return f"json_array({', '.join([repr(_null_word(args, 'JSON_ARRAY')), *parts])})"


def _array_type(args: Sequence[Expression]) -> DataType:
    _array_text(args)
    return with_nullability(_STRING, False)


def _string_type(args: Sequence[Expression]) -> DataType:
    return with_nullability(_STRING, any_nullable(args))


def _entry(
    name: str, sql: tuple[str, ...], arity: tuple[int, int | None], resolve: Any, python: Any, doc: str, **more: Any
) -> Entry:
    return Entry(name, sql, arity, resolve, python, names=_HELPERS, doc=doc, **more)


ENTRIES: tuple[Entry, ...] = (
    _entry(
        "IS_JSON",
        ("IS JSON", "IS_JSON"),
        (1, 2),
        _kind_type,
        _kind_text,
        "Whether the string is JSON; of a kind: `IS JSON OBJECT`, ARRAY or SCALAR.",
        strict=False,
    ),
    _entry(
        "JSON_EXISTS",
        ("JSON_EXISTS",),
        (2, 3),
        _exists_type,
        _exists_text,
        "Whether a path such as `$.a[0]` leads to a value.",
        nullable=True,
    ),
    _entry(
        "JSON_VALUE",
        ("JSON_VALUE",),
        (2, 7),
        _value_type,
        _value_text,
        "The scalar value that a path leads to, as STRING or `RETURNING INT`, BIGINT, DOUBLE, BOOLEAN.",
        strict=False,
        nullable=True,
    ),
    _entry(
        "JSON_QUERY",
        ("JSON_QUERY",),
        (2, 6),
        _query_type,
        _query_text,
        "The array or object that a path leads to, as JSON.",
        strict=False,
        nullable=True,
    ),
    _entry(
        "JSON_OBJECT",
        ("JSON_OBJECT",),
        (1, None),
        _object_type,
        _object_text,
        "The JSON object of keys and values: `JSON_OBJECT(KEY 'a' VALUE 1)`.",
        strict=False,
        folds=False,
    ),
    _entry(
        "JSON_ARRAY",
        ("JSON_ARRAY",),
        (1, None),
        _array_type,
        _array_text,
        "The JSON array of values: `JSON_ARRAY(1, 'a')`.",
        strict=False,
        folds=False,
    ),
    _entry(
        "JSON_STRING",
        ("JSON_STRING",),
        (1, 1),
        _string_type,
        lambda args: f"fragment({part_text(args, 0)})",
        "The value as JSON.",
    ),
    _entry(
        "JSON",
        ("JSON",),
        (1, 1),
        rule("JSON", "string", _STRING),
        "json_checked({0})",
        "A string that is JSON, to be used unchanged inside of JSON_OBJECT and JSON_ARRAY.",
        folds=False,
    ),
    _entry(
        "JSON_QUOTE",
        ("JSON_QUOTE",),
        (1, 1),
        rule("JSON_QUOTE", "string", _STRING),
        "json_quoted({0})",
        "The string as a JSON string, in quotes; other letters than those of ASCII are `\\u` and their code.",
    ),
    _entry(
        "JSON_UNQUOTE",
        ("JSON_UNQUOTE",),
        (1, 1),
        rule("JSON_UNQUOTE", "string", _STRING),
        "json_unquoted({0})",
        "The text of a JSON string.",
    ),
    _entry(
        "JSON_LENGTH",
        ("JSON_LENGTH",),
        (1, 2),
        rule("JSON_LENGTH", "string, string?", IntType(), True),
        lambda args: f"json_length({', '.join(('{0}', '{1}')[: len(args)])})",
        "The number of elements of a JSON array or of entries of an object; 1 for a scalar value.",
        nullable=True,
    ),
)

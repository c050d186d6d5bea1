"""Functions of strings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from datastream.table.functions import text_functions as text
from datastream.table.functions import text_lengths, types
from datastream.table.functions.casts import CAST_NAMES
from datastream.table.functions.coercion import converted
from datastream.table.functions.entry import Entry, Text
from datastream.table.functions.signatures import Result, common_of, constant, refuse, rule, type_of
from datastream.table.functions.text_forms import local_date_time
from datastream.table.functions.types import string_type, with_nullability
from datastream.table.plan.expressions import Expression
from datastream.table.types.intervals import DayTimeIntervalType, YearMonthIntervalType
from datastream.table.types.logical_types import (
    ArrayType,
    BigIntType,
    BooleanType,
    DataType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
)

_STRING = string_type()
_INT = IntType()
_BOOLEAN = BooleanType()
_BYTES = VarBinaryType(types.LONGEST)

_HELPERS: Mapping[str, Any] = {
    function.__name__: function
    for function in (
        *(text.substring, text.padded, text.capitalised, text.split_index, text.str_to_map, text.concat_ws),
        *(text.overlay, text.located, text.instr, text.translated, text.replaced, text.regexp_replace),
        *(text.regexp_extract, text.regexp_extract_all, text.regexp_count, text.regexp_instr, text.regexp_substr),
        *(text.regexp_found, text.first_code, text.character, text.from_base64, text.to_base64, text.encoded),
        *(text.decoded, text.url_encoded, text.url_decoded, text.url_part, text.address_number),
        *(text.number_address, text.printf, text.split, text.chosen, text.is_utf8, local_date_time),
    )
}


def _entry(
    name: str,
    sql: str,
    takes: str,
    result: DataType | Any,
    python: Text,
    doc: str,
    *,
    nullable: bool = False,
    most: int | None = -1,
) -> Entry:
    """An entry whose arity is read from what it takes. `sql`: its names, separated by spaces."""
    parts = takes.split(",")
    least = sum(1 for part in parts if "?" not in part and "*" not in part)
    if most == -1:
        most = None if "*" in takes else len(parts)
    names = tuple(sql.split(" "))
    return Entry(
        name,
        names,
        (least, most),
        rule(names[0], takes, result, True if nullable else None),
        python,
        nullable=nullable,
        names=_HELPERS,
        doc=doc,
    )


def _places(args: Sequence[Expression], first: int = 0) -> str:
    return ", ".join(f"{{{place}}}" for place in range(first, len(args)))


def _call(function: str) -> Text:
    """The text of a call with as many arguments as there are."""
    return lambda args: f"{function}({_places(args)})"


_SIDES = {"BOTH": "strip", "LEADING": "lstrip", "TRAILING": "rstrip"}


def _trim_parts(args: Sequence[Expression]) -> tuple[str, int | None, int]:
    """The side, and the places of the characters and of the text."""
    side = constant(args[0])
    if len(args) == 3 or (len(args) == 2 and side in _SIDES):
        if side not in _SIDES:
            raise refuse("TRIM", args, "BOTH, LEADING or TRAILING, the characters, and a string")
        return str(side), 1 if len(args) == 3 else None, len(args) - 1
    return "BOTH", 1 if len(args) == 2 else None, 0


def _trim_type(args: Sequence[Expression]) -> DataType:
    source = _trim_parts(args)[2]
    return rule("TRIM", "string, string?, string?", lambda _: text_lengths.shortened(args[source:]))(args)


def _trim_text(args: Sequence[Expression]) -> str:
    side, letters, source = _trim_parts(args)
    return f"{{{source}}}.{_SIDES[side]}({f'{{{letters}}}' if letters is not None else repr(' ')})"


def _trim(name: str, sql: str, method: str, doc: str, result: Result = text_lengths.shortened) -> Entry:
    def python(args: Sequence[Expression]) -> str:
        return f"{{0}}.{method}({'{1}' if len(args) > 1 else repr(' ')})"

    return _entry(name, sql, "string, string?", result, python, doc)


def _padding(name: str, at_start: bool, doc: str) -> Entry:
    """LPAD or RPAD. NULL for a length below zero, which the type does not tell, as in Flink."""
    sql, text = name.upper(), f"padded({{0}}, {{1}}, {{2}}, {at_start})"
    resolve = rule(sql, "string, whole, string", _STRING)
    return Entry(name, (sql,), (3, 3), resolve, text, nullable=True, names=_HELPERS, doc=doc)


def concat_text(args: Sequence[Expression]) -> str:
    """Python text of strings one after the other."""
    return "(" + " + ".join(f"{{{place}}}" for place in range(len(args))) + ")"


def _joined_type(args: Sequence[Expression]) -> DataType:
    binary = any(isinstance(type_of(each), types.BYTES) for each in args)
    return rule("||", "binary, binary" if binary else "string, string", text_lengths.joined)(args)


def _substring_text(args: Sequence[Expression]) -> str:
    start, length = constant(args[1]), constant(args[2]) if len(args) > 2 else None
    if isinstance(start, int) and start > 0:
        if len(args) == 2:
            return f"{{0}}[{start - 1}:]"
        if isinstance(length, int) and length >= 0:
            return f"{{0}}[{start - 1}:{start - 1 + length}]"
    return f"substring({_places(args)})"


def _elt_type(args: Sequence[Expression]) -> DataType:
    if not isinstance(type_of(args[0]), types.WHOLE):
        raise refuse("ELT", args, "(whole, any ...)")
    return with_nullability(common_of("ELT", 1)(args), True)


def _elt_text(args: Sequence[Expression]) -> str:
    target = common_of("ELT", 1)(args)
    values = ", ".join(converted(args, place, target) for place in range(1, len(args)))
    return f"chosen({{0}}, {values})"


_SIZES: dict[type[DataType], int] = {
    TinyIntType: 8,
    SmallIntType: 16,
    IntType: 32,
    BigIntType: 64,
    FloatType: 32,
    DoubleType: 64,
    TimeType: 32,
    YearMonthIntervalType: 32,
    DayTimeIntervalType: 64,
}


def _printf_text(args: Sequence[Expression]) -> str:
    sizes = tuple(_SIZES.get(type(type_of(each)), 0) for each in args[1:])
    values = ", ".join(_printf_value(args, place) for place in range(1, len(args)))
    return f"(None if {{0}} is None else printf({{0}}, {sizes}, {values}))"


def _printf_value(args: Sequence[Expression], place: int) -> str:
    """A TIME or an INTERVAL is its milliseconds, a TIMESTAMP the text of Java's LocalDateTime."""
    given, value = type_of(args[place]), f"{{{place}}}"
    if isinstance(given, (TimeType, DayTimeIntervalType)):
        return f"({value} if {value} is None else {value} // 1000)"
    if isinstance(given, (TimestampType, LocalZonedTimestampType)):
        return f"({value} if {value} is None else local_date_time({value}))"
    return value


_MAP = MapType(_STRING, _STRING)

ENTRIES: tuple[Entry, ...] = (
    _entry("charLength", "CHAR_LENGTH CHARACTER_LENGTH", "string", _INT, "len({0})", "The number of characters."),
    _entry(
        "OCTET_LENGTH",
        "OCTET_LENGTH",
        "text",
        _INT,
        lambda args: "len({0})" if isinstance(type_of(args[0]), types.BYTES) else "len({0}.encode())",
        "The number of bytes, of a string in UTF-8.",
    ),
    _entry("upper", "UPPER UCASE", "string", text_lengths.unchanged, "{0}.upper()", "The string in upper case."),
    _entry("lower", "LOWER LCASE", "string", text_lengths.unchanged, "{0}.lower()", "The string in lower case."),
    _entry(
        "initCap",
        "INITCAP",
        "string",
        text_lengths.unchanged,
        "capitalised({0})",
        "The string with the first letter of each word in upper case, the others in lower case.",
    ),
    _entry(
        "substring",
        "SUBSTRING SUBSTR",
        "string, whole, whole?",
        text_lengths.shortened,
        _substring_text,
        "The part from a place on, from 1, with an optional length; a negative place counts from the end.",
        nullable=True,
    ),
    Entry(
        "trim",
        ("TRIM",),
        (1, 3),
        _trim_type,
        _trim_text,
        doc="The string without spaces at both ends: `TRIM(a)`, `TRIM(BOTH 'x' FROM a)`.",
    ),
    _trim("ltrim", "LTRIM", "lstrip", "The string without spaces, or other characters, at its start."),
    _trim("rtrim", "RTRIM", "rstrip", "The string without spaces, or other characters, at its end."),
    _trim("BTRIM", "BTRIM", "strip", "The string without spaces, or other characters, at both ends.", _STRING),
    _trim("trimLeading", "TRIM_LEADING", "lstrip", "As LTRIM."),
    _trim("trimTrailing", "TRIM_TRAILING", "rstrip", "As RTRIM."),
    _entry(
        "concat",
        "CONCAT",
        "string, string*",
        _STRING,
        concat_text,
        "The strings one after the other; NULL where one is NULL.",
    ),
    Entry("||", ("||",), (2, 2), _joined_type, concat_text, doc="The strings, or the bytes, one after the other."),
    Entry(
        "concat_ws",
        ("CONCAT_WS",),
        (1, None),
        rule("CONCAT_WS", "string, string*", _STRING),
        _call("concat_ws"),
        strict=False,
        names=_HELPERS,
        doc="The strings with a separator, the first argument, between them; without those that are NULL.",
    ),
    _entry(
        "position",
        "POSITION",
        "string, string",
        _INT,
        "({1}.find({0}) + 1)",
        "The place of the first string in the second, from 1; 0 where it is not there.",
    ),
    _entry(
        "instr",
        "INSTR",
        "string, string, whole?, whole?",
        _INT,
        _call("instr"),
        "The place of the second string in the first, from 1; 0 where it is not there. The third argument is where the "
        "search begins, below zero from the end and backwards; the fourth one which match counts.",
    ),
    _entry(
        "locate",
        "LOCATE",
        "string, string, whole?",
        _INT,
        _call("located"),
        "The place of the first string in the second, from a place on; 0 where it is not there.",
    ),
    _padding("lpad", True, "The string filled at its start, or cut, to a length."),
    _padding("rpad", False, "The string filled at its end, or cut, to a length."),
    _entry(
        "left",
        "LEFT",
        "string, whole",
        text_lengths.shortened,
        "{0}[:max({1}, 0)]",
        "This number of characters from the start.",
        nullable=True,
    ),
    _entry(
        "right",
        "RIGHT",
        "string, whole",
        text_lengths.shortened,
        "({0}[-{1}:] if {1} > 0 else '')",
        "This number of characters from the end.",
        nullable=True,
    ),
    _entry("repeat", "REPEAT", "string, whole", _STRING, "({0} * {1})", "The string, repeated."),
    _entry(
        "replace",
        "REPLACE",
        "string, string, string",
        _STRING,
        "replaced({0}, {1}, {2})",
        "The string with the second one replaced by the third.",
    ),
    _entry(
        "overlay",
        "OVERLAY",
        "string, string, whole, whole?",
        text_lengths.overlaid,
        _call("overlay"),
        "The string with a part from a place on replaced: `OVERLAY(a PLACING b FROM 2 FOR 1)`.",
    ),
    Entry(
        "TRANSLATE",
        ("TRANSLATE", "TRANSLATE3"),
        (3, 3),
        rule("TRANSLATE", "string, string, string", _STRING),
        "translated({0}, {1}, {2})",
        strict=False,
        names=_HELPERS,
        doc="The string with the characters of the second one replaced by those of the third.",
    ),
    _entry("reverse", "REVERSE", "string", _STRING, "{0}[::-1]", "The string backwards.", nullable=True),
    _entry(
        "STARTSWITH",
        "STARTSWITH",
        "text, text",
        _BOOLEAN,
        "{0}.startswith({1})",
        "Whether the string begins with the second one.",
    ),
    _entry(
        "ENDSWITH",
        "ENDSWITH",
        "text, text",
        _BOOLEAN,
        "{0}.endswith({1})",
        "Whether the string ends with the second one.",
    ),
    _entry(
        "SPLIT",
        "SPLIT",
        "string, string",
        ArrayType(_STRING),
        "split({0}, {1})",
        "The array of the parts between separators.",
    ),
    _entry(
        "splitIndex",
        "SPLIT_INDEX",
        "string, any, whole",
        _STRING,
        "split_index({0}, {1}, {2})",
        "The part at an index, from 0, between separators; NULL beyond the ends.",
        nullable=True,
    ),
    _entry(
        "STR_TO_MAP",
        "STR_TO_MAP",
        "string, string?, string?",
        _MAP,
        _call("str_to_map"),
        "The map of a text such as `a=1,b=2`, with other separators as regular expressions.",
        nullable=True,
    ),
    _entry(
        "regexp",
        "REGEXP RLIKE",
        "string, string",
        _BOOLEAN,
        "regexp_found({0}, {1})",
        "Whether a part of the string matches the regular expression.",
    ),
    _entry(
        "regexpReplace",
        "REGEXP_REPLACE",
        "string, string, string",
        _STRING,
        "regexp_replace({0}, {1}, {2})",
        "The string with all matches of the regular expression replaced. `$1` is no group.",
    ),
    _entry(
        "regexpExtract",
        "REGEXP_EXTRACT",
        "string, string, whole?",
        _STRING,
        _call("regexp_extract"),
        "A group of the first match, by default all of it; NULL where nothing matches.",
        nullable=True,
    ),
    _entry(
        "REGEXP_EXTRACT_ALL",
        "REGEXP_EXTRACT_ALL",
        "string, string, whole?",
        ArrayType(_STRING),
        _call("regexp_extract_all"),
        "A group, by default the first one, of all matches.",
        nullable=True,
    ),
    _entry(
        "REGEXP_COUNT",
        "REGEXP_COUNT",
        "string, string",
        _INT,
        "regexp_count({0}, {1})",
        "The number of matches.",
        nullable=True,
    ),
    _entry(
        "REGEXP_INSTR",
        "REGEXP_INSTR",
        "string, string",
        _INT,
        "regexp_instr({0}, {1})",
        "The place of the first match, from 1; 0 where nothing matches.",
        nullable=True,
    ),
    _entry(
        "REGEXP_SUBSTR",
        "REGEXP_SUBSTR",
        "string, string",
        _STRING,
        "regexp_substr({0}, {1})",
        "The first match; NULL where nothing matches.",
        nullable=True,
    ),
    _entry("ascii", "ASCII", "string", IntType(), "first_code({0})", "The code of the first character."),
    _entry("chr", "CHR", "whole", _STRING, "character({0})", "The character of a code, modulo 256.", nullable=True),
    _entry(
        "fromBase64",
        "FROM_BASE64",
        "string",
        _STRING,
        "from_base64({0})",
        "The text that Base64 encodes; NULL where the argument is not Base64.",
        nullable=True,
    ),
    _entry("toBase64", "TO_BASE64", "text", _STRING, "to_base64({0})", "The string in Base64."),
    _entry(
        "encode",
        "ENCODE",
        "string, string",
        _BYTES,
        "encoded({0}, {1})",
        "The bytes of a string in a character set, such as `UTF-8`.",
    ),
    _entry(
        "decode",
        "DECODE",
        "binary, string",
        _STRING,
        "decoded({0}, {1})",
        "The string of bytes in a character set, such as `UTF-8`.",
    ),
    _entry(
        "URL_ENCODE",
        "URL_ENCODE",
        "string",
        _STRING,
        "url_encoded({0})",
        "The string encoded for a URL.",
        nullable=True,
    ),
    _entry(
        "URL_DECODE",
        "URL_DECODE",
        "string",
        _STRING,
        "url_decoded({0})",
        "The string that was encoded for a URL; NULL where the argument is not encoded.",
        nullable=True,
    ),
    _entry(
        "parseUrl",
        "PARSE_URL",
        "string, string, string?",
        _STRING,
        _call("url_part"),
        "A part of a URL: HOST, PATH, QUERY (of a key), REF, PROTOCOL, FILE, AUTHORITY or USERINFO.",
        nullable=True,
    ),
    _entry(
        "INET_ATON",
        "INET_ATON",
        "string",
        BigIntType(),
        "address_number({0})",
        "The number of an IPv4 address; NULL where the text is not an address.",
        nullable=True,
    ),
    _entry(
        "INET_NTOA",
        "INET_NTOA",
        "whole",
        _STRING,
        "number_address({0})",
        "The IPv4 address of a number; NULL where no address has it.",
        nullable=True,
    ),
    Entry(
        "printf",
        ("PRINTF",),
        (1, None),
        rule("PRINTF", "string, any*", _STRING, True),
        _printf_text,
        strict=False,
        nullable=True,
        names=_HELPERS,
        doc="The arguments in a form such as `%d of %s`; NULL where they do not fit.",
    ),
    Entry(
        "elt",
        ("ELT",),
        (2, None),
        _elt_type,
        _elt_text,
        strict=False,
        nullable=True,
        names={**CAST_NAMES, **_HELPERS},
        doc="The argument at an index, from 1; NULL beyond the ends.",
    ),
    _entry("IS_VALID_UTF8", "IS_VALID_UTF8", "binary", _BOOLEAN, "is_utf8({0})", "Whether the bytes are UTF-8."),
    _entry(
        "MAKE_VALID_UTF8",
        "MAKE_VALID_UTF8",
        "binary",
        _STRING,
        "{0}.decode('utf-8', 'replace')",
        "The string of bytes in UTF-8; bytes that are not become U+FFFD.",
    ),
)

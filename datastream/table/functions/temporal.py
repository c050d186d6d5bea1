"""Dates and times."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, tzinfo
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any

from datastream.errors import FormatError, TypeMismatch, ValidationError
from datastream.table.functions import types
from datastream.table.functions.calendar_fields import (
    DATE_FIELDS,
    LENGTHS,
    MONTHS,
    TIME_FIELDS,
    add_months,
    add_months_to_date,
    ceil_months,
    ceil_week,
    floor_months,
    floor_week,
    months_between,
    unit_of,
)
from datastream.table.functions.casts import CAST_NAMES
from datastream.table.functions.checks import RANGE_NAMES, in_range
from datastream.table.functions.date_time_formatter import date_time_formatter, read_sql_timestamp
from datastream.table.functions.entry import Entry, Rule
from datastream.table.functions.formatter_parts import stay
from datastream.table.functions.session_zone import SESSION_ZONE, instant_micros, local_micros, zone_of
from datastream.table.functions.shown_times import TextsOfTimes
from datastream.table.functions.signatures import constant, refuse, rule, type_of
from datastream.table.functions.simple_date_format import simple_date_format
from datastream.table.functions.text_forms import DAY, EPOCH_DAY, SECOND, date_text, read_date, read_timestamp
from datastream.table.functions.types import common_type, string_type
from datastream.table.plan.expressions import Expression
from datastream.table.types.intervals import DayTimeIntervalType, YearMonthIntervalType, sql_interval
from datastream.table.types.logical_types import (
    BigIntType,
    BooleanType,
    DataType,
    DateType,
    IntType,
    LocalZonedTimestampType,
    NullType,
    TimestampType,
    TimeType,
)
from datastream.time import MIN_WATERMARK

FORMAT = "yyyy-MM-dd HH:mm:ss"
_DAY_MS = 86_400_000
#: Of the years 0 to 9999.
_LEAST_INSTANT, _INSTANTS_END = -62_167_219_200 * SECOND, 253_402_300_800 * SECOND
_FIELDS = frozenset((*DATE_FIELDS, *TIME_FIELDS, "EPOCH"))


def now_micros() -> int:
    """µs since 1970, cut to milliseconds as TIMESTAMP(3) is."""
    return time.time_ns() // 1_000_000 * 1_000


def _local(text: str, pattern: str | None) -> int | None:
    """The TIMESTAMP of a text, with all digits, or None."""
    if pattern is not None:
        found = date_time_formatter(pattern).read(text)
        return read_sql_timestamp(text) if found is None else found
    try:
        return read_timestamp(text)
    except TypeMismatch:
        return None


def parsed_timestamp(text: str, pattern: str | None = None) -> int | None:
    """The TIMESTAMP(3) of a text, or None."""
    found = _local(text, pattern)
    return None if found is None else found // 1000 * 1000


def parsed_date(text: str, pattern: str | None = None) -> int | None:
    """The DATE of a text, or None."""
    if pattern is not None:
        found = simple_date_format(pattern).read(text, UTC)
        return None if found is None else found // _DAY_MS
    try:
        return read_date(text)
    except TypeMismatch:
        return None


def parsed_instant(unit: int, text: str, pattern: str | None = None, zone: str = "UTC") -> int | None:
    """The point in time that a text names in a zone, or None; digits that `unit` does not have are cut off."""
    local = _local(text, pattern)
    return None if local is None else instant_micros(local // unit * unit, zone_of(zone))


def instant_of(number: float | Decimal, precision: int) -> int | None:
    """The point in time of a number of units of a precision since 1970; None: it is not of the years to 9999.

    Args:
        number: Of seconds (0), milliseconds (3) and so on; a fraction counts for a DOUBLE, in milliseconds at most.
        precision: 0 to 9.
    """
    if isinstance(number, float):
        scaled = number * 10 ** max(3 - precision, 0)
        if not -1e19 < scaled < 1e19:
            return None
        number, precision = math.floor(scaled), max(precision, 3)
    whole = int(number)
    micros = whole * 10 ** (6 - precision) if precision <= 6 else whole // 10 ** (precision - 6)
    return micros if _LEAST_INSTANT <= micros < _INSTANTS_END else None


def unix_seconds(text: str, pattern: str, zone: tzinfo) -> int:
    """Seconds since 1970 of a text in the zone; the least BIGINT where the text has another form."""
    found = simple_date_format(pattern).read(text, zone)
    return -(2**63) if found is None else found // 1000 if found >= 0 else -(-found // 1000)


def unix_text(seconds: int, pattern: str, zone: tzinfo) -> str:
    """Seconds since 1970 as text in the zone."""
    return simple_date_format(pattern).text(seconds * 1000, zone, _name(zone))


def converted_text(text: str, source: str, target: str) -> str | None:
    """A text of a time in one zone as the text of the same time in another one."""
    format, zone = simple_date_format(FORMAT), zone_of(target)
    found = format.read(text, zone_of(source))
    return None if found is None else format.text(found, zone, _name(zone))


def formatted(local: int, pattern: str) -> str:
    """A TIMESTAMP as text.

    Raises:
        FormatError: it has no such field, or it does not fit the pattern.
    """
    try:
        return date_time_formatter(pattern).text(local)
    except ValueError as error:
        raise FormatError(f"DATE_FORMAT: the pattern {pattern!r} cannot show a TIMESTAMP: {error}") from None


@lru_cache(256)
def formatted_times(pattern: str) -> TextsOfTimes:
    """TIMESTAMPs as texts, by the quotient of their µs by `stay` of the pattern's parts."""
    return TextsOfTimes(partial(formatted, pattern=pattern), stay(date_time_formatter(pattern).parts))


def formatted_text(text: str, pattern: str) -> str | None:
    """The text of a time as text in another form; None: it is no time."""
    found = simple_date_format(FORMAT).read(text, UTC)
    return None if found is None else simple_date_format(pattern).text(found, UTC, "UTC")


def _name(zone: tzinfo) -> str:
    return "UTC" if zone is UTC else str(zone)


def overlaps(start: int, end: int, other_start: int, other_end: int) -> bool:
    """Whether two periods share a point in time."""
    start, end = sorted((start, end))
    other_start, other_end = sorted((other_start, other_end))
    return start <= other_end and other_start <= end


NAMES: Mapping[str, Any] = {
    **CAST_NAMES,
    **RANGE_NAMES,
    **{
        function.__name__: function
        for function in (
            *(now_micros, parsed_timestamp, parsed_date, parsed_instant, unix_seconds, converted_text, overlaps),
            *(
                instant_of,
                formatted,
                formatted_times,
                formatted_text,
                unix_text,
                instant_micros,
                local_micros,
                zone_of,
                read_timestamp,
                date_text,
            ),
            *(add_months, add_months_to_date, months_between, floor_months, ceil_months, floor_week, ceil_week),
        )
    },
    "fromordinal": date.fromordinal,
    SESSION_ZONE: UTC,
}


def local_text(args: Sequence[Expression], place: int) -> str:
    """Text of a time argument as µs of the session's clock."""
    source = type_of(args[place])
    text = f"{{{place}}}"
    match source:
        case DateType():
            return f"({text} * {DAY})"
        case LocalZonedTimestampType():
            return f"local_micros({text}, {SESSION_ZONE})"
    if isinstance(source, types.STRING):
        return f"read_timestamp({text})"
    return text


def _moment_texts(args: Sequence[Expression], *places: int) -> list[str]:
    """Texts of time arguments as µs of one clock: that of UTC for points in time, which no change of clocks moves."""
    if all(isinstance(type_of(args[place]), LocalZonedTimestampType) for place in places):
        return [f"{{{place}}}" for place in places]
    return [local_text(args, place) for place in places]


def _milli_texts(args: Sequence[Expression], *places: int) -> list[str]:
    """`_moment_texts` in whole milliseconds."""
    texts = zip(places, _moment_texts(args, *places), strict=True)
    return [_whole_millis(type_of(args[place]), text) for place, text in texts]


def _whole_millis(source: DataType, text: str) -> str:
    """Text of a time as µs, without those that make no whole millisecond: Flink computes with milliseconds."""
    finer = isinstance(source, types.STRING) or (isinstance(source, types.TIMESTAMP) and source.precision > 3)
    return f"({text} // 1000 * 1000)" if finer else text


def _field(unit: str, args: Sequence[Expression], place: int) -> str:
    """Text of a field of a time."""
    source = type_of(args[place])
    if isinstance(source, types.INTERVAL):
        return _interval_field(unit, source, f"{{{place}}}")
    if unit == "EPOCH":
        return f"({local_text(args, place)} // {SECOND})"
    if unit in TIME_FIELDS:
        return TIME_FIELDS[unit].replace("{time}", local_text(args, place))
    if isinstance(source, TimeType):
        raise ValidationError(f"EXTRACT: a TIME has no {unit}")
    days = f"{{{place}}}" if isinstance(source, DateType) else f"{local_text(args, place)} // {DAY}"
    return DATE_FIELDS[unit].replace("{day}", f"{days} + {EPOCH_DAY}")


def _interval_field(unit: str, source: DataType, text: str) -> str:
    if isinstance(source, YearMonthIntervalType):
        fields = {"YEAR": f"({text} // 12 if {text} >= 0 else -(-{text} // 12))"}
        fields["MONTH"] = f"({text} % 12 if {text} >= 0 else -(-{text} % 12))"
    else:
        whole = {
            "DAY": (DAY, 0),
            "HOUR": (LENGTHS["HOUR"], 24),
            "MINUTE": (LENGTHS["MINUTE"], 60),
            "SECOND": (SECOND, 60),
        }
        fields = {}
        for name, (length, cycle) in whole.items():
            turn = f" % {cycle}" if cycle else ""
            fields[name] = f"({text} // {length}{turn} if {text} >= 0 else -(-{text} // {length}{turn}))"
    if unit not in fields:
        raise ValidationError(f"EXTRACT: the interval has no {unit}; it has {', '.join(fields)}")
    return fields[unit]


def _extract_type(args: Sequence[Expression]) -> DataType:
    unit = unit_of(constant(args[0]), "EXTRACT", _FIELDS)
    found = rule("EXTRACT", "any, any", BigIntType())(args)
    if not isinstance(type_of(args[1]), (*types.TIME, *types.INTERVAL, NullType)):
        raise refuse("EXTRACT", args, "a unit and a time")
    _field(unit, args, 1)
    return found


def _part(name: str, sql: str, unit: str, doc: str) -> Entry:
    takes = "temporal" if unit in TIME_FIELDS else "date"
    return Entry(
        name,
        (sql,),
        (1, 1),
        rule(sql, takes, BigIntType()),
        lambda args: _field(unit, args, 0),
        names=NAMES,
        doc=doc,
    )


def rounded_time(name: str, args: Sequence[Expression]) -> str:
    """Text of FLOOR or CEIL of a time to a unit.

    Args:
        name: ``floor`` or ``ceil``.
        args: The time and the literal of the unit.
    """
    unit = unit_of(constant(args[1]), name.upper())
    source = type_of(args[0])
    text = local_text(args, 0)
    if name == "ceil" and unit != "MILLISECOND":
        text = _whole_millis(source, text)
    if unit in MONTHS:
        text = f"{name}_months({text}, {MONTHS[unit]})"
    elif unit == "WEEK":
        text = f"{name}_week({text})"
    elif LENGTHS[unit] > 1:
        length = LENGTHS[unit]
        text = f"({text} // {length} * {length})" if name == "floor" else f"(-(-{text} // {length}) * {length})"
    if isinstance(source, DateType):
        return f"({text} // {DAY})"
    if isinstance(source, LocalZonedTimestampType):
        return f"instant_micros({text}, {SESSION_ZONE})"
    return f"({text} % {DAY})" if isinstance(source, TimeType) else text


def _difference_text(args: Sequence[Expression]) -> str:
    unit = unit_of(constant(args[0]), "TIMESTAMPDIFF")
    start, end = _milli_texts(args, 1, 2)
    if unit in MONTHS:
        months = MONTHS[unit]
        text = f"months_between({start}, {end})"
        return text if months == 1 else f"int({text} / {months})"
    length = LENGTHS[unit] or 1
    # Whole numbers divide towards zero; times are far below 2**63, so that both signs are exact.
    text = f"(({end} - {start}) // {length} if {end} >= {start} else -(({start} - {end}) // {length}))"
    return text if length >= LENGTHS["HOUR"] else in_range(text, IntType())


def _difference_type(args: Sequence[Expression]) -> DataType:
    unit_of(constant(args[0]), "TIMESTAMPDIFF")
    return rule("TIMESTAMPDIFF", "any, moment, moment", IntType())(args)


def _elapsed_type(args: Sequence[Expression]) -> DataType:
    end, start = type_of(args[1]), type_of(args[2])
    if isinstance(end, types.TIME) and isinstance(start, types.TIME) and common_type((end, start)) is None:
        raise refuse("-", args[1:], "two times of one type")
    return rule("-", "any, temporal, temporal", sql_interval(str(constant(args[0]))))(args)


def _elapsed_text(args: Sequence[Expression]) -> str:
    end, start = _milli_texts(args, 1, 2)
    months = isinstance(_elapsed_type(args), YearMonthIntervalType)
    return f"months_between({start}, {end})" if months else f"({end} - {start})"


def _added_type(args: Sequence[Expression]) -> DataType:
    unit = unit_of(constant(args[0]), "TIMESTAMPADD")
    given = type_of(args[2])
    small = unit in ("HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND", "NANOSECOND")
    if isinstance(given, types.STRING):
        given = TimestampType(3 if unit in ("MILLISECOND", "SECOND") else 0)
    elif isinstance(given, DateType) and small:
        given = TimestampType(6)
    return rule("TIMESTAMPADD", "any, whole, moment", given)(args)


def _added_text(args: Sequence[Expression]) -> str:
    unit = unit_of(constant(args[0]), "TIMESTAMPADD")
    (moment,) = _moment_texts(args, 2)
    text = f"add_months({moment}, {{1}} * {MONTHS[unit]})" if unit in MONTHS else ""
    if not text:
        amount = f"{{1}} * {LENGTHS[unit]}" if LENGTHS[unit] else "{1} // 1000"
        text = f"({moment} + {amount})"
    if isinstance(_added_type(args), TimeType):
        return f"({text} % {DAY})"
    return f"({text} // {DAY})" if isinstance(_added_type(args), DateType) else text


def _overlaps_text(args: Sequence[Expression]) -> str:
    def end(start: int, place: int) -> str:
        if isinstance(type_of(args[place]), YearMonthIntervalType):
            return f"add_months({local_text(args, start)}, {{{place}}})"
        if isinstance(type_of(args[place]), DayTimeIntervalType):
            return f"{local_text(args, start)} + {{{place}}}"
        return local_text(args, place)

    return f"overlaps({local_text(args, 0)}, {end(0, 1)}, {local_text(args, 2)}, {end(2, 3)})"


def _optional(function: str, last: str = "") -> Callable[[Sequence[Expression]], str]:
    """A call with as many arguments as there are."""
    start = function if "(" in function else f"{function}("
    return lambda args: f"{start}{', '.join(f'{{{place}}}' for place in range(len(args)))}{last})"


def _instant_text(args: Sequence[Expression]) -> str:
    if isinstance(type_of(args[0]), types.STRING):
        return _optional(f"parsed_instant({10 ** max(6 - _digits(args), 0)}, ")(args)
    return f"instant_of({{0}}, {'{1}' if len(args) > 1 else '3'})"


def _digits(args: Sequence[Expression]) -> int:
    """The precision of the points in time that a pattern yields: the S at its end, but at least 3."""
    pattern = constant(args[1]) if len(args) > 1 else None
    if not isinstance(pattern, str):
        return 3
    date_time_formatter(pattern)
    return min(max(len(pattern) - len(pattern.rstrip("S")), 3), 9)


def _instant_type(args: Sequence[Expression]) -> DataType:
    if isinstance(type_of(args[0]), types.NUMBER):
        given = constant(args[1]) if len(args) > 1 else None
        precision = given if isinstance(given, int) else 3
        if not 0 <= precision <= 9:
            raise ValidationError(f"Precision for TO_TIMESTAMP_LTZ must be between 0 and 9 but was {precision}.")
        kind = LocalZonedTimestampType(max(precision, 3))
        return rule("TO_TIMESTAMP_LTZ", "number, whole?", kind, True)(args)
    kind = LocalZonedTimestampType(_digits(args))
    return rule("TO_TIMESTAMP_LTZ", "string, string?, string?", kind, True)(args)


def _with_pattern(resolve: Rule, place: int, check: Callable[[str], Any]) -> Rule:
    """A rule that also looks at the pattern, where it is known when the job is built."""

    def checked(args: Sequence[Expression]) -> DataType:
        found = resolve(args)
        pattern = constant(args[place]) if len(args) > place else None
        if isinstance(pattern, str):
            check(pattern)
        return found

    return checked


def _format_type(args: Sequence[Expression]) -> DataType:
    found = rule("DATE_FORMAT", "timestamp or string, string", string_type(), True)(args)
    pattern = constant(args[1])
    if isinstance(pattern, str):
        if isinstance(type_of(args[0]), types.STRING):
            simple_date_format(pattern)
        else:
            date_time_formatter(pattern).check_shown()
    return found


def _format_text(args: Sequence[Expression]) -> str:
    if isinstance(type_of(args[0]), types.STRING):
        return "formatted_text({0}, {1})"
    local, pattern = local_text(args, 0), constant(args[1])
    unit = stay(date_time_formatter(pattern).parts) if isinstance(pattern, str) else 0
    if unit >= SECOND:
        return f"formatted_times({{1}})[({local}) // {unit}]"
    return f"formatted({local}, {{1}})"


def _unix_text(args: Sequence[Expression]) -> str:
    if not args:
        return "now_micros() // 1000000"
    pattern = "{1}" if len(args) > 1 else f"'{FORMAT}'"
    return f"unix_seconds({{0}}, {pattern}, {SESSION_ZONE})"


def _from_unix_text(args: Sequence[Expression]) -> str:
    pattern = "{1}" if len(args) > 1 else f"'{FORMAT}'"
    return f"unix_text({{0}}, {pattern}, {SESSION_ZONE})"


def _precise_to_ms(kind: DataType) -> DataType:
    return _INSTANT if isinstance(kind, LocalZonedTimestampType) else TimestampType(3)


def _current(name: str, sql: tuple[str, ...], data_type: DataType, python: str, doc: str) -> Entry:
    resolve = rule(sql[0], "", data_type, False)
    return Entry(name, sql, (0, 0), resolve, python, names=NAMES, deterministic=False, doc=doc)


#: The function of the watermark that has passed in front of an operation, which its code knows as ``watermark``.
CURRENT_WATERMARK = "CURRENT_WATERMARK"
_LOCAL_NOW = f"local_micros(now_micros(), {SESSION_ZONE})"
_INSTANT = LocalZonedTimestampType(3)

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "extract",
        ("EXTRACT",),
        (2, 2),
        _extract_type,
        lambda args: _field(unit_of(constant(args[0]), "EXTRACT", _FIELDS), args, 1),
        names=NAMES,
        doc="A field of a time, such as YEAR, MONTH, DAY, HOUR, DOW (1 is Sunday) or EPOCH.",
    ),
    _part("year", "YEAR", "YEAR", "The year."),
    _part("quarter", "QUARTER", "QUARTER", "The quarter, 1 to 4."),
    _part("month", "MONTH", "MONTH", "The month, 1 to 12."),
    _part("week", "WEEK", "WEEK", "The week of the year by ISO 8601, 1 to 53."),
    _part("dayOfYear", "DAYOFYEAR", "DOY", "The day of the year, 1 to 366."),
    _part("dayOfMonth", "DAYOFMONTH", "DAY", "The day of the month, 1 to 31."),
    _part("dayOfWeek", "DAYOFWEEK", "DOW", "The day of the week, 1 (Sunday) to 7."),
    _part("hour", "HOUR", "HOUR", "The hour, 0 to 23."),
    _part("minute", "MINUTE", "MINUTE", "The minute, 0 to 59."),
    _part("second", "SECOND", "SECOND", "The second, 0 to 59."),
    Entry(
        "timestampDiff",
        ("TIMESTAMPDIFF",),
        (3, 3),
        _difference_type,
        _difference_text,
        names=NAMES,
        doc="Whole units from the second argument to the third: `TIMESTAMPDIFF(DAY, a, b)`.",
    ),
    Entry(
        "minusDate",
        ("MINUS_DATE",),
        (3, 3),
        _elapsed_type,
        _elapsed_text,
        names=NAMES,
        doc="The interval from the second time to the first: `(a - b) DAY TO SECOND`, `(a - b) MONTH`.",
    ),
    Entry(
        "timestampAdd",
        ("TIMESTAMPADD",),
        (3, 3),
        _added_type,
        _added_text,
        names=NAMES,
        doc="The time with a number of units added: `TIMESTAMPADD(DAY, 1, a)`.",
    ),
    Entry(
        "dateFormat",
        ("DATE_FORMAT",),
        (2, 2),
        _format_type,
        _format_text,
        nullable=True,
        names=NAMES,
        doc="The time as text in a [pattern](table-values.md#patterns-of-dates) such as `yyyy-MM-dd HH:mm`.",
    ),
    Entry(
        "toDate",
        ("TO_DATE",),
        (1, 2),
        _with_pattern(rule("TO_DATE", "string, string?", DateType(), True), 1, simple_date_format),
        _optional("parsed_date"),
        nullable=True,
        names=NAMES,
        doc="The DATE of a text, with `yyyy-MM-dd` as the default [pattern](table-values.md#patterns-of-dates); NULL "
        "where it does not parse.",
    ),
    Entry(
        "toTimestamp",
        ("TO_TIMESTAMP",),
        (1, 2),
        _with_pattern(rule("TO_TIMESTAMP", "string, string?", TimestampType(3), True), 1, date_time_formatter),
        _optional("parsed_timestamp"),
        nullable=True,
        names=NAMES,
        doc="The TIMESTAMP(3) of a text, with `yyyy-MM-dd HH:mm:ss` as the default "
        "[pattern](table-values.md#patterns-of-dates); NULL where it does not parse.",
    ),
    Entry(
        "toTimestampLtz",
        ("TO_TIMESTAMP_LTZ",),
        (1, 3),
        _instant_type,
        _instant_text,
        nullable=True,
        names=NAMES,
        doc="The TIMESTAMP_LTZ of a number of seconds (precision 0), milliseconds (3, the default), microseconds (6) "
        "or others up to 9, or of a text with a pattern and a time zone (UTC). It has at least 3 digits of a second.",
    ),
    Entry(
        "fromUnixtime",
        ("FROM_UNIXTIME",),
        (1, 2),
        _with_pattern(rule("FROM_UNIXTIME", "whole, string?", string_type(), True), 1, simple_date_format),
        _from_unix_text,
        names=NAMES,
        doc="The text of seconds since 1970 in the session's zone, in the pattern `yyyy-MM-dd HH:mm:ss` or another.",
    ),
    Entry(
        "unixTimestamp",
        ("UNIX_TIMESTAMP",),
        (0, 2),
        _with_pattern(rule("UNIX_TIMESTAMP", "string?, string?", BigIntType()), 1, simple_date_format),
        _unix_text,
        deterministic=False,
        names=NAMES,
        doc="Seconds since 1970 of a text in the session's zone; without an argument of now.",
    ),
    Entry(
        "convertTz",
        ("CONVERT_TZ",),
        (3, 3),
        rule("CONVERT_TZ", "string, string, string", string_type(), True),
        "converted_text({0}, {1}, {2})",
        nullable=True,
        names=NAMES,
        doc="The text of a time in one zone as text in another: `CONVERT_TZ(a, 'UTC', 'Europe/Paris')`.",
    ),
    Entry(
        "temporalOverlaps",
        ("OVERLAPS",),
        (4, 4),
        rule("OVERLAPS", "any, any, any, any", BooleanType()),
        _overlaps_text,
        names=NAMES,
        doc="Whether two periods share a point in time; each is a start and an end, or a start and an interval.",
    ),
    _current("currentDate", ("CURRENT_DATE",), DateType(), f"({_LOCAL_NOW} // {DAY})", "Today in the session's zone."),
    _current(
        "currentTime",
        ("CURRENT_TIME",),
        TimeType(0),
        f"({_LOCAL_NOW} // {SECOND} * {SECOND} % {DAY})",
        "The time of the day in the session's zone.",
    ),
    _current(
        "localTime",
        ("LOCALTIME",),
        TimeType(0),
        f"({_LOCAL_NOW} // {SECOND} * {SECOND} % {DAY})",
        "The time of the day in the session's zone.",
    ),
    _current("currentTimestamp", ("CURRENT_TIMESTAMP", "NOW"), _INSTANT, "now_micros()", "Now."),
    _current("currentRowTimestamp", ("CURRENT_ROW_TIMESTAMP",), _INSTANT, "now_micros()", "Now, for each row."),
    _current(
        "localTimestamp", ("LOCALTIMESTAMP",), TimestampType(3), _LOCAL_NOW, "Now, as the session's zone shows it."
    ),
    _current("proctime", ("PROCTIME",), _INSTANT, "now_micros()", "The time at which the row is processed."),
    Entry(
        CURRENT_WATERMARK,
        (CURRENT_WATERMARK,),
        (1, 1),
        lambda args: _precise_to_ms(type_of(args[0])),
        "(None if watermark == MIN_WATERMARK else watermark * 1000)",
        strict=False,
        nullable=True,
        names={"MIN_WATERMARK": MIN_WATERMARK},
        deterministic=False,
        doc="The watermark of a time attribute in front of this operation, in streaming mode; NULL: there is none yet.",
    ),
)

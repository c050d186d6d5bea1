"""Functions that give expressions: `col`, `lit`, `call`, and those of SQL without an object to be called on."""

from __future__ import annotations

from typing import Any

from datastream.errors import ValidationError, cut
from datastream.table.dsl.base import literal, symbol
from datastream.table.dsl.expression import Expression, call_of, expression_of
from datastream.table.dsl.udf import UserDefinedFunction, UserDefinedFunctionWrapper, wrapped
from datastream.table.dsl.units import JsonOnNull, TimePointUnit
from datastream.table.plan import expressions as plan
from datastream.table.sql.parser import parse_expression
from datastream.table.types.logical_types import BigIntType, DataType

__all__ = [
    "CURRENT_RANGE",
    "CURRENT_ROW",
    "UNBOUNDED_RANGE",
    "UNBOUNDED_ROW",
    "and_",
    "array",
    "atan2",
    "call",
    "call_sql",
    "coalesce",
    "col",
    "concat",
    "concat_ws",
    "convert_tz",
    "current_database",
    "current_date",
    "current_time",
    "current_timestamp",
    "current_watermark",
    "date_format",
    "descriptor",
    "e",
    "from_unixtime",
    "if_then_else",
    "json",
    "json_array",
    "json_array_agg",
    "json_object",
    "json_object_agg",
    "json_string",
    "lag",
    "lead",
    "lit",
    "local_time",
    "local_timestamp",
    "log",
    "map_",
    "map_from_arrays",
    "negative",
    "not_",
    "null_of",
    "object_of",
    "or_",
    "pi",
    "rand",
    "rand_integer",
    "range_",
    "row",
    "row_interval",
    "source_watermark",
    "temporal_overlaps",
    "timestamp_diff",
    "to_date",
    "to_timestamp",
    "to_timestamp_ltz",
    "unix_timestamp",
    "uuid",
    "with_all_columns",
    "with_columns",
    "without_columns",
]

Expr = Expression[Any]

UNBOUNDED_ROW: Expr = call_of("unboundedRow")
UNBOUNDED_RANGE: Expr = call_of("unboundedRange")
CURRENT_ROW: Expr = call_of("currentRow")
CURRENT_RANGE: Expr = call_of("currentRange")


def col(name: str) -> Expr:
    """A column by its name; ``*`` is all columns."""
    if not isinstance(name, str) or not name:
        raise ValidationError(f"col needs the name of a column, got {cut(name)}")
    return Expression(plan.Star() if name == "*" else plan.Name((name,)))


def lit(v: Any, data_type: DataType | None = None) -> Expr:
    """A constant.

    Args:
        v: Its value.
        data_type: Its type. Default: the narrowest of such values, which may not be NULL.
    """
    return Expression(literal(v, data_type))


def range_(start: str | int, end: str | int) -> Expr:
    """Columns from one to another, by name or by place from 1; for `with_columns` and `without_columns`."""
    nodes = [plan.Name((each,)) if isinstance(each, str) else literal(each) for each in (start, end)]
    return call_of("rangeTo", *nodes)


def and_(predicate0: Any, predicate1: Any, *predicates: Any) -> Expr:
    """Whether all conditions are TRUE."""
    return call_of("and", predicate0, predicate1, *predicates)


def or_(predicate0: Any, predicate1: Any, *predicates: Any) -> Expr:
    """Whether one of the conditions is TRUE."""
    return call_of("or", predicate0, predicate1, *predicates)


def not_(expression: Any) -> Expr:
    """Whether a condition is FALSE; NULL of NULL."""
    return call_of("not", expression)


def current_database() -> Expr:
    """The name of the current database."""
    return call_of("CURRENT_DATABASE")


def current_date() -> Expr:
    """Today in the session's time zone."""
    return call_of("currentDate")


def current_time() -> Expr:
    """The time of the day in the session's time zone."""
    return call_of("currentTime")


def current_timestamp() -> Expr:
    """The machine's time, as a TIMESTAMP_LTZ(3)."""
    return call_of("currentTimestamp")


def current_watermark(rowtimeAttribute: Any) -> Expr:
    """The watermark of a time attribute in front of this operation; NULL: there is none yet."""
    return call_of("CURRENT_WATERMARK", rowtimeAttribute)


def local_time() -> Expr:
    """The time of the day in the session's time zone."""
    return call_of("localTime")


def local_timestamp() -> Expr:
    """The machine's time in the session's time zone, as a TIMESTAMP(3)."""
    return call_of("localTimestamp")


def to_date(date_str: Any, format: Any = None) -> Expr:
    """A text as a DATE. Default of the format: ``yyyy-MM-dd``."""
    return call_of("TO_DATE", date_str, *_given(format))


def to_timestamp(timestamp_str: Any, format: Any = None) -> Expr:
    """A text as a TIMESTAMP. Default of the format: ``yyyy-MM-dd HH:mm:ss``."""
    return call_of("TO_TIMESTAMP", timestamp_str, *_given(format))


def to_timestamp_ltz(*args: Any) -> Expr:
    """A number and its precision (0: seconds, 3: ms), or a text, its format and zone, as a TIMESTAMP_LTZ."""
    return call_of("TO_TIMESTAMP_LTZ", *args)


def temporal_overlaps(left_time_point: Any, left_temporal: Any, right_time_point: Any, right_temporal: Any) -> Expr:
    """Whether two spans of time, each from a point to a point or an interval long, have a moment in common."""
    return call_of("temporalOverlaps", left_time_point, left_temporal, right_time_point, right_temporal)


def date_format(timestamp: Any, format: Any) -> Expr:
    """A timestamp as a text, by a format of Java's such as ``yyyy-MM-dd``."""
    return call_of("dateFormat", timestamp, format)


def timestamp_diff(time_point_unit: TimePointUnit, time_point1: Any, time_point2: Any) -> Expr:
    """How many whole units lie between two points in time."""
    return call_of("timestampDiff", symbol(time_point_unit), time_point1, time_point2)


def convert_tz(date_str: Any, tz_from: Any, tz_to: Any) -> Expr:
    """A timestamp as a text, in another zone."""
    return call_of("convertTz", date_str, tz_from, tz_to)


def from_unixtime(unixtime: Any, format: Any = None) -> Expr:
    """Seconds since 1970 as a text in the session's zone. Default of the format: ``yyyy-MM-dd HH:mm:ss``."""
    return call_of("fromUnixtime", unixtime, *_given(format))


def unix_timestamp(date_str: Any = None, format: Any = None) -> Expr:
    """Seconds since 1970 of a text in the session's zone, or of now."""
    return call_of("unixTimestamp", *_given(date_str), *_given(format))


def array(head: Any, *tail: Any) -> Expr:
    """An array of values."""
    return call_of("array", head, *tail)


def row(head: Any, *tail: Any) -> Expr:
    """A row of values."""
    return call_of("$row", head, *tail)


def map_(key: Any, value: Any, *tail: Any) -> Expr:
    """A map of keys and values in turn."""
    return call_of("map", key, value, *tail)


def map_from_arrays(key: Any, value: Any) -> Expr:
    """A map of an array of keys and one of values."""
    return call_of("MAP_FROM_ARRAYS", key, value)


def descriptor(*column_names: str) -> Expr:
    """Names of columns as an argument of a function that takes tables: ``descriptor("ts").as_argument("on_time")``."""
    for name in column_names:
        if not isinstance(name, str):
            raise ValidationError(f"descriptor needs names of columns, got {cut(name)}")
    return expression_of(plan.Descriptor(column_names))


def object_of(class_name: str, *args: Any) -> Expr:
    """A structured object of names and values of fields in turn."""
    return call_of("OBJECT_OF", class_name, *args)


def row_interval(rows: int) -> Expr:
    """A number of rows, as the size of a window."""
    if isinstance(rows, bool) or not isinstance(rows, int):
        raise ValidationError(f"row_interval needs a number of rows, got {cut(rows)}")
    return lit(rows, BigIntType(False))


def pi() -> Expr:
    """3.14159 ..."""
    return call_of("pi")


def e() -> Expr:
    """2.71828 ..."""
    return call_of("e")


def rand(seed: Any = None) -> Expr:
    """A random number from 0 to below 1."""
    return call_of("rand", *_given(seed))


def rand_integer(bound: Any, seed: Any = None) -> Expr:
    """A random whole number from 0 to below a bound."""
    return call_of("randInteger", *_given(seed), bound)


def atan2(y: Any, x: Any) -> Expr:
    """The angle of a point."""
    return call_of("atan2", y, x)


def negative(v: Any) -> Expr:
    """The number with the other sign."""
    return call_of("minusPrefix", v)


def concat(first: Any, *others: Any) -> Expr:
    """Texts, one after the other; NULL if one is NULL."""
    return call_of("$concat", first, *others)


def concat_ws(separator: Any, first: Any, *others: Any) -> Expr:
    """Texts with a separator between them; those that are NULL are left out."""
    return call_of("concat_ws", separator, first, *others)


def uuid() -> Expr:
    """A random UUID, as a text."""
    return call_of("uuid")


def null_of(data_type: DataType) -> Expr:
    """NULL of a type."""
    return lit(None, data_type)


def log(v: Any, base: Any = None) -> Expr:
    """The logarithm to a base. Default: the natural one."""
    return call_of("log", *_given(base), v)


def source_watermark() -> Expr:
    """In a schema: the watermarks of the source."""
    return call_of("SOURCE_WATERMARK")


def if_then_else(condition: Any, if_true: Any, if_false: Any) -> Expr:
    """One value where a condition is TRUE, another elsewhere."""
    return call_of("$ifThenElse", condition, if_true, if_false)


def coalesce(*args: Any) -> Expr:
    """The first value that is not NULL."""
    return call_of("COALESCE", *args)


def with_all_columns() -> Expr:
    """All columns."""
    return expression_of(plan.Star())


def with_columns(head: Any, *tails: Any) -> Expr:
    """These columns: `col("a")`, places from 1, or `range_` of both."""
    return call_of("withColumns", head, *tails)


def without_columns(head: Any, *tails: Any) -> Expr:
    """All columns but these: `col("a")`, places from 1, or `range_` of both."""
    return call_of("withoutColumns", head, *tails)


def json(value: Any) -> Expr:
    """A text that is JSON already, as an argument of `json_object` or `json_array`."""
    return call_of("JSON", value)


def json_string(value: Any) -> Expr:
    """A value as JSON."""
    return call_of("JSON_STRING", value)


def json_object(on_null: JsonOnNull = JsonOnNull.NULL, *args: Any) -> Expr:
    """A JSON object of keys and values in turn."""
    return call_of("JSON_OBJECT", symbol(on_null), *args)


def json_object_agg(on_null: JsonOnNull, key_expr: Any, value_expr: Any) -> Expr:
    """A JSON object of the keys and values of all rows."""
    return call_of("JSON_OBJECTAGG", symbol(on_null), key_expr, value_expr)


def json_array(on_null: JsonOnNull = JsonOnNull.ABSENT, *args: Any) -> Expr:
    """A JSON array of values."""
    return call_of("JSON_ARRAY", symbol(on_null), *args)


def json_array_agg(on_null: JsonOnNull, item_expr: Any) -> Expr:
    """A JSON array of the values of all rows."""
    return call_of("JSON_ARRAYAGG", symbol(on_null), item_expr)


def lag(expr: Any, offset: Any = 1, default: Any = None) -> Expr:
    """In an OVER window: the value of an earlier row."""
    return call_of("LAG", expr, offset, *_given(default))


def lead(expr: Any, offset: Any = 1, default: Any = None) -> Expr:
    """In an OVER window: the value of a later row."""
    return call_of("LEAD", expr, offset, *_given(default))


def call(f: Any, *args: Any) -> Expr:
    """A call of a function: a user's, or one by its name in a catalog or in SQL."""
    if isinstance(f, str):
        return call_of(f, *args)
    if isinstance(f, UserDefinedFunctionWrapper):
        return f(*args)
    if isinstance(f, UserDefinedFunction):
        return wrapped(f)(*args)
    raise ValidationError(f"call needs the name of a function, or what udf(...) returns, got {cut(f)}")


def call_sql(sql_expression: str) -> Expr:
    """An expression that is written in SQL."""
    return Expression(parse_expression(sql_expression))


def _given(*values: Any) -> list[Any]:
    return [value for value in values if value is not None]

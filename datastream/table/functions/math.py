"""Mathematical functions."""

from __future__ import annotations

import math
import random
import uuid
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from typing import Any

from datastream.table.functions import temporal, types
from datastream.table.functions.checks import RANGE_NAMES, WIDE, in_range, plain_zero
from datastream.table.functions.entry import Entry
from datastream.table.functions.signatures import argument, constant, refuse, rule, type_of
from datastream.table.functions.types import decimal_rounded, string_type
from datastream.table.plan.expressions import Expression
from datastream.table.types.logical_types import (
    CharType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    VarBinaryType,
)

_DOUBLE = DoubleType()


def logarithm(value: float, function: Callable[[float], float] = math.log) -> float:
    """A logarithm: infinite for 0, NaN below."""
    if value > 0:
        return function(value)
    return -math.inf if value == 0 else math.nan


def logarithm_to(base: float, value: float) -> float:
    """The logarithm of a value to a base."""
    over, under = logarithm(value), logarithm(base)
    if under == 0:
        return math.nan if over == 0 or over != over else math.copysign(math.inf, over)
    return over / under


def power(base: float, exponent: float) -> float:
    """``base`` to the power of ``exponent``, as Java's Math.pow."""
    if exponent == 0:
        return 1.0
    if base != base or exponent != exponent or (abs(base) == 1 and math.isinf(exponent)):
        return math.nan
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf
    except ValueError:
        odd = base == 0 and exponent % 2 == 1 and math.copysign(1.0, base) < 0
        return (-math.inf if odd else math.inf) if base == 0 else math.nan


#: Holds the digits of every DOUBLE before its point.
_ANY_DOUBLE = Context(prec=400)


def defined(function: Callable[[float], float], value: float) -> float:
    """The function's value; NaN where it has none, infinite where it overflows."""
    try:
        return function(value)
    except ValueError:
        return math.nan
    except OverflowError:
        return -math.inf if function is math.sinh and value < 0 else math.inf


def cotangent(value: float) -> float:
    """``1 / tan``, as in Flink."""
    tangent = math.tan(value)
    return 1 / tangent if tangent else math.copysign(math.inf, tangent)


def logarithm_to_2(value: float) -> float:
    """The logarithm to the base of 2, computed as in Flink."""
    return logarithm(value) / math.log(2)


def rounded(value: float, places: int, mode: str = ROUND_HALF_UP) -> float:
    """A DOUBLE rounded at a place after the point; below zero before it."""
    if not math.isfinite(value):
        return value
    return float(_digits(value, places, mode)) + 0.0  # no zero has a sign


def _digits(value: float, places: int, mode: str) -> Decimal:
    """The decimal digits of a DOUBLE up to a place."""
    exact = Decimal(repr(value))
    return exact if places >= 0 and -_exponent(exact) <= places else _quantized(exact, places, mode)


def _exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    return exponent


def _quantized(value: Decimal, places: int, mode: str) -> Decimal:
    unit = Decimal((0, (1,), -places))
    return value.quantize(unit, mode, _ANY_DOUBLE)


def rounded_decimal(value: Decimal, places: int, scale: int, mode: str = ROUND_HALF_UP) -> Decimal:
    """A DECIMAL rounded at a place, in the scale of its type."""
    kept = value if places >= -_exponent(value) else value.quantize(Decimal((0, (1,), -places)), mode, WIDE)
    return plain_zero(kept.quantize(Decimal((0, (1,), -scale)), ROUND_HALF_UP, WIDE))


def rounded_whole(value: int, places: int) -> int:
    """A whole number rounded half away from zero at a place before the point."""
    if places >= 0:
        return value
    unit = int(10**-places)
    half = (abs(value) + unit // 2) // unit * unit
    return half if value >= 0 else -half


def cut_whole(value: int, places: int) -> int:
    """A whole number with zeros from a place before the point on."""
    unit = int(10 ** max(-places, 0))
    return value // unit * unit if value >= 0 else -(-value // unit * unit)


def whole_decimal(value: Decimal, mode: str) -> Decimal:
    """A DECIMAL without a fraction."""
    return plain_zero(value.quantize(Decimal(1), mode, WIDE))


def drawn(seed: int | None = None) -> float:
    """A random number from 0 up to 1."""
    return random.random() if seed is None else _seeded(seed).random()


def drawn_whole(*given: int) -> int:
    """A random whole number below the last argument; the first of two is the seed."""
    if given[-1] <= 0:
        return 0
    return random.randrange(given[-1]) if len(given) == 1 else _seeded(given[0]).randrange(given[1])


_generators: dict[int, random.Random] = {}


def _seeded(seed: int) -> random.Random:
    return _generators.setdefault(seed, random.Random(seed))


def hexadecimal(value: int | str | bytes) -> str:
    """The hexadecimal digits of a whole number of 64 bits, or of a text's bytes, in upper case."""
    if isinstance(value, int):
        return f"{value & 0xFFFFFFFFFFFFFFFF:X}"
    return (value.encode() if isinstance(value, str) else value).hex().upper()


def from_hexadecimal(text: str) -> bytes | None:
    """The bytes of hexadecimal digits, or None; as in Flink, the first digit of an odd number of them counts as 0."""
    try:
        odd = len(text) % 2
        found = bytes.fromhex("0" * odd + text)
        return b"\0" + found[1:] if odd else found
    except ValueError:
        return None


NAMES: Mapping[str, Any] = {
    **RANGE_NAMES,
    **{
        function.__name__: function
        for function in (
            *(
                logarithm,
                logarithm_to,
                logarithm_to_2,
                power,
                defined,
                cotangent,
                rounded,
                rounded_decimal,
                rounded_whole,
                cut_whole,
            ),
            *(whole_decimal, drawn, drawn_whole, hexadecimal, from_hexadecimal),
        )
    },
    "math": math,
    "new_uuid": uuid.uuid4,
}


def _as_float(args: Sequence[Expression], place: int) -> str:
    text = f"{{{place}}}"
    return f"float({text})" if isinstance(type_of(args[place]), DecimalType) else text


def _real(name: str, sql: str, python: str, doc: str) -> Entry:
    """A function of one number that returns a DOUBLE; ``{x}`` is replaced by the argument."""
    resolve = rule(sql, "number", _DOUBLE)
    return Entry(
        name,
        (sql,),
        (1, 1),
        resolve,
        lambda args: python.replace("{x}", _as_float(args, 0)),
        names=NAMES,
        doc=doc,
    )


def _rounding_type(sql: str) -> Callable[[Sequence[Expression]], DataType]:
    def resolve(args: Sequence[Expression]) -> DataType:
        given = type_of(args[0])
        if len(args) == 2 or isinstance(given, types.TIME):
            if len(args) != 2 or not isinstance(given, types.TIME):
                raise refuse(sql, args, "a number, or a time and a unit")
            temporal.rounded_time(sql.lower(), args)
            return rule(sql, "temporal, any", argument(0))(args)
        result = DecimalType(given.precision, 0) if isinstance(given, DecimalType) else given
        return rule(sql, "number", result)(args)

    return resolve


def _rounding_text(name: str) -> Callable[[Sequence[Expression]], str]:
    def text(args: Sequence[Expression]) -> str:
        if len(args) == 2:
            return temporal.rounded_time(name, args)
        given = type_of(args[0])
        if isinstance(given, types.WHOLE):
            return "{0}"
        if isinstance(given, DecimalType):
            return f"whole_decimal({{0}}, '{ROUND_FLOOR if name == 'floor' else ROUND_CEILING}')"
        return f"(math.copysign(math.{name}({{0}}), {{0}}) if math.isfinite({{0}}) else {{0}})"

    return text


def _absolute_text(args: Sequence[Expression]) -> str:
    given = type_of(args[0])
    if isinstance(given, DecimalType):
        return "{0}.copy_abs()"
    return in_range("abs({0})", given) if isinstance(given, types.WHOLE) else "abs({0})"


def _sign_text(args: Sequence[Expression]) -> str:
    given = type_of(args[0])
    sign = "(({0} > 0) - ({0} < 0))"
    if isinstance(given, types.WHOLE):
        return sign
    if isinstance(given, DecimalType):
        return f"to_decimal({sign}, {given.precision}, {given.scale})"
    return f"({{0}} if {{0}} != {{0}} else {sign} * 1.0)"


def _rounded_type(sql: str) -> Callable[[Sequence[Expression]], DataType]:
    def resolve(args: Sequence[Expression]) -> DataType:
        given = type_of(args[0])
        if isinstance(given, DecimalType):
            places = constant(args[1]) if len(args) > 1 else 0
            if isinstance(places, int):
                given = decimal_rounded(given, places)
        return rule(sql, "number, whole?", given)(args)

    return resolve


def _rounded_text(args: Sequence[Expression]) -> str:
    given, places = type_of(args[0]), "{1}" if len(args) > 1 else "0"
    if isinstance(given, types.WHOLE):
        return in_range(f"rounded_whole({{0}}, {places})", given)
    if isinstance(given, DecimalType):
        return f"rounded_decimal({{0}}, {places}, {_scale(_rounded_type('ROUND')(args))})"
    text = f"rounded({{0}}, {places})"
    return f"single({text})" if isinstance(given, FloatType) else text


def _scale(data_type: DataType) -> int:
    assert isinstance(data_type, DecimalType)
    return data_type.scale


def _cut_text(args: Sequence[Expression]) -> str:
    given, places = type_of(args[0]), "{1}" if len(args) > 1 else "0"
    if isinstance(given, types.WHOLE):
        return f"cut_whole({{0}}, {places})"
    if isinstance(given, DecimalType):
        return f"rounded_decimal({{0}}, {places}, {_scale(_rounded_type('TRUNCATE')(args))}, '{ROUND_DOWN}')"
    text = f"rounded({{0}}, {places}, '{ROUND_DOWN}')"
    return f"single({text})" if isinstance(given, FloatType) else text


def _log_text(args: Sequence[Expression]) -> str:
    if len(args) == 1:
        return f"logarithm({_as_float(args, 0)})"
    return f"logarithm_to({_as_float(args, 0)}, {_as_float(args, 1)})"


def _two(function: str) -> Callable[[Sequence[Expression]], str]:
    return lambda args: f"{function}({_as_float(args, 0)}, {_as_float(args, 1)})"


def _entry(
    name: str,
    sql: tuple[str, ...],
    arity: tuple[int, int],
    takes: str,
    result: Any,
    python: Any,
    doc: str,
    *,
    nullable: bool = False,
    deterministic: bool = True,
) -> Entry:
    if takes:
        resolve = rule(sql[0], takes, result, True if nullable else None)
    else:
        resolve = result if callable(result) else rule(sql[0], "", result, False)
    return Entry(
        name,
        sql,
        arity,
        resolve,
        python,
        nullable=nullable,
        names={**temporal.NAMES, **NAMES},
        deterministic=deterministic,
        doc=doc,
    )


ENTRIES: tuple[Entry, ...] = (
    _entry("abs", ("ABS",), (1, 1), "number", argument(0), _absolute_text, "The absolute value."),
    _entry("sign", ("SIGN",), (1, 1), "number", argument(0), _sign_text, "-1, 0 or 1, in the argument's type."),
    _entry(
        "floor",
        ("FLOOR",),
        (1, 2),
        "",
        _rounding_type("FLOOR"),
        _rounding_text("floor"),
        "The whole number below; of a time the start of a unit: `FLOOR(a TO DAY)`.",
    ),
    _entry(
        "ceil",
        ("CEIL", "CEILING"),
        (1, 2),
        "",
        _rounding_type("CEIL"),
        _rounding_text("ceil"),
        "The whole number above; of a time the end of a unit: `CEIL(a TO DAY)`.",
    ),
    _entry(
        "round",
        ("ROUND",),
        (1, 2),
        "",
        _rounded_type("ROUND"),
        _rounded_text,
        "The number rounded half up at a place after the point.",
    ),
    _entry(
        "truncate",
        ("TRUNCATE",),
        (1, 2),
        "",
        _rounded_type("TRUNCATE"),
        _cut_text,
        "The number cut at a place after the point.",
    ),
    _entry(
        "power",
        ("POWER",),
        (2, 2),
        "number, number",
        _DOUBLE,
        _two("power"),
        "The first argument to the power of the second.",
    ),
    _entry(
        "log",
        ("LOG",),
        (1, 2),
        "number, number?",
        _DOUBLE,
        _log_text,
        "The natural logarithm; with two arguments that of the second to the base of the first.",
    ),
    _entry(
        "atan2",
        ("ATAN2",),
        (2, 2),
        "number, number",
        _DOUBLE,
        _two("math.atan2"),
        "The angle of the point (x, y) of `ATAN2(y, x)`.",
    ),
    _real("sqrt", "SQRT", "(math.sqrt({x}) if {x} >= 0 else math.nan)", "The square root."),
    _real("ln", "LN", "logarithm({x})", "The natural logarithm."),
    _real("log10", "LOG10", "logarithm({x}, math.log10)", "The logarithm to the base of 10."),
    _real("log2", "LOG2", "logarithm_to_2({x})", "The logarithm to the base of 2."),
    _real("exp", "EXP", "defined(math.exp, {x})", "e to the power of the argument."),
    _real("sin", "SIN", "defined(math.sin, {x})", "The sine."),
    _real("cos", "COS", "defined(math.cos, {x})", "The cosine."),
    _real("tan", "TAN", "defined(math.tan, {x})", "The tangent."),
    _real("cot", "COT", "defined(cotangent, {x})", "The cotangent."),
    _real("asin", "ASIN", "defined(math.asin, {x})", "The arc sine."),
    _real("acos", "ACOS", "defined(math.acos, {x})", "The arc cosine."),
    _real("atan", "ATAN", "math.atan({x})", "The arc tangent."),
    _real("sinh", "SINH", "defined(math.sinh, {x})", "The hyperbolic sine."),
    _real("cosh", "COSH", "defined(math.cosh, {x})", "The hyperbolic cosine."),
    _real("tanh", "TANH", "math.tanh({x})", "The hyperbolic tangent."),
    _real("degrees", "DEGREES", "math.degrees({x})", "The degrees of an angle in radians."),
    _real("radians", "RADIANS", "math.radians({x})", "The radians of an angle in degrees."),
    _entry("pi", ("PI",), (0, 0), "", _DOUBLE, "math.pi", "The number pi."),
    _entry("e", ("E",), (0, 0), "", _DOUBLE, "math.e", "The number e."),
    _entry(
        "rand",
        ("RAND",),
        (0, 1),
        "whole?",
        _DOUBLE,
        lambda args: f"drawn({'{0}' if args else ''})",
        "A random DOUBLE from 0 up to 1; the argument is a seed.",
        deterministic=False,
    ),
    _entry(
        "randInteger",
        ("RAND_INTEGER",),
        (1, 2),
        "whole, whole?",
        IntType(),
        lambda args: f"drawn_whole({', '.join(('{0}', '{1}')[: len(args)])})",
        "A random INT from 0 up to the last argument; the first one of two is a seed.",
        deterministic=False,
    ),
    _entry("uuid", ("UUID",), (0, 0), "", CharType(36), "str(new_uuid())", "A random UUID.", deterministic=False),
    _entry(
        "bin",
        ("BIN",),
        (1, 1),
        "whole",
        string_type(),
        "format({0} & 0xFFFFFFFFFFFFFFFF, 'b')",
        "The binary digits of a whole number.",
    ),
    _entry(
        "hex",
        ("HEX",),
        (1, 1),
        "whole or string",
        string_type(),
        "hexadecimal({0})",
        "The hexadecimal digits of a whole number, or of a text's bytes.",
    ),
    _entry(
        "UNHEX",
        ("UNHEX",),
        (1, 1),
        "string",
        VarBinaryType(types.LONGEST),
        "from_hexadecimal({0})",
        "The bytes of hexadecimal digits; NULL where the text has other characters.",
        nullable=True,
    ),
)

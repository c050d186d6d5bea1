"""Aggregate functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from datastream.errors import ValidationError
from datastream.table.functions import accumulation, types
from datastream.table.functions.checks import RANGE_NAMES, WIDE, in_range
from datastream.table.functions.coercion import has_equality, has_order
from datastream.table.functions.entry import AggregateEntry
from datastream.table.functions.signatures import argument, constant, refuse, rule, type_of
from datastream.table.functions.text_lengths import unchanged
from datastream.table.functions.types import average_type, sum_type
from datastream.table.plan.expressions import Expression
from datastream.table.types.logical_types import (
    ArrayType,
    BigIntType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    MultisetType,
    VarCharType,
)

_COUNT = BigIntType(False)

NAMES: Mapping[str, Any] = {
    **RANGE_NAMES,
    "WIDE": WIDE,
    **{
        function.__name__: function
        for function in (
            *(accumulation.count_in, accumulation.count_all, accumulation.greatest_left, accumulation.least_left),
            *(accumulation.max_real, accumulation.max_real_left, accumulation.min_real, accumulation.min_real_left),
            *(accumulation.take_out, accumulation.number_left, accumulation.listed, accumulation.truncated),
            *(accumulation.decimal_average, accumulation.exact_variance, accumulation.root, accumulation.variance),
            *(accumulation.only_one, accumulation.whole_or_none, accumulation.scaled_or_none, accumulation.percentile),
            *(accumulation.weighted_percentile, accumulation.object_text, accumulation.array_text),
        )
    },
}

_SUM = AggregateEntry(
    "sum",
    ("SUM",),
    (1, 1),
    rule("SUM", "number", lambda args: sum_type(type_of(args[0])), True),
    slots=("0", "0"),
    add=("{s0} += {x0}", "{s1} += 1"),
    retract=("{s0} -= {x0}", "{s1} -= 1"),
    merge=("{s0} += {o0}", "{s1} += {o1}"),
    value="({s0} if {s1} else None)",
    names=NAMES,
    doc="The sum, in the argument's type, of DECIMALs with 38 digits.",
)

_EXACT: Mapping[str, Any] = {
    "add": ("{s0} = WIDE.add({s0}, {x0})", "{s1} += 1"),
    "retract": ("{s0} = WIDE.subtract({s0}, {x0})", "{s1} -= 1"),
    "merge": ("{s0} = WIDE.add({s0}, {o0})", "{s1} += {o1}"),
}


def _sum_of(args: Sequence[Expression]) -> AggregateEntry:
    given = type_of(args[0])
    if isinstance(given, DecimalType):
        return replace(_SUM, **_EXACT, value=f"(to_decimal({{s0}}, 38, {given.scale}) if {{s1}} else None)")
    if isinstance(given, types.WHOLE):
        return replace(_SUM, value=f"({in_range('{s0}', given)} if {{s1}} else None)")
    shown = "single({s0})" if isinstance(given, FloatType) else "{s0}"
    return replace(_SUM, slots=("0.0", "0"), value=f"({shown} if {{s1}} else None)")


def _sum0_of(args: Sequence[Expression]) -> AggregateEntry:
    found = _sum_of(args)
    value = found.value.removesuffix(" if {s1} else None)") + ")"
    return replace(_SUM0, slots=found.slots, add=found.add, retract=found.retract, merge=found.merge, value=value)


_SUM0 = replace(
    _SUM,
    name="sum0",
    sql=("$SUM0", "SUM0"),
    result=rule("SUM0", "number", lambda args: sum_type(type_of(args[0])), False),
    value="{s0}",
    doc="The sum; 0 where there is no row.",
)


def _average_of(args: Sequence[Expression]) -> AggregateEntry:
    given, result = type_of(args[0]), average_type(type_of(args[0]))
    if isinstance(result, DecimalType):
        text = f"decimal_average({{s0}}, {{s1}}, {result.scale})"
        return replace(_AVERAGE, **_EXACT, value=f"({text} if {{s1}} else None)")
    if isinstance(given, types.WHOLE):
        return _AVERAGE
    shown = "single({s0} / {s1})" if isinstance(given, FloatType) else "{s0} / {s1}"
    return replace(_AVERAGE, slots=("0.0", "0"), value=f"({shown} if {{s1}} else None)")


_AVERAGE = replace(
    _SUM,
    name="avg",
    sql=("AVG",),
    result=rule("AVG", "number", lambda args: average_type(type_of(args[0])), True),
    value="(truncated({s0}, {s1}) if {s1} else None)",
    doc="The average, in the argument's type: of whole numbers without the fraction.",
)


def _extreme(name: str, sign: str, left: str, doc: str) -> AggregateEntry:
    resolve = rule(name.upper(), "any", argument(0), True)

    def ordered(args: Sequence[Expression]) -> DataType:
        if not has_order(type_of(args[0])):
            raise refuse(name.upper(), args, "values that have an order")
        return resolve(args)

    better = f"if {{s0}} is None or {{x0}} {sign} {{s0}}:\n    {{s0}} = {{x0}}"
    made = AggregateEntry(
        name,
        (name.upper(),),
        (1, 1),
        ordered,
        slots=("None",),
        add=(better,),
        merge=(f"if {{o0}} is not None and ({{s0}} is None or {{o0}} {sign} {{s0}}):\n    {{s0}} = {{o0}}",),
        value="{s0}",
        retract_slots=("None", "dict()"),
        retract_add=(
            f"if count_in({{s1}}, {{x0}}) > 0 and ({{s0}} is None or {{x0}} {sign} {{s0}}):\n    {{s0}} = {{x0}}",
        ),
        retract=(f"{{s0}} = {left}({{s1}}, {{x0}}, {{s0}})",),
        names=NAMES,
        doc=doc,
    )
    of_reals = replace(
        made,
        retract_add=(f"{{s0}} = {name}_real({{s1}}, {{x0}}, {{s0}})",),
        retract=(f"{{s0}} = {name}_real_left({{s1}}, {{x0}}, {{s0}})",),
    )
    return replace(made, variant=lambda args: of_reals if isinstance(type_of(args[0]), types.APPROXIMATE) else made)


def _distribution_of(entry: AggregateEntry, less: int, rooted: bool) -> Callable[[Sequence[Expression]], Any]:
    def variant(args: Sequence[Expression]) -> AggregateEntry:
        result = average_type(type_of(args[0]))
        if isinstance(result, types.APPROXIMATE):
            text = f"variance({{s0}}, {{s2}}, {less})"
            text = f"root({text})" if rooted else text
            if isinstance(result, FloatType):
                text = f"(single({text}) if {{s0}} > {less} else None)"
            return replace(entry, value=text)
        text = f"exact_variance({{s0}}, {{s1}}, {{s2}}, {less})"
        text = f"root({text})" if rooted else text
        if isinstance(result, DecimalType):
            value = f"scaled_or_none({text}, {result.scale})"
        else:
            value = f"({in_range('_v', result)} if (_v := whole_or_none({text})) is not None else None)"
        return replace(
            entry,
            slots=("0", "0", "0"),
            add=("{s0} += 1", "{s1} = WIDE.add({s1}, {x0})", "{s2} = WIDE.add({s2}, WIDE.multiply({x0}, {x0}))")
            if isinstance(result, DecimalType)
            else ("{s0} += 1", "{s1} += {x0}", "{s2} += {x0} * {x0}"),
            retract=(
                "{s0} -= 1",
                "{s1} = WIDE.subtract({s1}, {x0})",
                "{s2} = WIDE.subtract({s2}, WIDE.multiply({x0}, {x0}))",
            )
            if isinstance(result, DecimalType)
            else ("{s0} -= 1", "{s1} -= {x0}", "{s2} -= {x0} * {x0}"),
            merge=("{s0} += {o0}", "{s1} = WIDE.add({s1}, {o1})", "{s2} = WIDE.add({s2}, {o2})")
            if isinstance(result, DecimalType)
            else ("{s0} += {o0}", "{s1} += {o1}", "{s2} += {o2}"),
            value=value,
        )

    return variant


def _distribution(name: str, sql: tuple[str, ...], less: int, rooted: bool, doc: str) -> AggregateEntry:
    """Slots: the number of values, their average, and the sum of their squared distances to it."""
    entry = AggregateEntry(
        name,
        sql,
        (1, 1),
        rule(sql[0], "number", lambda args: average_type(type_of(args[0])), True),
        slots=("0", "0.0", "0.0"),
        add=(
            "{s0} += 1",
            "_d = {x0} - {s1}",
            "{s1} += _d / {s0}",
            "{s2} += _d * ({x0} - {s1})",
        ),
        retract=(
            "{s0} -= 1",
            "_d = {x0} - {s1}",
            "{s1} = {s1} - _d / {s0} if {s0} else 0.0",
            "{s2} = {s2} - _d * ({x0} - {s1}) if {s0} else 0.0",
        ),
        merge=(
            "if {o0}:\n"
            "    _n, _d = {s0} + {o0}, {o1} - {s1}\n"
            "    {s2} += {o2} + _d * _d * {s0} * {o0} / _n\n"
            "    {s1} += _d * {o0} / _n\n"
            "    {s0} = _n",
        ),
        value=f"root(variance({{s0}}, {{s2}}, {less}))" if rooted else f"variance({{s0}}, {{s2}}, {less})",
        names=NAMES,
        doc=doc,
    )
    return replace(entry, variant=_distribution_of(entry, less, rooted))


def _by_arrival(name: str, sql: str, first: bool, doc: str) -> AggregateEntry:
    return AggregateEntry(
        name,
        (sql,),
        (1, 1),
        rule(sql, "any", argument(0), True),
        slots=("None",),
        add=("if {s0} is None:\n    {s0} = {x0}" if first else "{s0} = {x0}",),
        merge=("if {s0} is None:\n    {s0} = {o0}" if first else "if {o0} is not None:\n    {s0} = {o0}",),
        value="{s0}",
        retract_slots=("[]",),
        retract_add=("{s0}.append({x0})",),
        retract=("take_out({s0}, {x0})",),
        retract_value=f"({{s0}}[{0 if first else -1}] if {{s0}} else None)",
        names=NAMES,
        doc=doc,
    )


def _listagg_of(args: Sequence[Expression]) -> AggregateEntry:
    separator = constant(args[1]) if len(args) > 1 else ","
    if not isinstance(separator, str):
        return _LISTAGG
    shown = repr(separator).replace("{", "{{").replace("}", "}}")
    return replace(_LISTAGG, value=f"({shown}.join({{s0}}) if {{s0}} else None)")


_LIST: Mapping[str, Any] = {
    "slots": ("[]",),
    "add": ("{s0}.append({x0})",),
    "retract": ("take_out({s0}, {x0})",),
    "merge": ("{s0}.extend({o0})",),
}

_LISTAGG = AggregateEntry(
    "LISTAGG",
    ("LISTAGG",),
    (1, 2),
    rule("LISTAGG", "string, string?", unchanged),
    **_LIST,
    value="(','.join({s0}) if {s0} else None)",
    names=NAMES,
    doc="The strings as one, in the order of arrival, with a separator between them; `,` by default.",
)


def _hashable(name: str, result: Any) -> Callable[[Sequence[Expression]], DataType]:
    resolve = rule(name, "any", result, False)

    def checked(args: Sequence[Expression]) -> DataType:
        if not has_equality(type_of(args[0])):
            raise refuse(name, args, "values other than maps")
        return resolve(args)

    return checked


def _percentile_type(args: Sequence[Expression]) -> DataType:
    share = type_of(args[1])
    if isinstance(share, ArrayType):
        rule("PERCENTILE", "number, array, whole?", DoubleType(), True)(args)
        return ArrayType(DoubleType())
    value = constant(args[1])
    if isinstance(value, (int, float)) and not 0 <= value <= 1:
        raise ValidationError(f"PERCENTILE: expected a share from 0 to 1, got {value}")
    return rule("PERCENTILE", "number, number, whole?", DoubleType(), True)(args)


def _percentile_of(args: Sequence[Expression]) -> AggregateEntry:
    """With a third argument each value counts so many times; below 1 not at all."""
    if len(args) == 2:
        return _PERCENTILE
    return replace(
        _PERCENTILE,
        slots=("dict()", "None"),
        add=("if {x2} is not None and {x2} > 0:\n    count_in({s0}, {x0}, {x2})", "{s1} = {x1}"),
        retract=("if {x2} is not None and {x2} > 0:\n    count_in({s0}, {x0}, -{x2})",),
        merge=("count_all({s0}, {o0})", "{s1} = {s1} if {o1} is None else {o1}"),
        value="weighted_percentile({s0}, {s1})",
    )


_PERCENTILE = AggregateEntry(
    "PERCENTILE",
    ("PERCENTILE",),
    (2, 3),
    _percentile_type,
    slots=("[]", "None"),
    add=("{s0}.append({x0})", "{s1} = {x1}"),
    retract=("take_out({s0}, {x0})",),
    merge=("{s0}.extend({o0})", "{s1} = {s1} if {o1} is None else {o1}"),
    value="percentile({s0}, {s1})",
    names=NAMES,
    doc="The value below which a share (0 to 1) of the values lies; with an array one for each share. With a whole "
    "number as the third argument each value counts so many times.",
)


def _json_type(name: str, parameters: str) -> Callable[[Sequence[Expression]], DataType]:
    """SQL gives the first argument as a text; a keyword is the Table API's, whose result is another type in Flink."""
    of_sql, of_api = (rule(name, parameters, kind, False) for kind in (VarCharType(2000), VarCharType(2**31 - 1)))
    return lambda args: (of_sql if str(args[0]).startswith("'") else of_api)(args)


def _json_of(base: AggregateEntry, function: str) -> Callable[[Sequence[Expression]], AggregateEntry]:
    def variant(args: Sequence[Expression]) -> AggregateEntry:
        word = "ABSENT" if constant(args[0]) == "ABSENT" else "NULL"
        return replace(base, value=f"{function}({{s0}}, {word!r})")

    return variant


_JSON_OBJECT = AggregateEntry(
    "JSON_OBJECTAGG",
    ("JSON_OBJECTAGG",),
    (3, 3),
    _json_type("JSON_OBJECTAGG", "string, string, any"),
    slots=("[]",),
    add=("{s0}.append(({x1}, {x2}))",),
    retract=("take_out({s0}, ({x1}, {x2}))",),
    merge=("{s0}.extend({o0})",),
    value="object_text({s0}, 'NULL')",
    skips_null=False,
    names=NAMES,
    doc="The JSON object of keys and values: `JSON_OBJECTAGG(KEY a VALUE b)`.",
)
_JSON_ARRAY = replace(
    _JSON_OBJECT,
    name="JSON_ARRAYAGG",
    sql=("JSON_ARRAYAGG",),
    arity=(2, 2),
    result=_json_type("JSON_ARRAYAGG", "string, any"),
    add=("{s0}.append({x1})",),
    retract=("take_out({s0}, {x1})",),
    value="array_text({s0}, 'ABSENT')",
    doc="The JSON array of the values: `JSON_ARRAYAGG(a)`.",
)

ENTRIES: tuple[AggregateEntry, ...] = (
    AggregateEntry(
        "count",
        ("COUNT",),
        (1, 1),
        lambda args: _COUNT,
        slots=("0",),
        add=("{s0} += 1",),
        retract=("{s0} -= 1",),
        merge=("{s0} += {o0}",),
        value="{s0}",
        doc="The number of values that are not NULL; `COUNT(*)`: of rows.",
    ),
    replace(_SUM, variant=_sum_of),
    replace(_SUM0, variant=_sum0_of),
    replace(_AVERAGE, variant=_average_of),
    _extreme("min", "<", "least_left", "The least value."),
    _extreme("max", ">", "greatest_left", "The greatest value."),
    _distribution("stddevPop", ("STDDEV_POP",), 0, True, "The standard deviation of the population."),
    _distribution("stddevSamp", ("STDDEV_SAMP", "STDDEV"), 1, True, "The standard deviation of a sample."),
    _distribution("varPop", ("VAR_POP",), 0, False, "The variance of the population."),
    _distribution("varSamp", ("VAR_SAMP", "VARIANCE"), 1, False, "The variance of a sample."),
    AggregateEntry(
        "collect",
        ("COLLECT",),
        (1, 1),
        _hashable("COLLECT", lambda args: MultisetType(type_of(args[0]))),
        slots=("dict()",),
        add=("count_in({s0}, {x0})",),
        retract=("count_in({s0}, {x0}, -1)",),
        merge=("count_all({s0}, {o0})",),
        value="listed({s0})",
        names=NAMES,
        doc="The multiset of the values.",
    ),
    _by_arrival("FIRST_VALUE", "FIRST_VALUE", True, "The first value that is not NULL, in the order of arrival."),
    _by_arrival("LAST_VALUE", "LAST_VALUE", False, "The last value that is not NULL, in the order of arrival."),
    AggregateEntry(
        "SINGLE_VALUE",
        ("SINGLE_VALUE",),
        (1, 1),
        rule("SINGLE_VALUE", "any", argument(0), True),
        slots=("0", "None"),
        add=("{s0} = only_one({s0})", "{s1} = {x0}"),
        retract=("{s0} -= 1", "{s1} = None"),
        merge=("{s0} = only_one({s0}) if {o0} else {s0}", "{s1} = {o1} if {o0} else {s1}"),
        value="{s1}",
        skips_null=False,
        names=NAMES,
        doc="The value of the only row; an error where there are more rows.",
    ),
    replace(_LISTAGG, variant=_listagg_of),
    AggregateEntry(
        "ARRAY_AGG",
        ("ARRAY_AGG",),
        (1, 1),
        rule("ARRAY_AGG", "any", lambda args: ArrayType(type_of(args[0]))),
        **_LIST,
        value="(tuple({s0}) if {s0} else None)",
        skips_null=False,
        names=NAMES,
        doc="The array of the values, NULL too, in the order of arrival.",
    ),
    AggregateEntry(
        "APPROX_COUNT_DISTINCT",
        ("APPROX_COUNT_DISTINCT",),
        (1, 1),
        _hashable("APPROX_COUNT_DISTINCT", _COUNT),
        slots=("dict()",),
        add=("count_in({s0}, {x0})",),
        retract=("count_in({s0}, {x0}, -1)",),
        merge=("count_all({s0}, {o0})",),
        value="number_left({s0})",
        names=NAMES,
        doc="The number of different values; it is exact.",
    ),
    replace(_PERCENTILE, variant=_percentile_of),
    replace(_JSON_OBJECT, variant=_json_of(_JSON_OBJECT, "object_text")),
    replace(_JSON_ARRAY, variant=_json_of(_JSON_ARRAY, "array_text")),
)

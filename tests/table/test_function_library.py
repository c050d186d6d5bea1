from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from datastream.errors import TypeMismatch, ValidationError
from datastream.table.functions import types as families
from datastream.table.functions.casts import cast_text
from datastream.table.functions.docs import page
from datastream.table.functions.entry import AggregateEntry, Entry
from datastream.table.functions.library import entries, find, nearest
from datastream.table.functions.session_zone import SESSION_ZONE, zone_of
from datastream.table.functions.types import common_type, merged_type
from datastream.table.plan.expressions import Expression, Field, Literal
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import BooleanType, DataType, DecimalType, NullType
from tests.table.function_cases import CASES, Typed, Word

#: They give something else each time.
CHANGING = {"rand", "randInteger", "uuid", "pi", "e"}


def type_for(value: Any) -> DataType:
    match value:
        case None:
            return NullType()
        case bool():
            return DataTypes.BOOLEAN(False)
        case int():
            return DataTypes.INT(False)
        case float():
            return DataTypes.DOUBLE(False)
        case str():
            return DataTypes.STRING(False)
        case bytes():
            return DataTypes.BYTES(False)
        case Decimal():
            scale = -int(value.as_tuple().exponent)
            return DataTypes.DECIMAL(max(len(value.as_tuple().digits), scale + 1), scale, False)
        case tuple():
            return DataTypes.ARRAY(type_for(value[0]), False)
        case dict():
            key, element = next(iter(value.items()))
            return DataTypes.MAP(type_for(key), type_for(element), False)
    raise AssertionError(value)


def literal(given: Any) -> Literal:
    if isinstance(given, Word):
        return Literal(given.value, type=type_for(given.value))
    if isinstance(given, Typed):
        return Literal(given.value, type=given.type if given.value is None else given.type.not_null())
    return Literal(given, type=type_for(given))


def value_of(name: str, args: list[Expression], values: list[Any], zone: str = "UTC") -> tuple[Any, DataType]:
    entry = find(name)
    assert isinstance(entry, Entry)
    result = entry.result(args)
    if entry.strict and any(value is None for value in values):
        return None, result
    names = {f"a{place}": value for place, value in enumerate(values)}
    scope = {**entry.names, SESSION_ZONE: zone_of(zone), **names}

    def run(text: Any) -> Any:
        return eval((text if isinstance(text, str) else text(args)).format(*names), dict(scope))

    value = run(entry.python)
    if isinstance(result, BooleanType) and entry.condition is not None:
        assert bool(run(entry.condition)) is (value is True)
    return value, result


def same(value: Any, expected: Any) -> bool:
    if isinstance(expected, float) and isinstance(value, float):
        return math.isclose(value, expected, rel_tol=1e-12, abs_tol=1e-15) or (value != value and expected != expected)
    if isinstance(expected, tuple) and isinstance(value, tuple):
        return len(value) == len(expected) and all(map(same, value, expected))
    return type(value) is type(expected) and str(value) == str(expected) and value == expected


def fits(value: Any, data_type: DataType) -> bool:
    if value is None:
        return families.is_nullable(data_type)
    if isinstance(data_type, families.WHOLE):
        least, most = families.whole_range(data_type)
        return type(value) is int and least <= value <= most
    if isinstance(data_type, DecimalType):
        exponent = value.as_tuple().exponent
        return -exponent == data_type.scale and value.adjusted() < data_type.precision - data_type.scale
    kinds = {families.STRING: str, families.BYTES: bytes, (BooleanType,): bool, families.APPROXIMATE: float}
    return all(type(value) is kind for family, kind in kinds.items() if isinstance(data_type, family))


def ids(case: Any) -> str:
    return case if isinstance(case, str) else ""


@pytest.mark.parametrize(("name", "given", "expected"), CASES, ids=ids)
def test_values_of_constants_and_of_columns(name: str, given: tuple[Any, ...], expected: Any) -> None:
    constants = [literal(each) for each in given]
    columns: list[Expression] = [
        constant if isinstance(each, Word) else Field(place, f"c{place}", type=constant.type.nullable())
        for place, (each, constant) in enumerate(zip(given, constants, strict=True))
        if constant.type is not None
    ]
    values = [constant.value for constant in constants]
    for args in (list(constants), columns):
        value, data_type = value_of(name, args, values)
        if name.upper() == "TYPEOF" and args is columns:
            continue
        assert same(value, expected), (value, expected)
        # The types of LPAD and RPAD do not tell that their values may be NULL, as in Flink.
        assert value is None and find(name).nullable or fits(value, data_type), (value, data_type)


def test_every_function_has_at_least_two_rows() -> None:
    rows = Counter(entry.name for name, _, _ in CASES if (entry := find(name)) is not None)
    scalar = [entry for entry in entries() if isinstance(entry, Entry) and entry.deterministic]
    assert [entry.name for entry in scalar if rows[entry.name] < 2 and entry.name not in CHANGING] == []
    assert len(list(entries())) >= 150


def test_functions_without_arguments() -> None:
    for name in ("CURRENT_DATE", "LOCALTIME", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "PROCTIME", "UNIX_TIMESTAMP"):
        value, data_type = value_of(name, [], [])
        assert isinstance(value, int)
        assert not families.is_nullable(data_type)
    assert 0 <= value_of("RAND", [], [])[0] < 1
    assert 0 <= value_of("RAND_INTEGER", [literal(3)], [3])[0] < 3
    assert len(value_of("UUID", [], [])[0]) == 36
    assert value_of("PI", [], [])[0] == math.pi
    assert value_of("E", [], [])[0] == math.e


def test_names() -> None:
    for entry in entries():
        assert find(entry.name) is entry
        assert all(find(name) is entry for name in entry.sql)
        assert entry.doc.endswith(".")
    assert find("char_Length") is find("charLength")
    assert find("nothing of this name") is None
    assert nearest("UPER") == "UPPER"


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("+", (2**31 - 1, 1)),
        ("-", (-(2**31),)),
        ("*", (Typed(2**62, DataTypes.BIGINT()), 2)),
        ("+", (Typed(127, DataTypes.TINYINT()), Typed(1, DataTypes.TINYINT()))),
        ("ABS", (-(2**31),)),
        ("/", (-(2**31), -1)),
        ("ELEMENT", ((1, 2),)),
    ],
)
def test_what_leaves_its_type_is_an_error(name: str, given: tuple[Any, ...]) -> None:
    args = [literal(each) for each in given]
    with pytest.raises(TypeMismatch):
        value_of(name, list(args), [each.value for each in args])


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("UPPER", (1,)),
        ("+", ("a", 1)),
        ("AND", (1, True)),
        ("=", (b"a", 1)),
        ("EXTRACT", (Word("PARSEC"), Typed(1, DataTypes.DATE()))),
        ("SHA2", ("a", Word(100))),
        ("ITEM", ((1,), Word(0))),
        ("JSON_VALUE", ("{}", Word("$a.b"))),
        ("COALESCE", (1, "a")),
        ("SUM", ("a",)),
        ("CASE", (1, 2, 3)),
        ("LIKE", ("a", "a!", "!")),
        ("LIKE", ("a", "!a", "!")),
        ("LIKE", ("a", "a", "!!")),
    ],
)
def test_arguments_that_do_not_fit(name: str, given: tuple[Any, ...]) -> None:
    entry = find(name)
    assert entry is not None
    with pytest.raises(ValidationError):
        entry.result([literal(each) for each in given])


def test_result_types() -> None:
    def result(name: str, *given: DataType) -> str:
        entry = find(name)
        assert entry is not None
        data_type = entry.result([Field(place, "c", type=each) for place, each in enumerate(given)])
        return repr(data_type)

    decimal = DataTypes.DECIMAL
    assert result("+", DataTypes.INT(), DataTypes.BIGINT(False)) == repr(DataTypes.BIGINT())
    assert result("+", DataTypes.INT(False), DataTypes.INT(False)) == repr(DataTypes.INT(False))
    assert result("/", DataTypes.INT(), DataTypes.INT()) == repr(DataTypes.INT())
    assert result("+", decimal(10, 2), decimal(5, 4)) == repr(decimal(13, 4))
    assert result("*", decimal(10, 2), decimal(5, 4)) == repr(decimal(16, 6))
    assert result("/", decimal(10, 2), decimal(5, 4)) == repr(decimal(20, 8))
    assert result("%", decimal(10, 2), decimal(5, 4)) == repr(decimal(5, 4))
    assert result("*", decimal(38, 10), decimal(38, 10)) == repr(decimal(38, 6))
    assert result("+", decimal(10, 2), DataTypes.DOUBLE()) == repr(DataTypes.DOUBLE())
    assert result("SUM", DataTypes.INT(False)) == repr(DataTypes.INT())
    assert result("SUM", decimal(10, 2)) == repr(decimal(38, 2))
    assert result("AVG", DataTypes.INT()) == repr(DataTypes.INT())
    assert result("AVG", decimal(10, 2)) == repr(decimal(38, 6))
    assert result("COUNT") == repr(DataTypes.BIGINT(False))
    assert result("ROUND", decimal(10, 4)) == repr(decimal(7, 0))


T = DataTypes
CASTS: list[tuple[DataType, DataType, Any, Any]] = [
    (T.BOOLEAN(), T.STRING(), True, "TRUE"),
    (T.INT(), T.STRING(), -5, "-5"),
    (T.DOUBLE(), T.STRING(), 1.0, "1.0"),
    (T.DOUBLE(), T.STRING(), 1e7, "1.0E7"),
    (T.DOUBLE(), T.STRING(), -1.25e-5, "-1.25E-5"),
    (T.DOUBLE(), T.STRING(), 123456789.125, "1.23456789125E8"),
    (T.DOUBLE(), T.STRING(), math.nan, "NaN"),
    (T.DOUBLE(), T.STRING(), -math.inf, "-Infinity"),
    (T.FLOAT(), T.STRING(), 0.10000000149011612, "0.1"),
    (T.FLOAT(), T.STRING(), 16777216.0, "1.6777216E7"),
    (T.DECIMAL(10, 2), T.STRING(), Decimal("1.50"), "1.50"),
    (T.DATE(), T.STRING(), 19_782, "2024-02-29"),
    (T.TIME(0), T.STRING(), 3_661_000_000, "01:01:01"),
    (T.TIME(3), T.STRING(), 3_661_500_000, "01:01:01.5"),
    (T.TIMESTAMP(3), T.STRING(), 1_500_000, "1970-01-01 00:00:01.500"),
    (T.TIMESTAMP(0), T.STRING(), 1_000_000, "1970-01-01 00:00:01"),
    (T.TIMESTAMP(6), T.STRING(), -1, "1969-12-31 23:59:59.999999"),
    (T.STRING(), T.VARCHAR(2), "abc", "ab"),
    (T.STRING(), T.CHAR(4), "abc", "abc "),
    (T.BYTES(), T.STRING(), b"a", "a"),
    (T.ARRAY(T.INT()), T.STRING(), (1, None), "[1, NULL]"),
    (T.MAP(T.STRING(), T.INT()), T.STRING(), {"a": 1}, "{a=1}"),
    (T.ROW([T.FIELD("a", T.INT()), T.FIELD("b", T.STRING())]), T.STRING(), (1, "x"), "(1, x)"),
    (T.INTERVAL(T.YEAR(), T.MONTH()), T.STRING(), 14, "+1-02"),
    (T.INTERVAL(T.DAY(), T.SECOND(3)), T.STRING(), 90_061_001_000, "+1 01:01:01.001"),
    (T.STRING(), T.BOOLEAN(), "Yes", True),
    (T.STRING(), T.BOOLEAN(), "0", False),
    (T.STRING(), T.INT(), " 12 ", 12),
    (T.STRING(), T.INT(), "12.9", 12),
    (T.STRING(), T.DOUBLE(), "1e3", 1000.0),
    (T.STRING(), T.DECIMAL(5, 2), "1.005", Decimal("1.01")),
    (T.STRING(), T.DATE(), "1970-1-2", 1),
    (T.STRING(), T.DATE(), "1970-01-02 10:00:00", 1),
    (T.STRING(), T.TIME(), "01:00", 3_600_000_000),
    (T.STRING(), T.TIMESTAMP(3), "1970-01-01 00:00:01.5", 1_500_000),
    (T.STRING(), T.TIMESTAMP(0), "1970-01-01", 0),
    (T.STRING(), T.BYTES(), "ä", b"\xc3\xa4"),
    (T.BIGINT(), T.INT(), 5, 5),
    (T.DOUBLE(), T.INT(), -1.9, -1),
    (T.DECIMAL(5, 2), T.INT(), Decimal("-1.99"), -1),
    (T.INT(), T.BOOLEAN(), 2, True),
    (T.BOOLEAN(), T.INT(), True, 1),
    (T.INT(), T.DECIMAL(5, 2), 3, Decimal("3.00")),
    (T.DOUBLE(), T.DECIMAL(5, 1), 0.25, Decimal("0.3")),
    (T.DECIMAL(5, 2), T.DECIMAL(4, 1), Decimal("-1.25"), Decimal("-1.3")),
    (T.DECIMAL(5, 2), T.DOUBLE(), Decimal("1.25"), 1.25),
    (T.DOUBLE(), T.FLOAT(), 0.1, 0.10000000149011612),
    (T.DATE(), T.TIMESTAMP(3), 1, 86_400_000_000),
    (T.TIMESTAMP(3), T.DATE(), -1, -1),
    (T.TIMESTAMP(6), T.TIMESTAMP(3), 1_234_567, 1_234_000),
    (T.TIMESTAMP(3), T.TIME(0), 86_401_500_000, 1_000_000),
    (T.ARRAY(T.INT()), T.ARRAY(T.STRING()), (1, None), ("1", None)),
    (T.ROW([T.FIELD("a", T.INT())]), T.ROW([T.FIELD("b", T.DOUBLE())]), (1,), (1.0,)),
]


def cast(source: DataType, target: DataType, value: Any, zone: str = "UTC") -> Any:
    found = cast_text(source, target)
    assert found is not None
    text, names = found
    bound = {**names, SESSION_ZONE: zone_of(zone)} if SESSION_ZONE in names else dict(names)
    return eval(text.format("x"), {**bound, "x": value})


@pytest.mark.parametrize(("source", "target", "value", "expected"), CASTS)
def test_casts(source: DataType, target: DataType, value: Any, expected: Any) -> None:
    assert same(cast(source, target, value), expected)


@pytest.mark.parametrize(
    ("source", "target", "value"),
    [
        (T.STRING(), T.INT(), "a"),
        (T.STRING(), T.TINYINT(), "128"),
        (T.STRING(), T.DATE(), "2023-02-29"),
        (T.STRING(), T.TIMESTAMP(3), "1970-01-01T00:00:00"),
        (T.STRING(), T.BOOLEAN(), "maybe"),
        (T.BIGINT(), T.INT(), 2**31),
        (T.DOUBLE(), T.BIGINT(), math.nan),
        (T.DOUBLE(), T.INT(), 1e10),
        (T.INT(), T.DECIMAL(2, 0), 100),
        (T.DOUBLE(), T.DECIMAL(5, 2), math.inf),
        (T.DOUBLE(), T.DECIMAL(5, 2), math.nan),
        (T.FLOAT(), T.DECIMAL(5, 2), math.nan),
    ],
)
def test_casts_that_fail(source: DataType, target: DataType, value: Any) -> None:
    with pytest.raises(TypeMismatch):
        cast(source, target, value)


def test_casts_in_a_time_zone() -> None:
    instant = T.TIMESTAMP_LTZ(0)
    assert cast(instant, T.STRING(), 0, "Europe/Paris") == "1970-01-01 01:00:00"
    assert cast(T.STRING(), instant, "1970-01-01 01:00:00", "Europe/Paris") == 0
    assert cast(instant, T.DATE(), -1, "GMT+01:00") == 0
    assert cast(T.ARRAY(instant), T.STRING(), (0,), "Europe/Paris") == "[1970-01-01 01:00:00]"
    assert value_of("HOUR", [Field(0, "c", type=instant)], [0], "Europe/Paris")[0] == 1
    with pytest.raises(ValidationError, match="time zone"):
        zone_of("Europe/Atlantis")


def test_casts_that_there_are_not() -> None:
    assert cast_text(T.INT(), T.TIMESTAMP(3)) is None
    assert cast_text(T.DATE(), T.INT()) is None
    assert cast_text(T.BYTES(), T.INT()) is None


def test_common_types() -> None:
    assert common_type([T.INT(False), T.BIGINT(False)]) == T.BIGINT(False)
    assert common_type([T.INT(False), T.NULL()]) == T.INT()
    assert common_type([T.INT(), T.DECIMAL(5, 2)]) == T.DECIMAL(12, 2)
    assert common_type([T.FLOAT(), T.INT()]) == T.FLOAT()
    assert common_type([T.FLOAT(), T.DECIMAL(5, 2)]) == T.DOUBLE()
    assert common_type([T.CHAR(1), T.CHAR(2)]) == T.VARCHAR(2)
    assert common_type([T.CHAR(2), T.CHAR(2)]) == T.CHAR(2)
    assert common_type([T.DATE(), T.TIMESTAMP(3)]) is None
    assert common_type([T.TIMESTAMP(3), T.TIMESTAMP_LTZ(3)]) == T.TIMESTAMP(3)
    assert common_type([T.TIMESTAMP(3), T.TIMESTAMP_LTZ(6)]) == T.TIMESTAMP_LTZ(6)
    assert common_type([T.ARRAY(T.INT()), T.ARRAY(T.BIGINT())]) == T.ARRAY(T.BIGINT())
    assert common_type([T.INT(), T.STRING()]) is None
    assert common_type([T.TIME(), T.DATE()]) is None


def test_merged_types() -> None:
    assert merged_type([T.DATE(), T.TIMESTAMP(3)]) == T.DATE()
    assert merged_type([T.TIMESTAMP(3), T.TIME(0)]) == T.TIME(0)
    assert merged_type([T.TIMESTAMP(3), T.TIMESTAMP_LTZ(6)]) == T.TIMESTAMP_LTZ(6)
    assert merged_type([T.DATE(), T.TIMESTAMP_LTZ(3)]) is None
    assert merged_type([T.CHAR(2, False), T.VARCHAR(5)]) == T.VARCHAR(5)


def test_the_reference_page_is_current() -> None:
    written = Path(__file__).parents[2] / "docs" / "table-functions.md"
    assert written.read_text() == page(), "python -m datastream.table.functions.docs > docs/table-functions.md"


# -- aggregates ----------------------------------------------------------------------------------------

NUMBERS = [3, 1, 2, 3, -7]
AGGREGATES: list[tuple[str, DataType, list[Any], Any]] = [
    ("COUNT", T.INT(), NUMBERS, 5),
    ("SUM", T.INT(), NUMBERS, 2),
    ("SUM", T.INT(), [], None),
    ("SUM", T.DOUBLE(), [0.5, 0.25], 0.75),
    ("SUM", T.DECIMAL(38, 2), [Decimal(f"{10**33 - 1}.99"), Decimal("0.01")], Decimal(f"{10**33}.00")),
    ("SUM0", T.INT(), [], 0),
    ("SUM0", T.INT(), NUMBERS, 2),
    ("AVG", T.INT(), [-3, -4], -3),
    ("AVG", T.DOUBLE(), [1.0, 2.0], 1.5),
    ("AVG", T.DECIMAL(5, 1), [Decimal("1.0"), Decimal("1.5")], Decimal("1.250000")),
    ("MIN", T.INT(), NUMBERS, -7),
    ("MAX", T.INT(), NUMBERS, 3),
    ("MAX", T.STRING(), ["b", "a"], "b"),
    ("STDDEV_POP", T.DOUBLE(), [1.0, 3.0], 1.0),
    ("STDDEV_POP", T.INT(), [1, 5], 2),
    ("STDDEV_SAMP", T.DOUBLE(), [1.0], None),
    ("STDDEV_SAMP", T.DOUBLE(), [1.0, 3.0], math.sqrt(2)),
    ("VAR_POP", T.DOUBLE(), [1.0, 3.0], 1.0),
    ("VAR_POP", T.DECIMAL(5, 1), [Decimal("1.0"), Decimal("2.0")], Decimal("0.250000")),
    ("VAR_SAMP", T.DOUBLE(), [1.0, 3.0], 2.0),
    ("VAR_SAMP", T.INT(), [1, 4, 7], 9),
    ("COLLECT", T.STRING(), ["a", "b", "a"], {"a": 2, "b": 1}),
    ("FIRST_VALUE", T.INT(), NUMBERS, 3),
    ("LAST_VALUE", T.INT(), NUMBERS, -7),
    ("LISTAGG", T.STRING(), ["a", "b"], "a,b"),
    ("ARRAY_AGG", T.INT(), [1, None, 2], (1, None, 2)),
    ("APPROX_COUNT_DISTINCT", T.INT(), NUMBERS, 4),
]


class Folded:
    """An accumulator as generated code would hold it."""

    def __init__(self, entry: AggregateEntry, updates: bool) -> None:
        self.entry, self.updates = entry, updates
        slots = entry.retract_slots if updates and entry.retract_slots is not None else entry.slots
        self.slots = [eval(text, dict(entry.names)) for text in slots]

    def run(self, lines: tuple[str, ...], values: tuple[Any, ...] = (), other: Folded | None = None) -> None:
        parts = {f"s{place}": f"acc[{place}]" for place in range(len(self.slots))}
        parts |= {f"o{place}": f"other[{place}]" for place in range(len(self.slots))}
        parts |= {f"x{place}": f"x{place}" for place in range(len(values))}
        scope = {**self.entry.names, "acc": self.slots, "other": other.slots if other else []}
        scope |= {f"x{place}": value for place, value in enumerate(values)}
        exec("\n".join(line.format(**parts) for line in lines), scope)

    def add(self, *values: Any) -> None:
        if not (self.entry.skips_null and None in values):
            retracting = self.updates and self.entry.retract_add is not None
            self.run(self.entry.retract_add or () if retracting else self.entry.add, values)

    def retract(self, *values: Any) -> None:
        if not (self.entry.skips_null and None in values):
            self.run(self.entry.retract, values)

    @property
    def value(self) -> Any:
        entry = self.entry
        text = entry.retract_value if self.updates and entry.retract_value is not None else entry.value
        parts = {f"s{place}": f"acc[{place}]" for place in range(len(self.slots))}
        return eval(text.format(**parts), {**entry.names, "acc": self.slots})


def aggregate(name: str, data_type: DataType) -> AggregateEntry:
    found = find(name)
    assert isinstance(found, AggregateEntry)
    return found.of([Field(0, "c", type=data_type)])


@pytest.mark.parametrize(("name", "data_type", "values", "expected"), AGGREGATES)
def test_aggregates(name: str, data_type: DataType, values: list[Any], expected: Any) -> None:
    entry = aggregate(name, data_type)
    plain, updating = Folded(entry, False), Folded(entry, True)
    for value in values:
        plain.add(value)
        updating.add(value)
    assert same(plain.value, expected)
    assert same(updating.value, expected)
    left, right = Folded(entry, False), Folded(entry, False)
    for place, value in enumerate(values):
        (left if place < len(values) // 2 else right).add(value)
    left.run(entry.merge, (), right)
    assert same(left.value, expected)


@pytest.mark.parametrize(("name", "data_type", "values", "expected"), AGGREGATES)
def test_what_is_taken_out_was_never_there(name: str, data_type: DataType, values: list[Any], expected: Any) -> None:
    entry = aggregate(name, data_type)
    kept, clean = Folded(entry, True), Folded(entry, True)
    for value in values[::2]:
        kept.add(value)
        clean.add(value)
    for value in values[1::2]:
        kept.add(value)
    for value in values[1::2]:
        kept.retract(value)
    if name in ("LAST_VALUE", "FIRST_VALUE", "LISTAGG", "ARRAY_AGG") and len(set(values)) < len(values):
        assert kept.value in values
        return
    assert same(kept.value, clean.value)
    for value in values[::2]:
        kept.retract(value)
    assert same(kept.value, Folded(entry, True).value)


def test_aggregates_of_several_arguments() -> None:
    def run(name: str, args: list[Expression], rows: list[tuple[Any, ...]]) -> Any:
        found = find(name)
        assert isinstance(found, AggregateEntry)
        found.result(args)
        folded = Folded(found.of(args), False)
        for row in rows:
            folded.add(*row)
        return folded.value

    text, whole = Field(0, "c", type=T.STRING()), Field(0, "c", type=T.INT())
    assert run("LISTAGG", [text, literal("; ")], [("a", "; "), ("b", "; ")]) == "a; b"
    assert run("PERCENTILE", [whole, literal(0.5)], [(1, 0.5), (2, 0.5), (4, 0.5), (5, 0.5)]) == 3.0
    assert run("JSON_OBJECTAGG", [literal("NULL"), text, whole], [("NULL", "a", None)]) == '{"a":null}'
    with pytest.raises(ValidationError, match="Key 'a' is already present. Duplicate keys are not allowed"):
        run("JSON_OBJECTAGG", [literal("NULL"), text, whole], [("NULL", "a", 1), ("NULL", "a", 2)])
    assert run("JSON_ARRAYAGG", [literal("ABSENT"), whole], [("ABSENT", 1), ("ABSENT", None)]) == "[1]"


def test_a_sum_that_leaves_its_type() -> None:
    folded = Folded(aggregate("SUM", T.INT()), False)
    folded.add(2**31 - 1)
    folded.add(1)
    with pytest.raises(TypeMismatch):
        _ = folded.value


@pytest.mark.parametrize(
    "entry",
    [each for each in entries() if isinstance(each, AggregateEntry) and not each.over_only],
    ids=lambda e: e.name,
)
def test_aggregates_take_rows_out_and_merge(entry: AggregateEntry) -> None:
    assert entry.retract
    assert entry.merge

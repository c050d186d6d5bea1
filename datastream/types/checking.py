"""Fast tests of whether values fit their declared types, as Python expressions.

An expression is put into the generated function of a chain, so a declared type costs some tens of nanoseconds a
field and no call. What does not pass goes to `conversion.fit`, which converts it or says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from decimal import Decimal
from functools import partial
from typing import Any

from datastream.codegen import SourceText
from datastream.time import Instant
from datastream.types.arrays import BasicArrayTypeInfo, ObjectArrayTypeInfo, PrimitiveArrayTypeInfo
from datastream.types.basic import BasicType, BasicTypeInfo
from datastream.types.conversion import BITS, FLOAT_MAX, FORM, Rules, fit, narrowed_keys
from datastream.types.list_and_map import ListTypeInfo, MapTypeInfo
from datastream.types.row import Row, row_factory
from datastream.types.row_kind import RowKind
from datastream.types.row_type import RowTypeInfo
from datastream.types.sql_time import DateTypeInfo, LocalTimeKind, LocalTimeTypeInfo, TimestampTypeInfo, TimeTypeInfo
from datastream.types.tuple_type import TupleTypeInfo
from datastream.types.type_information import TypeInformation

#: Rows and tuples that stand inside each other in one expression; deeper ones are tested by a call.
_INLINE = 8
NO_TEST_NEEDED = "True"
_EXACT = {
    BasicType.STRING: str,
    BasicType.BOOLEAN: bool,
    BasicType.DOUBLE: float,
    BasicType.BIG_INT: int,
}


class Tests:
    """Makes expressions.

    Args:
        code: Where they are used.
    """

    def __init__(self, code: SourceText) -> None:
        self._code = code
        self._depth = 0

    def fits(self, value: str, kind: TypeInformation) -> str:
        """An expression: the value of a variable fits the type as it is.

        It may assign to local variables of its own. ``"True"``: nothing to test.
        """
        if self._depth >= _INLINE and isinstance(kind, (TupleTypeInfo, RowTypeInfo)):
            with self._function() as name:
                self._refuse_unless(self.fits("values", kind))
            return f"{name}({value})"
        self._depth += 1
        try:
            return self._inline(value, kind)
        finally:
            self._depth -= 1

    def _inline(self, value: str, kind: TypeInformation) -> str:
        match kind:
            case BasicTypeInfo(basic):
                return self._basic(value, basic)
            case DateTypeInfo() | LocalTimeTypeInfo(LocalTimeKind.LOCAL_DATE):
                return self._exact(value, date)
            case TimeTypeInfo() | LocalTimeTypeInfo(LocalTimeKind.LOCAL_TIME):
                return f"{self._exact(value, time)} and {value}.tzinfo is None and not {value}.fold"
            case TimestampTypeInfo() | LocalTimeTypeInfo(LocalTimeKind.LOCAL_DATE_TIME):
                return f"{self._exact(value, datetime)} and {value}.tzinfo is None and not {value}.fold"
            case PrimitiveArrayTypeInfo(element):
                if element == BasicTypeInfo(BasicType.BYTE):
                    return self._exact(value, bytes)
                return self._elements(value, element, nullable=False)
            case BasicArrayTypeInfo(element) | ObjectArrayTypeInfo(element) | ListTypeInfo(element):
                return self._elements(value, element, nullable=True)
            case MapTypeInfo():
                return f"{self._exact(value, dict)} and {self._entries_test(kind)}({value})"
            case TupleTypeInfo():
                test = f"{self._exact(value, tuple)} and len({value}) == {len(kind.field_types)}"
                return test + self.fields(value, kind.field_types, nullable=False)
            case RowTypeInfo():
                return self._row(value, kind)
        return NO_TEST_NEEDED

    def _basic(self, value: str, basic: BasicType) -> str:
        if basic in _EXACT:
            return self._exact(value, _EXACT[basic])
        if basic in BITS:
            half = 1 << BITS[basic] - 1
            return f"{self._exact(value, int)} and {-half} <= {value} <= {half - 1}"
        if basic is BasicType.FLOAT:
            return f"{self._exact(value, float)} and {-FLOAT_MAX!r} <= {value} <= {FLOAT_MAX!r}"
        if basic is BasicType.INSTANT:
            return f"{self._exact(value, Instant)} and 0 <= {value}.nanos < 1000000000"
        if basic is BasicType.CHAR:
            return f"{self._exact(value, str)} and len({value}) == 1"
        if basic is BasicType.BIG_DEC:
            # Java has no -0: a number, or a zero without sign.
            return f"{self._exact(value, Decimal)} and {value}.is_finite() and ({value} or not {value}.is_signed())"
        return f"{value} is None"

    def _row(self, value: str, kind: RowTypeInfo) -> str:
        values = self._variable()
        test = f"{self._exact(value, Row)} and len({values} := {value}._values) == {len(kind.field_types)}"
        if kind.named:
            names = self._bind(kind.field_names)
            test += f" and ({value}._fields is {names} or {value}._fields == {names})"
        elif len(kind.field_types) > 1:  # a row of names of its own is as good, but not of these in another order
            own, names = self._variable(), self._bind(kind.field_names)
            same = f"{own} is {names} or 'f0' not in {own} or {own} == {names}"
            test += f" and (({own} := {value}._fields) is None or {same})"
        return test + self.fields(values, kind.field_types, nullable=True)

    def fields(self, values: str, types: tuple[TypeInformation, ...], nullable: bool) -> str:
        """An expression, begun by ``and``: the elements of a variable fit the types, each by its position."""
        found = ""
        for i, kind in enumerate(types):
            field = self._variable()
            test = self.fits(field, kind)
            if test == NO_TEST_NEEDED and nullable:
                continue
            # The variable is set by the first thing that looks at it.
            null = "is None or" if nullable or kind == BasicTypeInfo(BasicType.VOID) else "is not None and"
            found += f" and (({field} := {values}[{i}]) {null} {test})"
        return found

    def _elements(self, value: str, element: TypeInformation, nullable: bool) -> str:
        test = self._exact(value, list)
        exact = _exact_class(element)
        if exact is not None:  # at C speed
            classes = self._bind(frozenset({exact, type(None)} if nullable else {exact}))
            return f"{test} and {classes}.issuperset(map(type, {value}))"
        return f"{test} and {self._elements_test(element, nullable)}({value})"

    def _elements_test(self, element: TypeInformation, nullable: bool) -> str:
        with self._function() as name, self._code.block("for e in values"):
            test = self.fits("e", element)
            self._refuse_unless(f"e is None or {test}" if nullable else test)
        return name

    def _entries_test(self, kind: MapTypeInfo) -> str:
        with self._function() as name:
            with self._code.block("for k, e in values.items()"):
                key, value = self.fits("k", kind.key_type), self.fits("e", kind.value_type)
                self._refuse_unless(f"(k is not None and {key}) and (e is None or {value})")
            if kind.key_type == BasicTypeInfo(BasicType.FLOAT):  # also when they are rounded
                self._refuse_unless(f"len({self._bind(narrowed_keys)}(values)) == len(values)")
        return name

    @contextmanager
    def _function(self) -> Iterator[str]:
        """Lines of a function that tests its argument, `values`; its name."""
        name, depth = self._code.variable("test"), self._depth
        self._depth = 0
        with self._code.function(f"def {name}(values)"):
            yield name
            self._code.line("return True")
        self._depth = depth

    def _refuse_unless(self, test: str) -> None:
        self._code.line(f"if not ({test}): return False")

    def _exact(self, value: str, cls: type) -> str:
        return f"type({value}) is {self._bind(cls)}"

    def _variable(self) -> str:
        return self._code.variable("w")

    def _bind(self, thing: Any) -> str:
        return self._code.bind(thing, "t")


def _exact_class(kind: TypeInformation) -> type | None:
    """The class that says it all, for types whose values only need to be of it."""
    match kind:
        case BasicTypeInfo(basic):
            return _EXACT.get(basic)
        case DateTypeInfo() | LocalTimeTypeInfo(LocalTimeKind.LOCAL_DATE):
            return date
    return None


def fitter(kind: TypeInformation, rules: Rules = FORM) -> Callable[[Any], Any]:
    """A function for what the test of a type did not pass: value -> the value in the type's own form.

    Tuples and rows without names for rows, the common cases, are turned without the careful way. Raises what
    `conversion.fit` raises.
    """
    if not isinstance(kind, RowTypeInfo):
        return partial(fit, kind=kind, rules=rules)
    make = row_factory(kind.field_names)
    code = SourceText(row=make, fit=fit, kind=kind, rules=rules, Row=Row, INSERT=RowKind.INSERT)
    with code.function("def fit_row(v)"):
        code.line("f = v")
        with code.block("if type(v) is Row and v._fields is None and v._row_kind is INSERT"):
            code.line("f = v._values")
        test = f"(type(f) is tuple or f is not v) and len(f) == {len(kind.field_types)}"
        test += Tests(code).fields("f", kind.field_types, nullable=True)
        code.line(f"return row(list(f)) if {test} else fit(v, kind, rules)")
    return code.compiled("fit_row", "type check")


def checker(kind: TypeInformation, rules: Rules = FORM) -> Callable[[Any], Any]:
    """A function: value -> the value, in the type's own form.

    Args:
        kind: The declared type.
        rules: What may be converted.

    Raises (the function):
        TypeMismatch: the value does not fit.
    """
    code = SourceText(fit=fitter(kind, rules))
    with code.function("def check(v)"):
        code.line(f"return v if {Tests(code).fits('v', kind)} else fit(v)")
    return code.compiled("check", "type check")

"""Names and types of expressions."""

from __future__ import annotations

from dataclasses import replace

from datastream.errors import ValidationError
from datastream.table.functions.casts import cast_text
from datastream.table.functions.entry import AggregateEntry, Entry
from datastream.table.functions.implicit_casts import fits
from datastream.table.functions.lookup import FunctionLookup, UserFunction
from datastream.table.functions.map_pairs import holds_maps
from datastream.table.functions.temporal import CURRENT_WATERMARK
from datastream.table.functions.types import STRING
from datastream.table.plan.errors import refused, unknown, wrong
from datastream.table.plan.expression_trees import walk
from datastream.table.plan.expressions import (
    Alias,
    Call,
    Cast,
    Expression,
    Field,
    Literal,
    Name,
    Order,
    Over,
    Star,
    Subquery,
)
from datastream.table.plan.typed import is_boolean, may_be_null, type_of
from datastream.table.types.logical_types import DataType, NullType
from datastream.table.types.type_text import summary

from .bare_null import check_arguments
from .scope import Scope

#: What a window has, beside its columns -> its name.
_OF_WINDOWS = {"windowStart": "start", "windowEnd": "end", "rowtime": "rowtime", "proctime": "proctime"}


class Resolver:
    """Resolves expressions against columns.

    Args:
        scope: The columns.
        functions: The functions.
    """

    def __init__(self, scope: Scope, functions: FunctionLookup) -> None:
        self.scope, self._functions = scope, functions

    @property
    def of_batch(self) -> bool:
        """Whether queries are of batch mode."""
        return self._functions.of_batch

    def resolve(self, expression: Expression) -> Expression:
        """The same with fields, types, and functions by their names in the library.

        Raises:
            ValidationError: A name is not known, or an argument does not fit.
            UnsupportedOperation: Something that is not supported.
        """
        match expression:
            case Name():
                return self.scope.resolve(expression)
            case Field() | Literal():
                return expression
            case Call():
                return self._call(expression)
            case Cast(arg=arg, to=to):
                return self._cast(replace(expression, arg=self.resolve(arg)), to)
            case Alias(arg=arg):
                arg = self.resolve(arg)
                return replace(expression, arg=arg, type=arg.type)
            case Order(arg=arg):
                arg = self.resolve(arg)
                return replace(expression, arg=arg, type=arg.type)
            case Over():
                return self._over(expression)
            case Subquery(kind=kind):
                raise refused(
                    f"A query inside an expression ({kind}) is supported in SELECT, WHERE, GROUP BY, HAVING, ORDER BY "
                    "and in ON of joins of tables, but not here",
                    expression.position,
                )
            case _ if expression.type is not None:
                return expression
            case Star():
                raise wrong("* is allowed only in a list of columns and in COUNT(*)", expression.position)
        raise wrong(f"{expression} is allowed in no query", expression.position)

    def condition(self, expression: Expression, where: str) -> Expression:
        """A resolved condition.

        Args:
            expression: As written.
            where: Such as ``WHERE``.

        Raises:
            ValidationError: It is none.
        """
        resolved = self.resolve(expression)
        if any(isinstance(part, Over) for part in walk(resolved)):
            raise wrong(f"Windowed aggregate expression is illegal in {where} clause", expression.position)
        if not is_boolean(resolved) and not isinstance(type_of(resolved), NullType):
            raise wrong(f"{where} takes a BOOLEAN, but {resolved} is {type_of(resolved)}", expression.position)
        return resolved

    def _over(self, over: Over) -> Over:
        """An aggregate over a window; see `datastream.table.planner.over`."""
        call = self._call(over.call)
        if not isinstance(call, Call) or call.filter is not None or not is_aggregate(call, self._functions):
            raise wrong("OVER must be applied to aggregate function", over.position)
        for arg in call.args:
            if any(isinstance(part, Over) for part in walk(arg)):
                raise wrong("Aggregate expressions cannot be nested", over.position)
        call = self._of_one_type(call)
        order = tuple(each for each in map(self.resolve, over.order) if isinstance(each, Order))
        return replace(over, call=call, partition=tuple(map(self.resolve, over.partition)), order=order, type=call.type)

    def _of_one_type(self, call: Call) -> Call:
        """LAG or LEAD whose third argument is of the type of the first one."""
        entry = self._functions.find(call.function)
        if not isinstance(entry, AggregateEntry) or entry.name not in ("lag", "lead") or len(call.args) < 3:
            return call
        wanted, given = (type_of(each).nullable() for each in (call.args[0], call.args[2]))
        texts = isinstance(given, STRING) and isinstance(wanted, STRING)
        if given == wanted or texts or isinstance(given, NullType):
            return call
        return replace(call, args=(*call.args[:2], self._cast(Cast(call.args[2], wanted), wanted)))

    def _call(self, call: Call) -> Expression:
        entry = self._functions.find(call.function)
        if entry is None and call.function in _OF_WINDOWS:
            raise wrong(f"{_OF_WINDOWS[call.function]} is of a window, after group_by of its alias", call.position)
        if entry is None:
            raise unknown("function", call.function, self._functions.names(), call.position)
        starred = isinstance(entry, AggregateEntry) and len(call.args) == 1 and isinstance(call.args[0], Star)
        if starred and (call.distinct or entry.name != "count"):
            raise wrong(f"* is allowed only in COUNT(*), not in {call}", call.position)
        args = () if starred else tuple(self.resolve(arg) for arg in call.args)
        if call.distinct and any(holds_maps(type_of(arg)) for arg in args):
            raise wrong(f"DISTINCT of an aggregate takes no values with maps or multisets: {call}", call.position)
        if isinstance(entry, Entry | AggregateEntry):
            least, most = entry.arity
            if not starred and (len(args) < least or (most is not None and len(args) > most)):
                raise wrong(f"{entry.sql[0]} takes {_count(least, most)}, got {len(args)}", call.position)
            for given, word in ((call.distinct, "DISTINCT"), (call.filter is not None, "FILTER")):
                if given and not isinstance(entry, AggregateEntry):
                    raise wrong(f"{word} is allowed only in aggregates, not in {entry.sql[0]}", call.position)
            check_arguments(entry.name, args)
            if entry.name == CURRENT_WATERMARK:
                self._check_rowtime(args[0])
            kind = self._typed(call, entry, args)
            scope = None if call.filter is None else self.condition(call.filter, "FILTER")
            return replace(call, function=entry.name, args=args, type=kind, filter=scope)
        return self._user_call(call, entry, args)

    def _check_rowtime(self, arg: Expression) -> None:
        if not isinstance(arg, Field) or self.scope.columns[arg.index].time != "rowtime":
            raise wrong(not_rowtime(type_of(arg)), arg.position)

    def _typed(self, call: Call, entry: Entry | AggregateEntry, args: tuple[Expression, ...]) -> DataType:
        try:
            return entry.result(args)
        except ValidationError as error:
            raise wrong(str(error), call.position) from None

    def _user_call(self, call: Call, function: UserFunction, args: tuple[Expression, ...]) -> Expression:
        if function.kind == "process":
            raise wrong(needs_tables(function.name), call.position)
        wanted = function.input_types
        if wanted is not None:
            if len(wanted) != len(args):
                raise wrong(f"{call.function} takes {_count(len(wanted), len(wanted))}, got {len(args)}", call.position)
            for place, (arg, kind) in enumerate(zip(args, wanted, strict=True)):
                if not fits(type_of(arg), kind):
                    raise wrong(
                        f"{call.function}: Invalid argument type at position {place}. "
                        f"Data type {summary(kind)} expected but {summary(type_of(arg))} passed: cast it",
                        arg.position or call.position,
                    )
            pairs = zip(args, wanted, strict=True)
            args = tuple(arg if _same(arg, kind) else self._cast(Cast(arg, kind), kind) for arg, kind in pairs)
        scope = None if call.filter is None else self.condition(call.filter, "FILTER")
        return replace(call, function=function.name, args=args, type=function.result_type, filter=scope)

    def _cast(self, cast: Cast, to: DataType) -> Cast:
        source = type_of(cast.arg)
        if not isinstance(source, NullType) and cast_text(source, to) is None:
            raise wrong(f"{source} cannot be cast to {to}", cast.position)
        nullable = cast.safe or may_be_null(cast.arg)
        return replace(cast, type=to.nullable() if nullable else to.not_null())


def not_rowtime(kind: DataType) -> str:
    """Why an argument of this type is none of CURRENT_WATERMARK's."""
    return f"The argument of CURRENT_WATERMARK() must be a rowtime attribute, but was '{summary(kind)}'."


def is_aggregate(expression: Expression, functions: FunctionLookup) -> bool:
    """Whether a resolved expression is itself a call of an aggregate."""
    if not isinstance(expression, Call):
        return False
    found = functions.find(expression.function)
    if isinstance(found, Entry):
        return False
    return isinstance(found, AggregateEntry) or (found is not None and found.kind == "aggregate")


def _same(arg: Expression, kind: DataType) -> bool:
    return type(type_of(arg)) is type(kind) and type_of(arg).nullable() == kind.nullable()


def _count(least: int, most: int | None) -> str:
    if most is None:
        return f"at least {least} arguments"
    if least == most:
        return f"{least} argument{'' if least == 1 else 's'}"
    return f"{least} to {most} arguments"


def needs_tables(name: str) -> str:
    """Why a process table function is not called where it is; `name`: in plans."""
    name = name.rpartition(".")[2]
    return (
        f"{name} is a process table function, which takes tables and makes one: call it in FROM, as in "
        f"SELECT * FROM {name}(TABLE t) or {name}(input => TABLE t PARTITION BY k)"
    )

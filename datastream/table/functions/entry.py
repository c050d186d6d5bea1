"""What the function library knows of a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from datastream.table.plan.expressions import Expression
from datastream.table.types.logical_types import DataType

#: Arguments, resolved -> the result's type, nullable where the value may be NULL. Raises ValidationError, saying what
#: the function takes, where they do not fit.
Rule = Callable[[Sequence[Expression]], DataType]

#: Python text with ``{0}``, ``{1}`` ... for the arguments; or what gives it for these arguments.
Text = str | Callable[[Sequence[Expression]], str]


@dataclass(frozen=True)
class Entry:
    """A function of one row.

    Attributes:
        name: Flink's, as `str` of an expression shows it: ``charLength``.
        sql: Its names and operators in SQL, in upper case; the first one is for people.
        arity: Least and most arguments; None: any number.
        result: The rule of the result's type, which also tests the arguments.
        python: The value. It may name what `names` binds.
        condition: Text that is true exactly where the value is TRUE, if that is shorter; for functions that are not
            strict it has to be right for None too.
        strict: NULL where any argument is; then `python` need not care.
        nullable: It may be NULL though no argument is.
        names: What the text names -> the object, such as a helper function.
        deterministic: Gives the same for the same arguments.
        lazy: Which arguments are used is decided by the others: a branch that is not taken must not be evaluated.
        folds: Its value may take its place where it is known when the query is planned.
        doc: One line: what it gives, for the generated reference.
    """

    name: str
    sql: tuple[str, ...]
    arity: tuple[int, int | None]
    result: Rule
    python: Text
    condition: Text | None = None
    strict: bool = True
    nullable: bool = False
    names: Mapping[str, Any] = field(default_factory=dict)
    deterministic: bool = True
    lazy: bool = False
    folds: bool = True
    doc: str = ""


@dataclass(frozen=True)
class AggregateEntry:
    """An aggregate function: text over slots of an accumulator, which is a list.

    In all text ``{s0}``, ``{s1}`` ... are its slots, ``{x0}`` ... the arguments, ``{o0}`` ... slots of another one.

    Attributes:
        name: Flink's: ``sum``.
        sql: As in `Entry`.
        arity: As in `Entry`.
        result: As in `Entry`.
        slots: Text of each slot's first value, evaluated anew for each accumulator.
        add: Statements that take a row in.
        retract: Statements that take a row out again; empty: it cannot.
        merge: Statements that take another accumulator in; empty: it cannot.
        value: Text of the result.
        skips_null: Rows with NULL in an argument are not given to it.
        retract_slots, retract_add, retract_value: Used in place of `slots`, `add` and `value` where the input has
            updates, if the function then has to keep more (MIN and MAX keep value -> number); None: the same.
        names: As in `Entry`.
        variant: Gives the entry for these arguments where the text depends on their types; see `of`.
        over_only: It is known in OVER windows alone.
        doc: As in `Entry`.
    """

    name: str
    sql: tuple[str, ...]
    arity: tuple[int, int | None]
    result: Rule
    slots: tuple[str, ...]
    add: tuple[str, ...]
    value: str
    retract: tuple[str, ...] = ()
    merge: tuple[str, ...] = ()
    skips_null: bool = True
    retract_slots: tuple[str, ...] | None = None
    retract_add: tuple[str, ...] | None = None
    retract_value: str | None = None
    names: Mapping[str, Any] = field(default_factory=dict)
    variant: Callable[[Sequence[Expression]], AggregateEntry] | None = None
    over_only: bool = False
    doc: str = ""

    def of(self, args: Sequence[Expression]) -> AggregateEntry:
        """The entry whose text fits the types of these arguments. Code is generated from this one."""
        return self if self.variant is None else self.variant(args)

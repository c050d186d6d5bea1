"""Patterns in the rows of a key, for MATCH_RECOGNIZE."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

from datastream.graph.slots import ROWS_OF_MATCHES
from datastream.graph.state_forms import Slot, StateForm, Stored

from .relational import FoldCode, FramedCode, KeepingOperator, RowCode


class PatternPart(NamedTuple):
    """A variable of a pattern, and how many rows it takes.

    Attributes:
        variable: Its name.
        least: How many rows at least.
        most: How many rows at most; None: any number.
        greedy: It takes all rows that it can.
    """

    variable: str
    least: int = 1
    most: int | None = 1
    greedy: bool = False


class Skip(NamedTuple):
    """Where the search for a match goes on after another one.

    Attributes:
        to: ``past_last``, ``next``, ``first``, ``last``.
        target: Of ``first`` and ``last``: the part of the pattern whose first or last row it is.
    """

    to: str = "next"
    target: int | None = None


class RowOf(NamedTuple):
    """A column of one row of a match.

    Attributes:
        column: Its index.
        part: The part of the pattern whose row it is; None: any.
        first: Rows are counted from the first one, else from the last one.
        offset: How many rows further it is.
    """

    column: int
    part: int | None
    first: bool
    offset: int


class FoldOf(NamedTuple):
    """Aggregates of rows of a match.

    Attributes:
        fold: Their code.
        part: The part of the pattern whose rows they are of; None: all.
    """

    fold: FoldCode
    part: int | None


@dataclass(frozen=True)
class MatchCode:
    """Code over the rows of a match.

    Attributes:
        rows: What its record begins with.
        folds: What follows, the results of each.
        code: Over that record.
        timed: The time of the match in µs is the last part of the record.
    """

    rows: tuple[RowOf, ...]
    folds: tuple[FoldOf, ...]
    code: RowCode
    timed: bool = False

    @property
    def functions(self) -> Iterator[Any]:
        """The objects whose ``open`` and ``close`` frame the calls."""
        yield from self.code.functions
        for each in self.folds:
            yield from each.fold.functions


@dataclass(frozen=True)
class MatchProgram(FramedCode):
    """What is evaluated of rows and matches.

    Attributes:
        conditions: Of each part of the pattern; None: all rows fit.
        results: Returns the row of a match.
    """

    conditions: tuple[MatchCode | None, ...]
    results: MatchCode
    known_as: ClassVar[str] = "measures and conditions"

    @property
    def functions(self) -> tuple[Any, ...]:
        """The objects whose ``open`` and ``close`` frame the calls, each once."""
        codes = [self.results, *(each for each in self.conditions if each is not None)]
        return tuple({id(each): each for code in codes for each in code.functions}.values())


@dataclass(frozen=True)
class MatchRecognize(KeepingOperator):
    """Rows of matches of a pattern.

    Attributes:
        key: As in `GroupAggregate`; it is not read.
        program: Conditions and results.
        pattern: From first to last.
        skip: Where the search goes on.
        within_ms: How long a match lasts at most; None: there is no limit.
        order: The order of the rows of a key, as in `SortLimit`; the first is their time in µs.
        processing: The order is that in which rows come, and the time is the machine's.
    """

    kind: ClassVar[str] = "match_recognize"
    #: Where rows lie in batch mode.
    ROWS: ClassVar[str] = "rows"

    _: KW_ONLY
    key: str
    program: MatchProgram
    pattern: tuple[PatternPart, ...]
    skip: Skip
    within_ms: int | None
    order: tuple[tuple[int, bool, bool], ...]
    processing: bool

    @property
    def user_code(self) -> Any:
        return self.program

    @property
    def rich_function(self) -> Any:
        return self.program if self.program.functions else None

    @property
    def reads_watermarks(self) -> bool:  # type: ignore[override]
        return not self.processing

    @property
    def reads_clock(self) -> bool:
        return self.processing

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (
            self._contents(Slot(ROWS_OF_MATCHES, "(rows of matches)")),
            StateForm(Stored.LOGS, "(rows)", self.ROWS, self.layout),
        )

"""Names of a plan's operators in checkpoints: they stay the same while other parts of the job change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from datastream.errors import ValidationError
from datastream.graph.builder import GraphBuilder
from datastream.graph.operators import Source
from datastream.table.plan.relations import (
    Aggregate,
    Join,
    Match,
    OverAggregate,
    Predict,
    ProcessTable,
    Rank,
    Relation,
    RowFunction,
    Scan,
    SetOperation,
    Sort,
    Values,
    Watermark,
    WindowAggregate,
)
from datastream.table.plan.temporal_relations import LookupJoin, TemporalJoin

#: Relations that are steps of a path; others keep nothing, so that they may come and go.
_STEPS: dict[type[Relation], str] = {
    Aggregate: "aggregate",
    Join: "join",
    LookupJoin: "lookup",
    Match: "match",
    OverAggregate: "over",
    Predict: "predict",
    ProcessTable: "process",
    Rank: "rank",
    RowFunction: "table_aggregate",
    Scan: "scan",
    SetOperation: "union",
    Sort: "sort",
    TemporalJoin: "temporal_join",
    Values: "values",
    Watermark: "watermark",
    WindowAggregate: "window",
}


class Uids:
    """Gives uids: ``table.``, where the rows go, and the steps from there: ``table.query.join.left.aggregate``.

    Args:
        builder: Where operators are made.
        pinned: The uids that are given, in this order, whatever the steps are; None: they follow from the steps.

    Attributes:
        given: All that were given.
    """

    def __init__(self, builder: GraphBuilder, pinned: Sequence[str] | None = None) -> None:
        self._builder = builder
        self._steps = ["table", "query"]
        self._all = False
        self._pinned = pinned
        self.given: list[str] = []

    def start(self, goal: str, of_any_job: bool) -> None:
        """Begin with the operators of another query.

        Args:
            goal: Where its rows go.
            of_any_job: Later jobs of the environment may read it, so that its uids must differ from theirs.
        """
        self._steps, self._all = ["table", goal], of_any_job

    @contextmanager
    def inside(self, relation: Relation) -> Iterator[None]:
        """Be at a relation, below the one before."""
        step = _STEPS.get(type(relation))
        if isinstance(relation, SetOperation) and relation.kind != "union":
            step = relation.kind
        with self.below(step) if step is not None else _nowhere():
            yield

    @contextmanager
    def below(self, step: str) -> Iterator[None]:
        """Be a step further."""
        self._steps.append(step)
        try:
            yield
        finally:
            self._steps.pop()

    def here(self) -> str:
        """The uid of an operator here; another one each time."""
        return self._free(".".join(self._steps))

    def _free(self, wanted: str) -> str:
        if self._pinned is None:
            found = self._numbered(wanted)
        elif len(self.given) < len(self._pinned):
            found = self._pinned[len(self.given)]
        else:
            raise ValidationError(
                f"the plan has uids for {len(self._pinned)} operators, and this version makes one more, '{wanted}': "
                "compile the statement again; the new plan does not continue from the checkpoints of this one"
            )
        self.given.append(found)
        return found

    def _numbered(self, wanted: str) -> str:
        builder = self._builder
        ids = builder.operators if self._all else builder.unbuilt
        taken = {builder.operators[id].uid for id in ids}
        count, found = 1, wanted
        while found in taken:
            count += 1
            found = f"{wanted}-{count}"
        return found

    def of_table(self, table: tuple[str, ...], step: str) -> str:
        """The uid of what is done with a table's rows first."""
        return self._free(".".join(["table", *table, step]))

    def name_sources(self, first: int, table: tuple[str, ...] = ()) -> None:
        """Give uids to the sources among the operators from a number on.

        Args:
            first: The number.
            table: That is read; its name is the uid, as several queries may read one source. Empty: the path here.
        """
        operators = self._builder.operators
        for id in range(first, len(operators)):
            if isinstance(operators[id], Source) and operators[id].uid is None:
                self._builder.change(id, uid=self.of_table(table, "scan") if table else self.here())


@contextmanager
def _nowhere() -> Iterator[None]:
    yield

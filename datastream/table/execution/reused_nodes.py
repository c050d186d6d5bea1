"""Trees with what they have in common: it is written once, and elsewhere is a reference to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from datastream.table.execution.physical_plan import PlanNode
from datastream.table.plan.plan_text import draw_below


def with_reused_nodes(trees: Sequence[PlanNode]) -> list[list[str]]:
    """The lines of trees as Flink writes them.

    A node that is read twice has a number, ``(reuse_id=[1])``, and is ``Reused(reference_id=[1])`` where it is read
    again. One that several trees read is a tree of its own, before them.
    """
    return list(_Reused(trees).written())


class _Reused:
    def __init__(self, trees: Sequence[PlanNode]) -> None:
        self._trees = trees
        self._reads: Counter[int] = Counter()
        #: id of a node -> the trees that read it, but for what it is a part of that is read twice itself.
        self._trees_of: dict[int, set[int]] = {}
        for place, tree in enumerate(trees):
            self._visit(tree, place)
        found = [id_ for id_ in self._trees_of if self._reads[id_] > 1]
        self._ids = {id_: number for number, id_ in enumerate(found, 1)}
        self._done: set[int] = set()

    def _visit(self, node: PlanNode, tree: int) -> None:
        self._reads[id(node)] += 1
        self._trees_of.setdefault(id(node), set()).add(tree)
        if self._reads[id(node)] == 1:
            for each in node.inputs:
                self._visit(each, tree)

    def written(self) -> Iterator[list[str]]:
        """The lines of each tree."""
        for tree in self._trees:
            yield from self._apart(tree)
            yield list(self._lines(tree))

    def _apart(self, node: PlanNode) -> Iterator[list[str]]:
        """What several trees read, each after what it reads."""
        if id(node) in self._done:
            return
        for each in node.inputs:
            yield from self._apart(each)
        if len(self._trees_of[id(node)]) > 1:
            yield list(self._lines(node))

    def _lines(self, node: PlanNode) -> Iterator[str]:
        number = self._ids.get(id(node))
        if id(node) in self._done:
            yield f"Reused(reference_id=[{number}])"
            return
        yield node.text() + ("" if number is None else f"(reuse_id=[{number}])")
        if number is not None:
            self._done.add(id(node))
        for place, each in enumerate(node.inputs):
            yield from draw_below(self._lines(each), last=place == len(node.inputs) - 1)

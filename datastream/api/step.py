"""`Step`: an operator of the job, as the user sets it up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from datastream.config import ExecutionConfig
from datastream.config.parallelism import check_parallelism
from datastream.config.resources import SlotSharingGroup
from datastream.errors import ValidationError
from datastream.graph.builder import Node
from datastream.missing_names import MissingNames
from datastream.without_effect import without_effect

if TYPE_CHECKING:
    from .environment import StreamExecutionEnvironment

S = TypeVar("S", bound="Step")


class Step(MissingNames):
    """What streams and sinks have in common: the settings of the operator that they stand for."""

    def __init__(self, env: StreamExecutionEnvironment, node: Node) -> None:
        self._env = env
        self._node = node

    def _set(self: S, **fields: Any) -> S:
        self._node.change(**fields)
        return self

    def get_name(self) -> str:
        """The operator's name."""
        return self._node.operator.name.removeprefix("Source: ")

    def name(self: S, name: str) -> S:
        """Name the operator, for people."""
        return self._set(name=name)

    def uid(self: S, uid: str) -> S:
        """Give the operator the stable name under which its offsets and state are kept over restarts."""
        return self._set(uid=uid)

    def set_uid_hash(self: S, uid_hash: str) -> S:
        """Like `uid`; Flink's hash has no other meaning here."""
        return self._set(uid=uid_hash)

    def set_parallelism(self: S, parallelism: int) -> S:
        """Set the number of subtasks. A neighbour with another number is reached by `rebalance`.

        `ExecutionConfig.PARALLELISM_DEFAULT` takes back what was set.

        Raises:
            ValidationError: less than 1.
        """
        if parallelism == ExecutionConfig.PARALLELISM_DEFAULT:
            return self._set(parallelism=None)
        check_parallelism(parallelism)
        op = self._node.operator
        if parallelism > 1 and op.non_parallel:
            raise ValidationError(
                f"the parallelism of '{op.name}' must be 1: it sees all records (window_all, force_non_parallel)"
            )
        return self._set(parallelism=parallelism)

    def set_description(self: S, description: str) -> S:
        """Longer text for people; shown by ``env.explain()``."""
        return self._set(description=description)

    def disable_chaining(self: S) -> S:
        """Never fuse the operator with its neighbours: it runs as a loop of its own in the same process."""
        return self._set(chain=False, chain_next=False)

    @without_effect("Spark schedules whole stages; give executors their size with spark.executor.*")
    def slot_sharing_group(self: S, slot_sharing_group: str | SlotSharingGroup) -> S:
        """Kept, without effect: Spark schedules whole stages. `explain` shows the name."""
        name = slot_sharing_group if isinstance(slot_sharing_group, str) else slot_sharing_group.get_name()
        return self._set(slot_sharing_group=name)


class DataStreamSink(Step):
    """The end of a stream."""


def node_of(step: Step) -> Node:
    """The part of the graph that a stream or sink represents."""
    return step._node  # noqa: SLF001 - users see no graph

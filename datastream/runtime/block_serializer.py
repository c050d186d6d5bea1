"""How the blocks of one edge are written and read, by the type of its records and keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.graph import Edge, Hash, Plan
from datastream.types import TypeInformation
from datastream.types.compact import CompactBlocks, compact_blocks
from datastream.types.pickles import dumps_records, loads
from datastream.types.received import received, received_or_null

_SIZE = 4


class PickledBlocks:
    """Pickles of records of a type that has no compact form.

    Args:
        received: What a record becomes for its receiver.
    """

    def __init__(self, received: Callable[[Any], Any]) -> None:
        self._received = received

    def dumps(self, records: list[Any]) -> bytes:
        return dumps_records(records)

    def loads(self, data: bytes | memoryview) -> list[Any]:
        return list(map(self._received, loads(data)))


Blocks = CompactBlocks | PickledBlocks


class BlockSerializer:
    """Pickles, or compact blocks where the type of the records or of the keys is known and tested.

    Args:
        keyed: Blocks hold keys beside the records.
        records: For the records, or None: pickled.
        keys: For the keys, or None: pickled.
    """

    def __init__(self, keyed: bool, records: Blocks | None = None, keys: Blocks | None = None) -> None:
        self._keyed, self._records, self._keys = keyed, records, keys

    def dumps(self, records: list[Any], keys: list[Any] | None) -> bytes:
        """One block.

        Raises:
            NotPicklableError: the first record or key that cannot be written.
        """
        if not self._keyed:
            return dumps_records(records) if self._records is None else self._records.dumps(records)
        assert keys is not None
        if self._records is None and self._keys is None:
            return dumps_records(records, keys)
        first = dumps_records(keys) if self._keys is None else self._keys.dumps(keys)
        second = dumps_records(records) if self._records is None else self._records.dumps(records)
        return b"".join((len(first).to_bytes(_SIZE, "big"), first, second))

    def loads(self, data: bytes | memoryview) -> tuple[list[Any], list[Any] | None]:
        """The records of a block, and their keys."""
        if not self._keyed:
            return (loads(data) if self._records is None else self._records.loads(data)), None
        if self._records is None and self._keys is None:
            keys, records = loads(data)
            return records, keys
        view = memoryview(data)
        end = _SIZE + int.from_bytes(view[:_SIZE], "big")
        first, second = view[_SIZE:end], view[end:]
        return (
            loads(second) if self._records is None else self._records.loads(second),
            loads(first) if self._keys is None else self._keys.loads(first),
        )


def block_serializer(plan: Plan, edge: Edge, check: str) -> BlockSerializer:
    """The serializer of an edge.

    Args:
        plan: Of the job.
        edge: One of its edges.
        check: What is done with values that do not fit their type; ``off``: nothing is known of them.
    """
    keyed = plan.operators[edge.target].keyed and isinstance(edge.partitioner, Hash)
    if check == "off":
        return BlockSerializer(keyed)
    kind: TypeInformation | None = edge.tag.type_info if edge.tag else plan.operators[edge.source].output_type
    key_type = edge.partitioner.key_type if isinstance(edge.partitioner, Hash) else None
    return BlockSerializer(keyed, _blocks(kind), _blocks_of_keys(key_type))


def _blocks(kind: TypeInformation | None) -> Blocks | None:
    compact = compact_blocks(kind, nullable=True)
    if compact is not None:
        return compact
    become = received_or_null(kind)
    return None if become is None else PickledBlocks(become)


def _blocks_of_keys(kind: TypeInformation | None) -> Blocks | None:
    """Keys stay what the selector gave: state is found by them, that of older releases too."""
    return compact_blocks(kind, nullable=True) if received(kind) is None else None

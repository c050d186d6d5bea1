"""From the files of a savepoint to blocks for the subtasks that own the entries now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from datastream.graph.state_forms import Stored
from datastream.runtime.appended import logged
from datastream.runtime.blocks import restored_channel
from datastream.runtime.key_groups import stable_hash, subtask_of
from datastream.runtime.keyed_state.spilled_list import SpilledList
from datastream.runtime.keyed_state.spilled_map import SpilledMap
from datastream.runtime.program import Program
from datastream.runtime.runs import Pieces
from datastream.runtime.state_format.layout import PREFIX, is_piece, is_run, piece_key, piece_of
from datastream.types.pickles import dumps

from .entry_files import Owner, owners, page_of, read_entries

_ROWS = 4096
_BYTES = 1 << 19

#: Channel of the operator, subtask, number of entries, `Portion` as bytes.
Restored = tuple[int, int, int, bytes]
#: Subtask; (key of an entry, or of the user; content); whether it is a key that is put into pages anew; its bytes.
Part = tuple[int, Any, bool, int]


class Portion(NamedTuple):
    """What a block of restored state holds.

    Attributes:
        entries: (key, content) of entries that are stored as they are.
        keys: (key, what it keeps) of keys that are put into pages anew; of logs (key, (bucket, value)).
        form: The label of the form of these keys' state.
    """

    entries: list[tuple[bytes, bytes]]
    keys: list[tuple[Any, Any]]
    form: str


def restored(program: Program, files: Iterable[tuple[int, str]]) -> Iterator[Restored]:
    """The state in some files of the savepoint that a job is restored from, by the subtask that owns it now.

    Args:
        program: The job.
        files: The number of each file among all, and its path.
    """
    restore = program.spec.restore
    if restore is None:
        return
    whose = owners(restore.forms)
    operators = {op.state_uid: op for op in program.plan.operators.values() if op.stateful}
    gathered: defaultdict[tuple[int, int, str], _Gathered] = defaultdict(_Gathered)

    def gather(prefix: bytes, parts: Iterable[Part]) -> Iterator[Restored]:
        owner = whose[prefix]
        id, label = operators[owner.uid].id, owner.form.label
        for slot, what, is_key, size in parts:
            mine = gathered[id, slot, label]
            mine.add(what, is_key, size)
            if mine.full:
                yield mine.take(id, slot, label)

    for number, path in files:
        regrouped: dict[bytes, _Regrouped] = {}
        for group, key, entry in read_entries(path):
            prefix = key[:PREFIX]
            owner = whose[prefix]
            op = operators[owner.uid]
            before, now = restore.key_groups[owner.uid], program.plan.key_groups[op.id]
            subtasks = program.plan.subtasks[op.id]
            if group < 0 or before == now:
                slots = range(subtasks) if group < 0 else [subtask_of(group, subtasks, now)]
                yield from gather(prefix, [(slot, (key, entry), False, len(entry)) for slot in slots])
            else:
                if prefix not in regrouped:
                    regrouped[prefix] = _Regrouped(prefix, owner, now, subtasks, number, len(restore.files))
                yield from gather(prefix, regrouped[prefix].take(group, key, entry))
        for prefix, cut in regrouped.items():
            yield from gather(prefix, cut.rest())
        for (id, slot, label), mine in gathered.items():
            if mine.entries or mine.keys:
                yield mine.take(id, slot, label)
        gathered.clear()


class _Gathered:
    """What is to go to one subtask of an operator."""

    def __init__(self) -> None:
        self.entries: list[tuple[bytes, bytes]] = []
        self.keys: list[tuple[Any, Any]] = []
        self._bytes = 0

    def add(self, what: Any, is_key: bool, size: int) -> None:
        (self.keys if is_key else self.entries).append(what)
        self._bytes += size

    @property
    def full(self) -> bool:
        return self._bytes > _BYTES or len(self.entries) + len(self.keys) >= _ROWS

    def take(self, id: int, slot: int, label: str) -> Restored:
        count = len(self.entries) + len(self.keys)
        data = dumps(tuple(Portion(self.entries, self.keys, label)))
        self.entries, self.keys, self._bytes = [], [], 0
        return restored_channel(id), slot, count, data


class _Regrouped:
    """Cuts the key groups of what lies under one uid in a file into other ones.

    Large collections get new numbers: those of different files never meet, nor those of one.
    """

    def __init__(self, prefix: bytes, owner: Owner, key_groups: int, subtasks: int, file: int, files: int) -> None:
        self._prefix, self._owner = prefix, owner
        self._key_groups, self._subtasks = key_groups, subtasks
        self._next, self._step = file + 1, files
        self._group = -1
        self._pieces = Pieces()
        self._collections: dict[int, tuple[int, int]] = {}  # of the key group in hand: number -> key group, number

    def take(self, group: int, key: bytes, entry: bytes) -> Iterator[Part]:
        """What becomes of an entry."""
        if self._pieces.ends_before(key):
            yield from self.rest()
        if group != self._group:
            self._group = group
            self._collections.clear()
        if is_run(key):
            self._pieces.add(key, entry)
            return
        if is_piece(key):
            collection, piece = piece_of(key)
            if collection in self._collections:  # the others belong to collections that have gone
                to, number = self._collections[collection]
                yield self._subtask(to), (piece_key(self._prefix, to, number, piece), entry), False, len(entry)
            return
        if self._owner.form.logs:
            added = [
                (of, (bucket, value)) for bucket, frame in logged(key, entry) for of, value in zip(*frame, strict=True)
            ]
            for one in added:
                yield self._subtask(self._group_of(one[0])), one, True, len(entry) // len(added)
            return
        yield from self._keys(page_of(key, entry, self._owner.form), len(entry))

    def rest(self) -> Iterator[Part]:
        """What becomes of the runs of the last key group."""
        size = self._pieces.size
        yield from self._keys(self._pieces.take(), size)

    def _keys(self, page: dict[Any, Any], size: int) -> Iterator[Part]:
        for of, kept in page.items():
            to = self._group_of(of)
            if self._owner.form.stored is Stored.CONTENTS:
                for stored in kept.values():
                    if type(stored) in (SpilledList, SpilledMap):
                        self._collections[stored.id] = to, self._next
                        stored.group, stored.id = to, self._next
                        self._next += self._step
            yield self._subtask(to), (of, kept), True, size // len(page)

    def _group_of(self, key: Any) -> int:
        return stable_hash(key) % self._key_groups

    def _subtask(self, group: int) -> int:
        return subtask_of(group, self._subtasks, self._key_groups)

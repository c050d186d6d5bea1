"""What each epoch reads: parts of the tables first, then the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datastream.io import Spool

from ..parts_and_log import PartsAndLog
from .keys import Key
from .positions import FIRST, Position
from .server import Server, Table
from .walk import Walk

if TYPE_CHECKING:
    from .source import MySqlChangeSource

#: How much of the log is looked through for changes of the tables until an epoch without any moves the offset on.
_LOOK_BYTES = 2**24


@dataclass(frozen=True)
class TablePart:
    """A part of a table.

    Attributes:
        number: Of the part, from 0.
        table: Of it.
        after: It begins after this key; None: with the first.
        last: Its last key.
        zone: In which TIMESTAMPs are told.
    """

    number: int
    table: Table
    after: list[Any] | None
    last: list[Any]
    zone: str


@dataclass(frozen=True)
class SeenPart:
    """A part of a table that was read: its table, its last key, and up to where it has seen changes."""

    table: Table
    last: list[Any]
    position: Position


@dataclass(frozen=True)
class LogPart:
    """A part of the log.

    Attributes:
        begin: Between two transactions.
        end: Also.
        parts: The parts of tables which have seen some of these transactions.
        zone: In which TIMESTAMPs are told.
        since: Changes before are left out, in seconds since 1970.
    """

    begin: Position
    end: Position
    parts: tuple[SeenPart, ...]
    zone: str
    since: float


class ChangeEnumerator(PartsAndLog[Position]):
    """Reads the tables by ranges of their keys, then the log.

    Each part of a table is read in a snapshot of its own, whose position in the log is known. A change in the log is
    left out if the part of its key has seen it. So each row and each change comes once, though the parts are read at
    different times.

    An offset is ``{"log": [file, byte], "zone": time zone, "tables": [[database, table, columns of the key, their
    types, highest key at the start], ...], "table": index of the one that is read, "after": last key that was read,
    "part": number of parts that were read, "parts": [[index of the table, last key, file, byte], ...], "stop": where
    it ends, or null}``. A part's position is known once the part was read: it is in the offset after.
    """

    source, place = "MySqlChangeSource", "log"

    def __init__(self, source: MySqlChangeSource, spool: Spool) -> None:
        super().__init__(source.ends, source.poll_ms, spool)
        self._source = source
        self._server = Server(source)
        self._looked: Position | None = None

    @staticmethod
    def stored(place: Position) -> list[Any]:
        return list(place)

    @staticmethod
    def restored(stored: Sequence[Any]) -> Position:
        return Position(*stored)

    def initial_offset(self) -> dict[str, Any]:
        server, startup = self._server, self._source.startup
        server.check()
        zone = self._source.time_zone or server.zone()
        tables = server.tables()
        found: list[list[Any]] = []
        if startup.snapshot:
            begin, lasts = server.last_keys(tables)
            found = [
                [table.schema, table.name, list(table.key.columns), list(table.key.types), last]
                for table, last in zip(tables, lasts, strict=True)
                if last is not None
            ]
        elif startup.file is not None:
            begin = Position(startup.file, startup.at)
            server.require(begin)
        else:
            begin = server.first() if startup.earliest else server.position()
        stop = list(server.position()) if self._source.ends else None
        return {
            "log": list(begin),
            "zone": zone,
            "tables": found,
            "table": 0,
            "after": None,
            "part": 0,
            "parts": [],
            "stop": stop,
        }

    def written(self) -> Position:
        return self._server.position()

    def next_of_log(self, start: dict[str, Any], begun: dict[str, Any], budget: int) -> dict[str, Any] | None:
        begin, stop = Position(*start["log"]), self.stop_of(start)
        end = self._end(begin, stop, budget)
        if end == begin and (stop is None or start["stop"] is not None or begin < stop):
            return None
        made = {**begun, "log": list(end), "stop": None if stop is None else list(stop)}
        if all(Position(file, at) <= end for _, _, file, at in made["parts"]):  # all of it is past
            made = {**made, "parts": [], "settled": True} if made["part"] else made
        return made

    def splits(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> Sequence[TablePart | LogPart]:
        if end["part"] > start["part"]:
            table, _ = _table(start, start["table"])
            # The next table begins with no key: then this part went up to the end of its own.
            last = end["after"] if end["table"] == start["table"] else start["tables"][start["table"]][4]
            return [TablePart(start["part"], table, start["after"], last, start["zone"])]
        begin, stop = Position(*start["log"]), Position(*end["log"])
        if stop == begin:
            return []
        self._server.require(begin)
        parts = self.with_last_part(start)["parts"]
        seen = tuple(SeenPart(_table(start, index)[0], last, Position(file, at)) for index, last, file, at in parts)
        return [LogPart(begin, stop, seen, start["zone"], self._source.startup.since)]

    def close(self) -> None:
        self._server.close()

    # -- the tables --------------------------------------------------------------------------------

    def read_all_parts(self, offset: dict[str, Any]) -> bool:
        return bool(offset["table"] == len(offset["tables"]))

    def next_part(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        index = start["table"]
        table, last = _table(start, index)
        found = self._server.nth_key(table, start["after"], budget)
        made = {**start, "part": start["part"] + 1}
        if found is None or Key.comparable(found) >= Key.comparable(last):
            return {**made, "table": index + 1, "after": None}
        return {**made, "after": found}

    def seen(self, offset: dict[str, Any], note: Any) -> list[Any]:
        index, last = offset["table"], offset["after"]
        if last is None:  # the one before it ended
            index -= 1
            last = offset["tables"][index][4]
        return [index, last, *note.position]

    # -- the log -----------------------------------------------------------------------------------

    def _end(self, begin: Position, stop: Position | None, budget: int) -> Position:
        """Where an epoch ends: between two transactions, with as many changes as may be, or one transaction."""
        here = self._looked if self._looked is not None and self._looked > begin else begin
        walk = Walk(self._source, begin, here)
        while True:
            files = self._server.require(walk.at)
            events = self._server.events(walk.reads_at, min(max(4 * budget, 100), 10_000))
            for event in events:
                walk.take(event)
                if walk.changes >= budget or (stop is not None and walk.at >= stop):
                    return walk.at
            if events:
                if walk.looked >= _LOOK_BYTES and walk.at > begin:
                    return walk.at
                continue
            following = next((name for name, _ in files if Position(name, FIRST) > Position(walk.at.file, FIRST)), None)
            if following is None:
                break
            walk.goes_on_in(following)
        if walk.changes or (stop is not None and walk.at >= stop):
            return walk.at
        self._looked = walk.at
        return walk.at if walk.at.file != begin.file else begin


def _table(offset: dict[str, Any], index: int) -> tuple[Table, list[Any]]:
    """A table of an offset, and its highest key."""
    schema, name, columns, types, last = offset["tables"][index]
    return Table(schema, name, Key(tuple(columns), tuple(types))), last

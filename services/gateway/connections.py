"""Which connections are held: how many, of whom, and how long each may keep the gateway waiting.

Who has shown a token that counts comes first. The others, strangers, share what is left: when there is no place, the
address that holds most of them loses the one that has been waiting longest.
"""

from __future__ import annotations

import ipaddress
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

#: Connections that others of the same address may displace, at once and a second.
_DISPLACED_AT_ONCE, _DISPLACED_PER_S = 200, 100.0


@dataclass(frozen=True)
class ConnectionLimits:
    """What connections may take.

    Attributes:
        total: Connections at once.
        per_address: Of one address.
        header_s: Until the head of a request has come, in s, from its first byte.
        idle_s: Between two requests, and before the first.
        unread_s: While the client does not read what it asked for.
    """

    total: int = 1000
    per_address: int = 600
    header_s: float = 10.0
    idle_s: float = 30.0
    unread_s: float = 30.0


class Phase(Enum):
    """What a connection waits for."""

    NEW = "its first byte"
    IDLE = "the next request"
    HEAD = "the rest of a request"
    ANSWER = "the gateway"
    CLOSING = "its end"


class Held:
    """A connection that is held.

    Args:
        address: Whose it is.
        now: Seconds, by a clock that never goes back.

    Attributes:
        phase: What it waits for, `since` when.
        recognised: A token that counts has come by it.
        refusals: Requests that were refused since, for want of one.
        blocked: Since when the client does not read; None: it does.
        close: Ends it at once.
        time_out: Ends it, and reports the reason to the client.
    """

    __slots__ = ("address", "phase", "since", "recognised", "refusals", "blocked", "close", "time_out")

    def __init__(self, address: str, now: float) -> None:
        self.address, self.phase, self.since = address, Phase.NEW, now
        self.recognised = False
        self.refusals = 0
        self.blocked: float | None = None
        self.close: Callable[[], None] = _nothing
        self.time_out: Callable[[], None] = _nothing


class Connections:
    """The connections that are held.

    Args:
        limits: What they may take.
        clock: Never goes back; in s.

    Attributes:
        turned_away: Why -> how many were refused or ended by a limit.
    """

    def __init__(self, limits: ConnectionLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits, self._clock = limits, clock
        self._held = 0
        self._of_address: Counter[str] = Counter()
        #: Address -> its strangers, those first that have been waiting longest.
        self._strangers: dict[str, OrderedDict[Held, None]] = {}
        self._recognised: OrderedDict[Held, None] = OrderedDict()
        self.turned_away: Counter[str] = Counter()
        self._room = float(_DISPLACED_AT_ONCE)
        self._room_at = clock()

    def __len__(self) -> int:
        return self._held

    def admit(self, host: str) -> Held | None:
        """A place for a new connection, for which another client may lose its place; None: there is none."""
        address = _subnet(host)
        if self._of_address.get(address, 0) >= self.limits.per_address and not self._displace(address):
            self.turned_away["address"] += 1
            return None
        if self._held >= self.limits.total and not self._displace(self._most_strange(), address):
            self.turned_away["full"] += 1
            return None
        held = Held(address, self._clock())
        self._held += 1
        self._of_address[address] += 1
        self._strangers.setdefault(address, OrderedDict())[held] = None
        return held

    def make_room(self) -> None:
        """End the connection that may best be missed."""
        address = self._most_strange()
        if address is not None:
            self._end(next(iter(self._strangers[address])), "displaced")
        elif (idle := next((each for each in self._recognised if each.phase is Phase.IDLE), None)) is not None:
            self._end(idle, "displaced")

    def _most_strange(self) -> str | None:
        """The address that has most strangers."""
        return max(self._strangers, key=lambda each: len(self._strangers[each]), default=None)

    def _displace(self, loser: str | None, winner: str | None = None) -> bool:
        """Make room at the cost of an address, for its own next connection or another's; whether there is room now.

        For its own it is done so often only, as each new connection has its cost: the others are turned away.
        """
        if loser is not None and loser not in self._strangers:
            return False
        if winner in (None, loser):
            now = self._clock()
            self._room = min(_DISPLACED_AT_ONCE, self._room + (now - self._room_at) * _DISPLACED_PER_S)
            self._room_at = now
            if self._room < 1:
                return False
            self._room -= 1
        before = self._held
        if loser is None:
            self.make_room()
        else:
            self._end(next(iter(self._strangers[loser])), "displaced")
        return self._held < before

    def release(self, held: Held) -> bool:
        """A connection has ended; whether it was held."""
        strangers = self._strangers.get(held.address, OrderedDict())
        if held in strangers:
            del strangers[held]
            if not strangers:
                del self._strangers[held.address]
        elif held in self._recognised:
            del self._recognised[held]
        else:
            return False
        self._held -= 1
        self._of_address[held.address] -= 1
        if not self._of_address[held.address]:
            del self._of_address[held.address]
        return True

    def recognise(self, held: Held) -> None:
        """A token that counts has come by a connection."""
        held.refusals = 0
        if not held.recognised and self.release(held):
            held.recognised = True
            self._held += 1
            self._of_address[held.address] += 1
            self._recognised[held] = None

    def note(self, held: Held, phase: Phase) -> None:
        """A connection waits for something else from now on."""
        held.phase, held.since = phase, self._clock()
        if phase is Phase.IDLE:  # it has done something: others have waited longer
            own = self._recognised if held.recognised else self._strangers.get(held.address, OrderedDict())
            if held in own:
                own.move_to_end(held)

    def block(self, held: Held, blocked: bool) -> None:
        """The client has ceased, or begun, to read."""
        held.blocked = self._clock() if blocked else None

    def sweep(self) -> None:
        """End the connections that have kept the gateway waiting too long."""
        now, limits = self._clock(), self.limits
        for held in list(self):
            waited = now - held.since
            unread = held.blocked is not None and now - held.blocked > limits.unread_s
            if unread or (held.phase is Phase.CLOSING and waited > limits.header_s):
                self._end(held, "unread")
            elif waited > {Phase.NEW: limits.idle_s, Phase.HEAD: limits.header_s}.get(held.phase, math.inf):
                self.turned_away["slow"] += 1
                held.time_out()
            elif held.phase is Phase.IDLE and waited > limits.idle_s:
                self._end(held, "idle")

    def __iter__(self) -> Iterator[Held]:
        for strangers in self._strangers.values():
            yield from strangers
        yield from self._recognised

    def _end(self, held: Held, why: str) -> None:
        self.turned_away[why] += 1
        self.release(held)
        held.close()


def _subnet(host: str) -> str:
    """Whose an address is: with IPv6 each customer has 2**64 of them."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return host


def _nothing() -> None:
    pass

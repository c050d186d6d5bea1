"""The events of an auction as lines of JSON: of 50 events one is a new person, three are auctions and 46 are bids.

The shares, the hot sellers, auctions and bidders, and the columns are those of Nexmark's generator. Each event follows
from its number alone.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

PERSONS, AUCTIONS, ALL = 1, 3, 50
#: Events of a second.
RATE = 1_000
_FIRST_ID = 1000
_BEGIN = datetime(2024, 1, 1)
#: An auction is open for so many seconds at most.
_OPEN_S = 20
_STATES = "AZ CA ID OR WA WY".split()  # noqa: SIM905
_CITIES = ["Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend", "Redmond", "Seattle", "Kent"]
_FIRST = ["Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter"]
_LAST = ["Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris"]
_CHANNELS = ["Google", "Facebook", "Baidu", "Apple"]


def write(path: Path, count: int) -> None:
    """Write a file of so many events."""
    with path.open("w") as out:
        out.writelines(json.dumps(event) + "\n" for event in events(count))


def events(count: int) -> Iterator[dict[str, Any]]:
    """The first events."""
    for number in range(count):
        chance = random.Random(number)
        at = _BEGIN + timedelta(milliseconds=number * 1000 // RATE)
        rest = number % ALL
        if rest < PERSONS:
            yield {"event_type": 0, "person": _person(number, at, chance)}
        elif rest < PERSONS + AUCTIONS:
            yield {"event_type": 1, "auction": _auction(number, at, chance)}
        else:
            yield {"event_type": 2, "bid": _bid(number, at, chance)}


def _person(number: int, at: datetime, chance: random.Random) -> dict[str, Any]:
    name = f"{chance.choice(_FIRST)} {chance.choice(_LAST)}"
    return {
        "id": _last_person(number),
        "name": name,
        "emailAddress": f"{name.replace(' ', '.').lower()}@{chance.choice('abcdefgh')}.com",
        "creditCard": " ".join(f"{chance.randrange(10000):04}" for _ in range(4)),
        "city": chance.choice(_CITIES),
        "state": chance.choice(_STATES),
        "dateTime": _text(at),
        "extra": _letters(chance, 40),
    }


def _auction(number: int, at: datetime, chance: random.Random) -> dict[str, Any]:
    initial = _price(chance)
    return {
        "id": _last_auction(number),
        "itemName": _letters(chance, 20),
        "description": _letters(chance, 100),
        "initialBid": initial,
        "reserve": initial + _price(chance),
        "dateTime": _text(at),
        "expires": _text(at + timedelta(milliseconds=chance.randrange(1000, _OPEN_S * 1000))),
        "seller": _known_person(number, chance, 4),
        "category": chance.randrange(10, 15),
        "extra": _letters(chance, 40),
    }


def _bid(number: int, at: datetime, chance: random.Random) -> dict[str, Any]:
    last = _last_auction(number)
    hot = chance.random() < 0.5
    auction = last // 100 * 100 if hot else chance.randint(last - 100, last + 10)
    if chance.random() < 0.5:
        channel = chance.choice(_CHANNELS)
        last_part = ""
    else:
        channel = f"channel-{chance.randrange(10_000)}"
        last_part = f"&channel_id={chance.randrange(10_000_000)}"
    folders = "/".join(_letters(chance, 5) for _ in range(3))
    return {
        "auction": max(auction, _FIRST_ID),
        "bidder": _known_person(number, chance, 100),
        "price": _price(chance),
        "channel": channel,
        "url": f"https://www.nexmark.com/{folders}/item.htm?query=1{last_part}",
        "dateTime": _text(at),
        "extra": _letters(chance, 40),
    }


def _last_person(number: int) -> int:
    return _FIRST_ID + number // ALL


def _last_auction(number: int) -> int:
    return _FIRST_ID + number // ALL * AUCTIONS + min(max(number % ALL - PERSONS, 0), AUCTIONS - 1)


def _known_person(number: int, chance: random.Random, hot: int) -> int:
    """One of the last thousand, or the one of them that is hot."""
    last = _last_person(number)
    return max(last // hot * hot if chance.random() < 0.75 else chance.randint(last - 1000, last), _FIRST_ID)


def _price(chance: random.Random) -> int:
    return round(10 ** (chance.random() * 6) * 100)


def _letters(chance: random.Random, count: int) -> str:
    return "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=count))


def _text(at: datetime) -> str:
    return at.isoformat(" ", "milliseconds")

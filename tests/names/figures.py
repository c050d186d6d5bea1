"""The figures: how many of PyFlink's names are here."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.names.differences import listed
from tests.names.here import state
from tests.names.reference import API, Name, names

Api = dict[str, dict[str, dict[str, Any]]]


def of_now(api: Api = API) -> list[Name]:
    """All names but those of connectors that come later."""
    later = {f"pyflink.datastream.connectors.{module}" for module in listed("later")}
    return [name for name in names(api) if name.module not in later]


def counts(api: Api = API) -> Counter[str]:
    """State -> how many names are so, with ``names`` and ``later``."""
    here = of_now(api)
    found = Counter(state(name) for name in here)
    found["names"] = len(here)
    found["later"] = len(names(api)) - len(here)
    return found


def share(found: Counter[str]) -> float:
    """How many of a hundred names are there, with or without effect."""
    return 100 * (found["there"] + found["without effect"]) / found["names"]

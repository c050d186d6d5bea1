"""Clients of this process that ask how many partitions topics have."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from .properties import client_config, make_client
from .secret_values import fingerprint

_MOST = 4
_kept: OrderedDict[str, Any] = OrderedDict()
_lost: list[Any] = []


def admin_client(properties: Mapping[str, Any]) -> Any:
    """An AdminClient for the properties of a sink, made once in a process.

    Raises:
        ValidationError: a property is wrong.
    """
    config = client_config(properties, "admin")
    config.setdefault("reconnect.backoff.max.ms", 1_000)
    key = fingerprint({name: value for name, value in config.items() if name != "logger"})
    if key not in _kept:
        if len(_kept) >= _MOST:
            _kept.popitem(last=False)
        _kept[key] = make_client(config, "admin")
    _kept.move_to_end(key)
    return _kept[key]


def _forget() -> None:
    # In a process made by a fork: the clients' threads are not here, so not even destroy them.
    _lost.extend(_kept.values())
    _kept.clear()


os.register_at_fork(after_in_child=_forget)

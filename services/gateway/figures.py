"""Rates, lags and bottlenecks of a job, from what its driver counts."""

from __future__ import annotations

import json
import zlib
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Snapshot = Mapping[str, Any]

#: Rates are means over this time, so that an epoch that ends does not make them jump.
WINDOW_S = 10.0
#: Or over this many epochs, but no longer than that.
_EPOCHS, LONGEST_S = 3, 120.0
#: Snapshots of a window that take more bytes than this are thinned: this number is left, each apart from the next.
_MOST_BYTES, _KEPT = 64 * 1024, 8
#: A job whose epochs take this share of the time has none to spare.
_SATURATED = 0.9
#: Below this share of its time an operator is no bottleneck.
_HOT = 0.05
#: A subtask before its first record.
_NOTHING = {"records_in": 0, "records_out": 0, "busy_s": 0.0}
#: Partitions of which a sample has the lag: those that are behind the most.
_PARTITIONS = 50


class Window:
    """The latest snapshots of one driver, oldest first: packed, and few if they are large, as drivers decide that."""

    def __init__(self) -> None:
        self._kept: deque[_Kept] = deque()

    def add(self, snapshot: Snapshot) -> None:
        """Take a snapshot; one of a driver that was started anew begins a new window."""
        kept = self._kept
        now = _Kept(
            (snapshot["started_ms"], snapshot["job_id"]),
            snapshot["uptime_s"],
            snapshot["epochs"],
            zlib.compress(json.dumps(snapshot).encode(), 1),
        )
        if kept and (now.driver != kept[-1].driver or now.uptime_s < kept[-1].uptime_s):
            kept.clear()
        if len(kept) > 2 and self.held_bytes > _MOST_BYTES:
            # One that lies close to the one before it is not needed when the next has come.
            apart_s = (now.uptime_s - kept[0].uptime_s) / _KEPT
            if kept[-1].uptime_s - kept[-2].uptime_s < apart_s:
                kept.pop()
        kept.append(now)
        while len(kept) > 2 and self._is_old(kept[1], now):
            kept.popleft()

    @staticmethod
    def _is_old(begin: _Kept, now: _Kept) -> bool:
        """Whether rates may be counted from a later look: long epochs need a longer time."""
        age_s = now.uptime_s - begin.uptime_s
        return bool(age_s > LONGEST_S or (age_s > WINDOW_S and now.epochs - begin.epochs >= _EPOCHS))

    @property
    def now(self) -> Snapshot | None:
        """The latest."""
        return self._kept[-1].snapshot() if self._kept else None

    @property
    def before(self) -> Snapshot | None:
        """The one that rates are counted from."""
        return self._kept[0].snapshot() if len(self._kept) > 1 else None

    @property
    def held_bytes(self) -> int:
        """What the snapshots take."""
        return sum(len(each.packed) for each in self._kept)


@dataclass(frozen=True)
class _Kept:
    """A snapshot.

    Attributes:
        driver: Whose it is, and of which job.
        uptime_s: Of the driver.
        epochs: Committed ones.
        packed: All of it.
    """

    driver: tuple[int, str | None]
    uptime_s: float
    epochs: int
    packed: bytes

    def snapshot(self) -> Snapshot:
        found: Snapshot = json.loads(zlib.decompress(self.packed))
        return found


def sample(window: Window, seq: int, memory_bytes: int | None) -> dict[str, Any] | None:
    """A point of the charts; None before there is anything to tell."""
    now, before = window.now, window.before
    if now is None or before is None:
        return None
    took_s = _took_s(now, before)
    epochs = now["epochs"] - before["epochs"]
    run_s = now["run_s"] - before["run_s"]
    records_in_s = (now["records_in"] - before["records_in"]) / took_s
    backlog = _backlog(now)
    epoch_ms = run_s / epochs * 1000 if epochs else None
    # Two epochs at least: the rate of the first seconds tells nothing.
    waits_ms = (backlog or 0) / records_in_s * 1000 if records_in_s and epochs > 1 else None if backlog else 0.0
    operators = now["operators"].values()
    lags = _lags(now)
    return {
        "seq": seq,
        "time_ms": now["now_ms"],
        "records_in_s": _short(records_in_s),
        "records_out_s": _short((now["records_out"] - before["records_out"]) / took_s),
        "epochs_s": _short(epochs / took_s),
        "epoch_ms": _short(epoch_ms),
        "latency_ms": None if epoch_ms is None or waits_ms is None else _short(epoch_ms + waits_ms),
        "busy": _share(run_s, took_s),
        "watermark_lag_ms": max(lags.values(), default=None),
        "backlog": backlog,
        "state_bytes": _sum(operator["state_bytes"] for operator in operators),
        "state_keys": _sum(operator["keys"] for operator in operators),
        "memory_bytes": memory_bytes,
        "partitions": dict(sorted(lags.items(), key=lambda lag: -lag[1])[:_PARTITIONS]),
    }


def operators_now(window: Window, plan: Mapping[str, Any] | None) -> dict[str, dict[str, Any]]:
    """How each operator is now, by uid; without rates if there is but one snapshot."""
    now, before = window.now, window.before
    if now is None:
        return {}
    found = {uid: _operator(uid, now, before) for uid in now["operators"]}
    if is_backpressured(window):
        for uid, pressure in _pressure(found, plan).items():
            found[uid]["backpressure"] = pressure
    return found


def is_backpressured(window: Window) -> bool:
    """Whether the job cannot keep up: its epochs leave no pause, or more and more waits in its sources."""
    now, before = window.now, window.before
    if now is None or before is None or now["status"] != "RUNNING":
        return False
    busy = (now["run_s"] - before["run_s"]) / _took_s(now, before)
    waits, waited = _backlog(now) or 0, _backlog(before) or 0
    arrived_s = (now["records_in"] - before["records_in"]) / _took_s(now, before)
    # What one second brings is no backlog.
    return busy >= _SATURATED or (waits > waited and waits > arrived_s)


def bottleneck(operators: Mapping[str, Mapping[str, Any]], plan: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The operator whose busiest subtask has the least time to spare."""
    uid = max(operators, key=lambda each: operators[each]["busy_max"], default=None)
    if uid is None or operators[uid]["busy_max"] < _HOT:
        return None
    hottest = operators[uid]
    names = {node["uid"]: node["name"] for node in (plan or {}).get("nodes", ())}
    groups, key = hottest["hot_key_groups"], hottest["hot_key"]
    return {
        "operator": uid,
        "name": names.get(uid, uid),
        "busy": hottest["busy_max"],
        "subtask": hottest["busiest"],
        "key_group": groups[0][0] if groups else None,
        "key": key[0] if key else None,
    }


def _operator(uid: str, now: Snapshot, before: Snapshot | None) -> dict[str, Any]:
    is_ = now["operators"][uid]
    was = (before or {}).get("operators", {}).get(uid)
    took_s = 0.0 if before is None else _took_s(now, before)
    were = {part["subtask"]: part for part in (was or {}).get("subtasks", ())}
    shares = {
        part["subtask"]: _share(part["busy_s"] - were.get(part["subtask"], _NOTHING)["busy_s"], took_s)
        for part in is_["subtasks"]
    }
    busiest = max(shares, key=lambda subtask: shares[subtask], default=None)
    watermarks = {part: mark for part, mark in is_["watermarks"].items() if mark is not None}
    watermark = is_["watermark"]
    at_ms = now["now_ms"]

    def rate(name: str) -> float | None:
        return None if before is None else _short((is_[name] - (was[name] if was else 0)) / took_s)

    return {
        "records_in_s": rate("records_in"),
        "records_out_s": rate("records_out"),
        "records_in": is_["records_in"],
        "records_out": is_["records_out"],
        "busy": _short(sum(shares.values()) / len(shares)) if shares else 0.0,
        "busy_max": shares[busiest] if busiest is not None else 0.0,
        "busiest": busiest,
        "subtasks": [_subtask(part, were.get(part["subtask"]), took_s, shares) for part in is_["subtasks"]],
        "backpressure": 0.0,
        "watermark": watermark,
        "watermark_lag_ms": None if watermark is None else at_ms - watermark,
        "backlog": sum(is_["pending"].values()) if is_["pending"] else None,
        "keys": is_["keys"],
        "state_bytes": is_["state_bytes"],
        "timers": is_["timers"],
        "late": is_["late"],
        "partitions": {
            part: {
                "watermark": watermarks.get(part),
                "lag_ms": at_ms - watermarks[part] if part in watermarks else None,
                "backlog": is_["pending"].get(part),
            }
            for part in sorted(watermarks.keys() | is_["pending"].keys())
        },
        "holds_back": min(watermarks, key=lambda part: watermarks[part]) if len(watermarks) > 1 else None,
        "hot_key_groups": is_["hot_key_groups"],
        "hot_key": is_["hot_key"],
    }


def _subtask(part: Snapshot, was: Snapshot | None, took_s: float, shares: Mapping[int, float]) -> dict[str, Any]:
    """How a subtask is now; without rates if there is but one snapshot."""
    rates = {
        f"{name}_s": _short((part[name] - (was or _NOTHING)[name]) / took_s) if took_s else None
        for name in ("records_in", "records_out")
    }
    return {**part, **rates, "busy": shares[part["subtask"]]}


def _pressure(operators: Mapping[str, Mapping[str, Any]], plan: Mapping[str, Any] | None) -> dict[str, float]:
    """How busy the busiest operator after each one is."""
    nodes = (plan or {}).get("nodes", ())
    uids = {node["id"]: node["uid"] for node in nodes}
    behind: dict[str, float] = {}
    # Edges point from lower ids to higher ones.
    for node in sorted(nodes, key=lambda each: -each["id"]):
        uid = node["uid"]
        here = max(behind.get(uid, 0.0), operators[uid]["busy_max"] if uid in operators else 0.0)
        for before in node["predecessors"]:
            source = uids.get(before["id"])
            if source is not None:
                behind[source] = max(behind.get(source, 0.0), here)
    return {uid: pressure for uid, pressure in behind.items() if uid in operators}


def _lags(now: Snapshot) -> dict[str, int]:
    """How far each part that makes watermarks is behind the clock, in ms: uid/partition -> lag."""
    found: dict[str, tuple[str, int]] = {}
    for uid, operator in now["operators"].items():
        for part, mark in operator["watermarks"].items():
            if mark is not None:
                # A source's partition stands at the source and at what assigns its timestamps: once is enough.
                found.setdefault(part if not part.isdigit() else f"{uid}/{part}", (f"{uid}/{part}", mark))
    return {name: now["now_ms"] - mark for name, mark in found.values()}


def _backlog(snapshot: Snapshot) -> int | None:
    return _sum(records for operator in snapshot["operators"].values() for records in operator["pending"].values())


def _sum(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _took_s(now: Snapshot, before: Snapshot) -> float:
    # By the driver's clock that never jumps.
    return max(0.001, float(now["uptime_s"]) - float(before["uptime_s"]))


def _share(part_s: float, whole_s: float) -> float:
    return round(min(1.0, max(0.0, part_s / whole_s)), 4) if whole_s else 0.0


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 3)

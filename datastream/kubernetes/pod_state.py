"""What became of a driver's pod."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

#: A pod that waits for one of these waits forever.
_HOPELESS = ("InvalidImageName", "ErrImageNeverPull", "ImagePullBackOff", "CreateContainerConfigError")
_NO_CLAIM = re.compile(r'persistentvolumeclaim "[^"]*" not found')
_KILLED = 137
_INVALID = 2
_TEXT = 500


@dataclass(frozen=True)
class PodEnd:
    """The end of a pod.

    Attributes:
        code: Exit code of its driver; None: it has none of its own.
        reason: What the cluster says of it; None: the driver has ended by itself.
    """

    code: int | None
    reason: str | None


def end_of(pod: dict[str, Any], remedy: str) -> PodEnd | None:
    """How a pod ended; None: it has not. A pod that can never start has ended too.

    Args:
        pod: The pod.
        remedy: How to give it more memory.
    """
    status = pod.get("status") or {}
    containers = status.get("containerStatuses") or []
    phase = status.get("phase", "Pending")
    if phase == "Pending":
        hopeless = _cannot_start(status)
        return None if hopeless is None else PodEnd(_INVALID, f"the pod cannot start: {hopeless}"[:_TEXT])
    if phase not in ("Succeeded", "Failed"):
        return None
    driver = next((one for one in containers if one.get("name") == "driver"), containers[0] if containers else {})
    ended = (driver.get("state") or {}).get("terminated")
    if ended and ended.get("reason") == "OOMKilled":
        limit = _limit(pod)
        return PodEnd(None, f"out of memory: the pod was killed at its limit{limit}; {remedy}")
    if status.get("reason"):  # the kubelet's: Evicted, NodeLost, DeadlineExceeded
        return PodEnd(None, f"{status['reason']}: {status.get('message') or ''}"[:_TEXT])
    if not ended:
        return PodEnd(None, "the pod ended before its driver started")
    if ended["exitCode"] == _KILLED:
        return PodEnd(None, "the pod was killed (SIGKILL)")
    return PodEnd(ended["exitCode"], None)


def address_of(pod: dict[str, Any]) -> str | None:
    """Host of a pod that runs, as a URL has it."""
    status = pod.get("status") or {}
    host: str | None = status.get("podIP") if status.get("phase") == "Running" else None
    return f"[{host}]" if host is not None and ":" in host else host


def waits_for(pod: dict[str, Any]) -> str | None:
    """What a pod that has not started waits for, as far as the cluster says so."""
    status = pod.get("status") or {}
    for one in status.get("conditions") or []:
        if one.get("type") == "PodScheduled" and one.get("status") == "False":
            return f"{one.get('reason')}: {one.get('message')}"[:_TEXT]
    for waiting in _waiting(status):
        if waiting.get("message"):
            return f"{waiting.get('reason')}: {waiting['message']}"[:_TEXT]
    return None


def _cannot_start(status: dict[str, Any]) -> str | None:
    for waiting in _waiting(status):
        if waiting.get("reason") in _HOPELESS:
            return f"{waiting['reason']}: {waiting.get('message') or ''}"
    for one in status.get("conditions") or []:
        if one.get("type") == "PodScheduled" and (found := _NO_CLAIM.search(one.get("message") or "")):
            return found[0]
    return None


def _waiting(status: dict[str, Any]) -> list[dict[str, Any]]:
    states = [*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])]
    return [found for one in states if (found := (one.get("state") or {}).get("waiting"))]


def _limit(pod: dict[str, Any]) -> str:
    for one in (pod.get("spec") or {}).get("containers") or []:
        if one.get("name") == "driver" and (found := (one.get("resources") or {}).get("limits", {}).get("memory")):
            return f" of {found}"
    return ""

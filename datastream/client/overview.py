"""The gateway as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .wire import all_of, made, mapping


@dataclass(frozen=True)
class LauncherInfo:
    """A place where the gateway runs drivers.

    Attributes:
        name: ``process``, ``docker`` or ``kubernetes``.
        default: Whether jobs run there that name no launcher.
        available: Whether it can start jobs.
        reason: Why it cannot.
        pool: Drivers that wait for a job, ``ready`` of ``size``; None if there is no such pool.
    """

    name: str = ""
    default: bool = False
    available: bool = False
    reason: str | None = None
    pool: Mapping[str, int] | None = None


@dataclass(frozen=True)
class Overview:
    """The gateway as a whole.

    Attributes:
        version: Its version.
        time_ms: Its clock, in ms since 1970.
        name: Name of the token that asks.
        scopes: Scopes of that token.
        jobs: Numbers of jobs: ``running``, ``finished``, ``canceled``, ``failed``.
        launchers: Where it runs drivers.
        limits: ``upload_bytes``, ``jobs`` and ``sql_sessions``.
    """

    version: str = ""
    time_ms: int | None = None
    name: str | None = None
    scopes: tuple[str, ...] = made(tuple, ())
    jobs: Mapping[str, int] = mapping()
    launchers: tuple[LauncherInfo, ...] = made(all_of(LauncherInfo), ())
    limits: Mapping[str, int] = mapping()

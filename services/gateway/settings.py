"""What can be set of the gateway."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from datastream.errors import ValidationError

#: Of environment variables: ``DATASTREAM_GATEWAY_PORT`` is the option ``--port``.
PREFIX = "DATASTREAM_GATEWAY"
LAUNCHERS = ("process", "docker", "kubernetes")

_SIZE = re.compile(r"(\d+)\s*(B|KiB|MiB|GiB|)", re.IGNORECASE)
_UNITS = {"": 0, "b": 0, "kib": 10, "mib": 20, "gib": 30}
_TIME = re.compile(r"(\d+)\s*(s|min|m|h|d)", re.IGNORECASE)
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}


def default_data() -> Path:
    """Where the gateway's data are, unless it is said."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "datastream" / "gateway"


@dataclass(frozen=True)
class GatewaySettings:
    """The gateway's settings.

    Attributes:
        host: Address that it listens on.
        port: Its port; 0: a free one.
        data: Folder of its database, artifacts, jobs and savepoints.
        database: URL of a database elsewhere; None: SQLite in `data`.
        authenticated: Whether clients need a token.
        launcher: Names of launchers; the first is the default.
        pool: Drivers that are kept ready by the process launcher.
        max_upload: Bytes of an artifact.
        max_unpacked: Bytes of an archive's files together.
        max_artifacts: Bytes of all artifacts together; None: as many as the disk holds.
        max_jobs: Jobs that may be active at once.
        writes_per_s: Requests a second in which each client may change something.
        max_connections: Connections that are held at once.
        sql_sessions: Sessions of SQL that may be open at once.
        sql_idle_s: A session that is not used is closed after this number of seconds; 0: never.
        max_connections_per_address: Of one address; through an ingress all have the same.
    """

    host: str = "127.0.0.1"
    port: int = 8081
    data: Path = field(default_factory=default_data)
    database: str | None = field(default=None, repr=False)
    authenticated: bool = True
    launcher: tuple[str, ...] = ("process",)
    pool: int = 1
    max_upload: int = 256 << 20
    max_unpacked: int = 1 << 30
    max_artifacts: int | None = None
    max_jobs: int = 20
    writes_per_s: float = 50.0
    max_connections: int = 1000
    max_connections_per_address: int = 600
    sql_sessions: int = 10
    sql_idle_s: float = 600.0


def size(text: str) -> int:
    """``256MiB`` in bytes.

    Raises:
        ValidationError: It is none.
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise ValidationError(f"{text!r} is no size; write 500000, 512KiB, 256MiB or 1GiB")
    return int(found[1]) << _UNITS[found[2].lower()]


def length_s(text: str) -> float:
    """``30d`` in s.

    Raises:
        ValidationError: It is none.
    """
    found = _TIME.fullmatch(text.strip())
    if found is None or not int(found[1]):
        raise ValidationError(f"{text!r} is no length of time; write 90s, 30min, 12h or 30d")
    return float(int(found[1]) * _SECONDS[found[2].lower()])

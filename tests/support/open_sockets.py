"""The sockets that a process has open."""

from __future__ import annotations

import os
from pathlib import Path


def open_sockets() -> set[str]:
    """Those of this process."""
    links = (os.readlink(link) for link in Path("/proc/self/fd").iterdir() if os.path.lexists(link))
    return {link for link in links if link.startswith("socket:")}

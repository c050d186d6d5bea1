"""Debian's Chromium, or another one that is installed."""

from __future__ import annotations

import os
import shutil
import subprocess

from tests.support.servers.unavailable import UnavailableError

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_LIMIT_S = 240


def chromium() -> str:
    """The program. It has some hundred packages below it, so it is installed and not unpacked, if this user may.

    Raises:
        UnavailableError: There is none.
    """
    if (found := _found()) is not None:
        return found
    why = "no chromium is on the PATH; apt-get install chromium"
    if os.geteuid() == 0 and shutil.which("apt-get"):
        command = ["apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium", "fonts-dejavu-core"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
            why = f"apt-get install chromium failed: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}"
        except subprocess.TimeoutExpired:
            why = f"apt-get install chromium took longer than {_LIMIT_S} s"
        if (found := _found()) is not None:
            return found
    raise UnavailableError(why)


def _found() -> str | None:
    return next((path for name in _NAMES if (path := shutil.which(name))), None)

"""The time of day of processes, set while they run: Python's and Java's."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

_SOURCE = Path(__file__).with_suffix(".c")


class SetClock:
    """A clock that processes have which are started with its variables.

    Args:
        folder: Where its files go.

    Attributes:
        environment: The variables.
    """

    def __init__(self, folder: Path) -> None:
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            pytest.skip("no C compiler, which makes the library that sets the clock of a process")
        library, self._file = folder / "set_clock.so", folder / "clock"
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, _SOURCE, "-ldl", "-pthread"], check=True)
        self.set(0)
        self.environment: dict[str, str | None] = {
            "LD_PRELOAD": str(library),
            "DATASTREAM_TEST_CLOCK": str(self._file),
        }

    def set(self, hours: float) -> None:
        """Set it so far from the machine's."""
        with self._file.open("r+b" if self._file.exists() else "wb") as file:
            file.write(struct.pack("q", round(hours * 3600)))

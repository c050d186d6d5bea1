"""What the workers of this machine write to their standard error, without what is PySpark's own."""

from __future__ import annotations

import re
from collections.abc import Callable

_NOISE = re.compile(
    r"^(Starting )?Streaming TransformWithStateInPandas Python worker|^WARNING: |^\s*$|^PySpark daemon failed to flush"
)
_TRACEBACK = "Traceback (most recent call last)"
_LINKS = ("During handling of the above", "The above exception was")


class WorkerWords:
    """Passes lines on. A traceback of PySpark's is dropped: its error reaches the driver.

    Workers share the stream, so tracebacks of several may be mixed; they are looked at together.

    Args:
        show: Takes a line, or all lines of tracebacks at once.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._lines: list[str] = []
        self._open = 0
        self._dropped = False

    def take(self, line: str) -> None:
        """Pass a line on, or keep it until its traceback is whole."""
        if line.startswith(_TRACEBACK):
            self._lines.append(line)
            self._open += 1
        elif self._open:
            self._lines.append(line)
            if not line.startswith((" ", "\n")):
                self._open -= 1
            if not self._open:
                lines, self._lines = self._lines, []
                self._dropped = any("/pyspark/" in entry for entry in lines)
                if not self._dropped:
                    self._show("".join(lines))
        elif not (self._dropped and line.startswith(_LINKS)) and not _NOISE.search(line):
            self._show(line)

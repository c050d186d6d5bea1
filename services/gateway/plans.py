"""Plans of artifacts. To know one, the artifact's code has to run, in a process of its own with a time limit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from .answers import Refused
from .launchers.pool import environment

_LIMIT_S = 60.0
_TRIES_S = 30.0


class Plans:
    """Makes plans, two at a time.

    Args:
        work: Working directory of the processes.
    """

    def __init__(self, work: Path) -> None:
        self._work = work
        self._free = threading.BoundedSemaphore(2)

    def of(
        self, artifact: Path, kind: str, module: str | None, parallelism: int | None, args: list[str]
    ) -> dict[str, Any]:
        """The plan of the first job that an artifact runs: ``{"plan": ours, "flink": Flink's}``.

        Raises:
            Refused: It has none, or takes too long.
        """
        command = [sys.executable, "-P", "-m", "datastream.services.runner.plan_of", f"--{kind}", str(artifact)]
        command += ["-m", module] if module else []
        command += ["-p", str(parallelism)] if parallelism else []
        if not self._free.acquire(timeout=_TRIES_S):
            raise Refused(429, "too many plans are being made; try again", {"Retry-After": "10"})
        try:
            with subprocess.Popen(
                [*command, "--args-from-stdin"],
                cwd=self._work,
                env=environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            ) as process:
                try:
                    out, said = process.communicate(json.dumps(args).encode(), timeout=_LIMIT_S)
                except subprocess.TimeoutExpired:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)  # what the code started, too
                    raise
        except subprocess.TimeoutExpired:
            raise Refused(
                400, f"the artifact did not reach env.execute() within {_LIMIT_S:.0f} s, so it has no plan"
            ) from None
        except (ValueError, OSError) as error:
            raise Refused(400, f"the plan cannot be made: {error}") from error
        finally:
            self._free.release()
        try:
            found = json.loads(out.splitlines()[-1])
        except (ValueError, IndexError):
            last = said.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no word"]
            raise Refused(400, f"the artifact's code ended without a plan: {last[0]}") from None
        if "error" in found:
            raise Refused(400, str(found["error"]))
        return dict(found)

"""A process that runs scripts one after another and says what each did."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.parity.cases import FOLDER, Script
from tests.parity.outcome import Outcome, files_in

ROOT = FOLDER.parents[1]
SERVERS = FOLDER / "servers"

#: The error of a script that was cut off, and so did not show what it does, begins with this.
CUT_OFF = "while running: no end after"
#: What PyFlink and Beam log of themselves, once a process, where a script shows its log.
_LOGGED = re.compile(
    r"^(Using Any for unsupported type|No module named google|PYFLINK_CYTHON_ENABLED).*\n", re.MULTILINE
)


class Runner:
    """Starts its process with the first script, and again after one that hung or ended it."""

    def __init__(self, command: list[str], environment: dict[str, str] | None = None, limit_s: float = 120) -> None:
        """
        Args:
            command: Python and the server to run.
            environment: Variables of its environment, besides this process's.
            limit_s: A script that takes longer, in s, has failed.
        """
        self.command, self.limit_s = command, limit_s
        self.folder = Path(tempfile.mkdtemp(prefix="parity-"))
        self.capture = self.folder / "stdout"
        self.log = self.folder / "stderr"
        self.environment = {**os.environ, **(environment or {}), "PARITY_CAPTURE": str(self.capture)}
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, script: Script) -> Outcome:
        """What the script does in a folder of its own."""
        return self.run_path(script.path, *script.arguments)

    def run_path(self, path: Path, *arguments: str) -> Outcome:
        """What the script at a path, called with arguments, does in a folder of its own."""
        process = self.process or self._start()
        folder = Path(tempfile.mkdtemp(prefix="script-", dir=self.folder))
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps({"script": [str(path), *arguments], "folder": str(folder)}) + "\n")
        process.stdin.flush()
        answer: dict[str, Any] = {"error": f"{CUT_OFF} {self.limit_s:.0f} s"}
        if select.select([process.stdout], [], [], self.limit_s)[0]:
            said = process.stdout.readline()
            answer = json.loads(said) if said else {"error": "while running: the process ended"}
            if not said:
                self.stop()
        else:
            self.stop()
        printed = _LOGGED.sub("", self.capture.read_text(errors="backslashreplace")).splitlines()
        error = answer["error"] and _plain(answer["error"], folder)
        outcome = Outcome([_plain(line, folder) for line in printed], files_in(folder), error)
        return outcome

    def stop(self) -> None:
        """End the process and what it started."""
        if self.process is None:
            return
        process, self.process = self.process, None
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        process.stdout.close()

    def _start(self) -> subprocess.Popen[str]:
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=self.folder,
                env=self.environment,
                start_new_session=True,
            )
        return self.process


def _plain(line: str, folder: Path) -> str:
    """A line without the name of the script's folder, which is another one each time."""
    return line.replace(str(folder), "FOLDER")


def ours(executor: str = "local") -> Runner:
    """This project, on the executor ``local`` or ``spark``."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    command = [sys.executable, str(SERVERS / "ours.py"), f"--{executor}"]
    return Runner(command, {"PYTHONPATH": os.pathsep.join(paths)})

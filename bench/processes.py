"""Starting a process and everything about it: its end, its time, the memory of its whole tree."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[1]

_REST = 50
_SAMPLE_S = 0.1


class SideError(Exception):
    """A process that was to be measured failed."""


@dataclass
class Peak:
    """The most memory that a tree of processes had at one time.

    Attributes:
        measure: PSS (shared pages are counted once), or RSS where the system has no PSS.
        mb: MiB.
        by_program: Program -> MiB at that moment.
        processes: Their number at that moment.
        samples: How often it was looked at.
    """

    measure: str = "PSS"
    mb: float = 0.0
    by_program: dict[str, float] = field(default_factory=dict)
    processes: int = 0
    samples: int = 0


@dataclass
class Finished:
    """A process that has ended."""

    code: int
    started: float
    wall_s: float
    output: str
    errors: str
    peak: Peak | None


class Tree:
    """A process and all below it; one that was seen once is kept when its parent ends before it."""

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self._known: dict[int, psutil.Process] = {pid: self._root}

    def processes(self) -> list[psutil.Process]:
        for process in list(self._known.values()):
            try:
                for child in process.children(recursive=True):
                    self._known.setdefault(child.pid, child)
            except psutil.Error:
                pass  # it has ended, or is ending
        self._known = {pid: p for pid, p in self._known.items() if p.is_running()}
        return list(self._known.values())

    def kill(self) -> None:
        for process in self.processes():
            with suppress(psutil.Error):  # it has ended by itself
                process.kill()


class Sampler(threading.Thread):
    """Looks at the memory of a tree every 100 ms until told to stop; rarely enough to take 2 % of a core at most."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(daemon=True)
        self.peak = Peak()
        self._tree = tree
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.is_set():
            began = time.monotonic()
            self._sample()
            self._ended.wait(max(_SAMPLE_S, _REST * (time.monotonic() - began)))

    def stop(self) -> Peak:
        self._ended.set()
        self.join()
        return self.peak

    def _sample(self) -> None:
        total, count = 0.0, 0
        programs: dict[str, float] = {}
        for process in self._tree.processes():
            try:
                mb = self._memory(process) / (1 << 20)
                name = "java" if "java" in process.name() else "python and shell"
            except psutil.Error:
                continue  # it ended between the two looks
            total += mb
            count += 1
            programs[name] = programs.get(name, 0.0) + mb
        self.peak.samples += 1
        if total > self.peak.mb:
            self.peak.mb, self.peak.by_program, self.peak.processes = total, programs, count

    def _memory(self, process: psutil.Process) -> float:
        if self.peak.measure == "PSS":
            pss = getattr(process.memory_full_info(), "pss", None)
            if pss is not None:
                return float(pss)
            self.peak.measure = "RSS"
        return float(process.memory_info().rss)


def environment() -> dict[str, str]:
    """This process's, but compiled modules are kept, as they are in an installed package."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    kept["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return kept


def launch(
    command: list[str],
    *,
    sample: bool = False,
    timeout_s: float = 900,
    extra_environment: dict[str, str] | None = None,
) -> Finished:
    """Run a command to its end.

    Args:
        command: The command.
        sample: Watch the memory of the tree.
        timeout_s: Kill the tree after so many seconds.
        extra_environment: Added to this process's environment.

    Raises:
        SideError: it took too long.
    """
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        started = time.monotonic()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            cwd=ROOT,
            env={**environment(), **(extra_environment or {})},
        )
        tree = Tree(process.pid)
        sampler = Sampler(tree) if sample else None
        if sampler is not None:
            sampler.start()
        try:
            code = process.wait(timeout_s)
            wall = time.monotonic() - started
        except subprocess.TimeoutExpired:
            tree.kill()
            raise SideError(f"no end after {timeout_s:.0f} s: {' '.join(command[:4])} ...") from None
        except KeyboardInterrupt:
            _end(process, tree)
            raise
        finally:
            peak = sampler.stop() if sampler is not None else None
        for file in (output, errors):
            file.seek(0)
        return Finished(code, started, wall, output.read(), errors.read(), peak)


def _end(process: subprocess.Popen[bytes], tree: Tree) -> None:
    """Let a process end in its own way for some seconds, then kill it and all below."""
    process.send_signal(signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):  # then the hard way
        process.wait(10)
    tree.kill()


def run_side(target: str, parameters: dict[str, Any], *, sample: bool = False, limit_s: float = 900) -> dict[str, Any]:
    """Call a side's function in a process of its own.

    Args:
        target: ``module:function``.
        parameters: Its arguments.
        sample: Whether the memory of its processes is watched.
        limit_s: It has failed after so long.

    Raises:
        SideError: it failed; the message ends with what it said.
    """
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        out = Path(folder, "result.json")
        command = [sys.executable, "-m", "bench.side", target, json.dumps(parameters), str(out)]
        done = launch(command, sample=sample, timeout_s=limit_s)
        if done.code or not out.exists():
            said = (done.errors or done.output).strip()[-3000:]
            raise SideError(f"{target} ended with exit code {done.code}:\n{said}")
        result: dict[str, Any] = json.loads(out.read_text())
    result["wall_s"] = done.wall_s
    if done.peak is not None:
        result["peak"] = vars(done.peak)
    return result

"""Drivers as processes of this machine, which outlive the gateway.

A note in the job's folder, made before the driver has its job, names its process: a gateway that starts again finds it
by that, and an attempt is started once. The runner writes its address into a note of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, BinaryIO

import psutil

from ..log_lines import exit_code, tail
from .launcher import Absent, Alive, Ended, Launch, State
from .pool import Driver, Pool
from .process_identity import identity, lives, memory_of, of_session

_POLL_S = 0.2
#: Bytes of a line; what is longer is several lines. The last word of a driver has its place in one.
LINE_BYTES = 6 << 20
#: Bytes of the end of a log that are looked at for its last lines.
_TAIL_BYTES, _BLOCK_BYTES = 8 << 20, 64 << 10


class ProcessLauncher:
    """Starts drivers on this machine.

    Args:
        work: Working directory of the drivers; a folder that is there.
        savepoints: The folder of all jobs' savepoints.
        pool: How many drivers are kept ready.
    """

    name = "process"

    def __init__(self, work: Path, savepoints: Path, pool: int) -> None:
        self._work, self._savepoints = work, savepoints
        self._pool = Pool(pool, work)
        self._lock = threading.Lock()
        self._children: dict[int, subprocess.Popen[bytes]] = {}
        #: Exit codes of children that ended by themselves.
        self._codes: dict[int, int] = {}

    def availability(self) -> str | None:
        return None

    def checkpoint_dir(self, folder: Path) -> str:
        return str(folder / "checkpoint")

    def savepoint_dir(self, job: str, folder: Path) -> str:
        return str(self._savepoints / job)

    def start(self, launch: Launch) -> None:
        with self._lock:
            if _note(launch).exists():
                return
            driver = self._pool.take() if suits_pool(launch.settings) else None
            driver = driver or Driver(self._work, warm=False)
            process = driver.process
            self._children[process.pid] = process
            self._codes.pop(process.pid, None)
            try:
                _write(_note(launch), identity(process.pid))
                _write(_config(launch), _settings(launch))
                driver.take({"config": str(_config(launch)), "log": str(log_file(launch))})
            except (OSError, psutil.NoSuchProcess):
                process.kill()
                raise

    def state(self, launch: Launch) -> State:
        note = _read(_note(launch))
        if note is None:
            return Absent()
        if self._lives(note):
            url = (_read(_address(launch)) or {}).get("url")
            return Alive(url if isinstance(url, str) else None)
        said = exit_code(tail(log_file(launch)), launch.control_token)
        return Ended(self._codes.get(note.get("pid", 0)) if said is None else said)

    def kill(self, launch: Launch) -> None:
        note = _read(_note(launch))
        if note is None or not self._lives(note):
            return
        with suppress(psutil.NoSuchProcess):
            driver = psutil.Process(note["pid"])
            _kill([driver, *driver.children(recursive=True)])

    def memory(self, launch: Launch) -> int | None:
        note = _read(_note(launch))
        if note is None or not self._lives(note):
            return None
        return memory_of(note["pid"])

    def lines(self, launch: Launch, last: int | None, follow: Callable[[], bool] | None) -> Iterator[str]:
        return read_lines(log_file(launch), last, follow)

    def remove(self, launch: Launch) -> None:
        _config(launch).unlink(missing_ok=True)
        note = _read(_note(launch))
        if note is not None and isinstance(note.get("pid"), int) and not self._lives(note):
            _kill(of_session(note["pid"]))  # Java, say, of a driver that was killed

    def forget(self, job: str, folder: Path) -> None:
        shutil.rmtree(folder / "checkpoint", ignore_errors=True)

    def pool(self) -> tuple[int, int] | None:
        return (self._pool.ready, self._pool.size) if self._pool.size else None

    def close(self) -> None:
        self._pool.close()

    def _lives(self, note: dict[str, Any]) -> bool:
        child = self._children.get(note.get("pid", 0))
        if child is not None and child.poll() is not None:  # also takes its exit status, so that no zombie is left
            del self._children[note["pid"]]
            if child.returncode > 0:  # 0 only counts with a last word
                self._codes[note["pid"]] = child.returncode
            return False
        return lives(note)


def _kill(processes: list[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(processes, timeout=5)


def suits_pool(settings: Mapping[str, Any]) -> bool:
    """Whether a job can run in a driver whose Spark session is there already."""
    properties = settings.get("properties") or {}
    return settings.get("master") is None and not any(key.startswith("spark.") for key in properties)


def log_file(launch: Launch) -> Path:
    """Where an attempt's log is."""
    return launch.folder / f"log-{launch.attempt}.jsonl"


def read_lines(file: Path, last: int | None, follow: Callable[[], bool] | None) -> Iterator[str]:
    """As `Launcher.lines`, of a file; one that was moved to ``.1`` lies before it. No more than the end is read."""
    before = file.with_name(file.name + ".1")
    place = 0
    inode = None
    with ExitStack() as stack:
        logs = []
        for each in (before, file):
            with suppress(FileNotFoundError):
                logs.append(stack.enter_context(each.open("rb")))
        if last is None:
            logs = [log for log in logs if log.name == str(before)]
        begins = _begin_of(logs, last)
        for log, begin in zip(logs, begins, strict=True):
            whole = begin
            log.seek(begin)
            while line := log.readline(LINE_BYTES):
                if last is not None and not line.endswith(b"\n") and len(line) < LINE_BYTES:
                    break  # it is being written
                whole += len(line)
                yield _text(line)
            if log.name == str(file):
                place, inode = whole, os.fstat(log.fileno()).st_ino
    quiet = time.monotonic()
    while True:
        goes_on = follow is not None and follow()  # before the file is read, so that its last lines are not missed
        with suppress(FileNotFoundError), file.open("rb") as log:
            now = os.fstat(log.fileno()).st_ino
            if now == inode:
                log.seek(place)
            inode, place = now, log.tell()
            while line := log.readline(LINE_BYTES):
                if not line.endswith(b"\n") and len(line) < LINE_BYTES and goes_on:
                    break  # the rest comes
                place += len(line)
                quiet = time.monotonic()
                yield _text(line)
        if not goes_on:
            return
        if time.monotonic() - quiet > 1:
            quiet = time.monotonic()
            yield ""
        time.sleep(_POLL_S)


def _begin_of(logs: Sequence[BinaryIO], last: int | None) -> list[int]:
    """Where in each of some logs, the oldest first, their last lines together begin; None: all of them."""
    begins = [0] * len(logs)
    if last is None:
        return begins
    left, left_bytes = last, _TAIL_BYTES
    for number in reversed(range(len(logs))):
        log = logs[number]
        place = begin = log.seek(0, os.SEEK_END)
        if left <= 0 or left_bytes <= 0 or not place:
            begins[number] = place
            continue
        found_begin = False
        ends = -1  # the last line end ends a line, and begins none
        while place and left_bytes > 0 and not found_begin:
            size = min(_BLOCK_BYTES, place, left_bytes)
            place -= size
            left_bytes -= size
            log.seek(place)
            block = log.read(size)
            at = len(block)
            while (at := block.rfind(b"\n", 0, at)) >= 0:
                ends += 1
                begin = place + at + 1
                if ends >= left:
                    found_begin = True
                    break
        begins[number] = begin if found_begin or place else 0
        left = 0 if found_begin or place else left - (ends + 1)
    return begins


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").rstrip("\r\n")


def _note(launch: Launch) -> Path:
    return launch.folder / f"driver-{launch.attempt}.json"


def _address(launch: Launch) -> Path:
    return launch.folder / f"address-{launch.attempt}.json"


def _config(launch: Launch) -> Path:
    return launch.folder / f"runner-{launch.attempt}.json"


def _settings(launch: Launch) -> dict[str, Any]:
    return {
        **launch.settings,
        launch.kind: str(launch.artifact),
        "address": "127.0.0.1",
        "port": 0,
        "note": str(_address(launch)),
        "control-token": launch.control_token,
    }


def _write(file: Path, content: Mapping[str, Any]) -> None:
    temporary = file.with_name(f".{file.name}.new")
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        json.dump(content, out)
        out.flush()
        os.fsync(out.fileno())
    os.replace(temporary, file)


def _read(file: Path) -> dict[str, Any] | None:
    """A note; empty if it is damaged: what it described has gone then."""
    try:
        found = json.loads(file.read_text())
    except FileNotFoundError:
        return None
    except (ValueError, OSError):
        return {}
    return found if isinstance(found, dict) else {}

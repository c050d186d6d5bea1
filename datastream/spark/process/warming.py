"""Makes the class-data archive: runs a small job, once, and keeps the classes that Java loaded for it.

The first run of a machine has it made in the background when it ends; so has the first one after Java, PySpark or
their place has changed.
"""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from datastream.errors import JavaError, ValidationError, cut

from . import archive
from .java import Java, find_java

_started: list[subprocess.Popen[bytes]] = []
_LOGGER = logging.getLogger("datastream")

#: A setting; the variable `archive.VARIABLE` is its default; see `wanted`.
SETTING = "datastream.java.archive"

_IN_BACKGROUND = "--in-background"
_LIMIT_S = 600
_SPACE = 1 << 30
_AGAIN_AFTER_S = 24 * 3600.0
_UNUSED_S = 60 * 24 * 3600.0


def wanted(properties: dict[str, str]) -> bool:
    """Whether a run with these settings has the archive made in the background: ``auto``, the default, or ``off``.

    Not in a folder that the environment names: it is kept as it was made.

    Raises:
        ValidationError: the setting says something else.
    """
    default = os.environ.get(archive.VARIABLE) or "auto"
    said = properties.get(SETTING) or ("off" if os.path.isabs(default) else default)
    if said not in ("auto", "off"):
        raise ValidationError(f"{SETTING} must be 'auto' or 'off', got {cut(said)}")
    return said == "auto"


def make() -> str:
    """Make the archive now, unless it is there; wait for whoever is making it.

    Raises:
        JavaError: it could not be made; later starts take some seconds longer.
    """
    java = find_java()
    target = archive.path(java)
    if target.exists():
        return f"class-data archive is up to date: {target}"
    target.parent.mkdir(parents=True, exist_ok=True)
    with _only_one(target, wait=True):
        if not target.exists():
            _make(java, target)
    return f"made the class-data archive {target} ({target.stat().st_size >> 20} MiB)"


def make_later() -> subprocess.Popen[bytes] | None:
    """Start a process that makes the archive, unless it is there, cannot be kept or failed lately.

    It outlives this one, takes only idle time, and logs nothing.
    """
    try:
        target = archive.path(find_java())
        if target.exists() or os.environ.get(archive.DUMP):
            return None
        target.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(target.parent, os.W_OK) or shutil.disk_usage(target.parent).free < _SPACE:
            return None
        if time.time() - _time_of(_failure(target)) < _AGAIN_AFTER_S:
            return None
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", __spec__.name, _IN_BACKGROUND],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=target.parent,
            start_new_session=True,
        )
    except (OSError, JavaError) as error:
        _LOGGER.debug("no class-data archive for faster starts: %s", error)
        return None
    _started.append(process)  # it is not waited for
    _LOGGER.info("making a class-data archive in the background, so that later runs start faster: %s", target)
    return process


def _in_background() -> None:
    """Make the archive, if no other process does."""
    os.nice(19)
    java = find_java()
    target = archive.path(java)
    with suppress(BlockingIOError), _only_one(target, wait=False):
        if target.exists():
            return
        try:
            _make(java, target)
        except (JavaError, OSError, subprocess.SubprocessError) as error:
            _failure(target).write_text(f"{error}\n")


@contextmanager
def _only_one(target: Path, wait: bool) -> Iterator[None]:
    """Hold the lock of an archive. What others left unfinished is deleted.

    Raises:
        BlockingIOError: another process holds it.
    """
    with target.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        for left in target.parent.glob(f"{target.stem}.unfinished-*"):
            if archive.is_made(left):
                left.unlink()
        yield


def _make(java: Java, target: Path) -> None:
    for old in target.parent.glob("classes-*"):
        if archive.is_made(old) and time.time() - _time_of(old) > _UNUSED_S:
            old.unlink()
    _failure(target).unlink(missing_ok=True)
    unfinished = target.with_suffix(f".unfinished-{os.getpid()}")
    below = archive.base(java)
    if below is not None and not below.exists():
        # the same collector as later: an archive fits only that
        command = [java.executable, *archive.flags()[:-1], "-Xshare:dump", f"-XX:SharedArchiveFile={unfinished}"]
        _succeed(command, dict(os.environ), unfinished)
        _put(unfinished, below)
    command = [sys.executable, "-P", "-m", __spec__.name]
    _succeed(command, {**os.environ, archive.DUMP: str(unfinished)}, unfinished)
    _put(unfinished, target)


def _put(unfinished: Path, target: Path) -> None:
    """Name a finished file, once it is on the disk whole."""
    with unfinished.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(unfinished, target)


def _succeed(command: list[str], environment: dict[str, str], made: Path) -> None:
    run = subprocess.run(
        command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=_LIMIT_S
    )
    if run.returncode or not made.exists():
        said = (run.stderr or run.stdout).strip()[-500:] or "nothing"
        raise JavaError(f"no class-data archive could be made (starts take some seconds longer); Java said: {said}")


def _failure(target: Path) -> Path:
    """Where an attempt leaves word of its failure, so that not every run tries again."""
    return target.with_suffix(".failed")


def _time_of(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _job() -> None:
    """What is run once, to its end, so that its classes can be kept."""
    from datastream import StreamExecutionEnvironment

    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    stream = env.from_collection(list(range(100)))
    with stream.map(abs).rebalance().map(str).key_by(len).reduce(max).execute_and_collect() as results:
        assert len(list(results)) == 100


if __name__ == "__main__":
    if sys.argv[1:] == [_IN_BACKGROUND]:
        _in_background()
    else:
        _job()

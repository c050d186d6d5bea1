"""Whether an uploaded file is what its name says, and can do no harm when it is unpacked."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from . import inspection
from .answers import Refused

_ARCHIVES = (".zip", ".pyz", ".whl", ".tar.gz", ".tgz", ".tar")
_NAME = re.compile(r"[\w][\w .+@=()-]{0,199}")
_NAME_BYTES = 200
#: One file after the other is looked into; how long others wait for that, and how long it may take.
_FREE = threading.Lock()
_WAIT_S, _LIMIT_S = 60.0, 60.0


@dataclass(frozen=True)
class Contents:
    """What is in an artifact.

    Attributes:
        kind: ``script`` or ``archive``.
        entries: Modules that can be run: ``__main__`` and packages with one.
    """

    kind: str
    entries: tuple[str, ...]


@dataclass(frozen=True)
class UnpackLimits:
    """How large an archive may become.

    Attributes:
        bytes: Of all its files together.
        members: Files and folders.
    """

    bytes: int
    members: int = 20_000


def checked_name(name: str | None) -> str:
    """The name, if a file may have it.

    Raises:
        Refused: It has none, it would leave its folder, or it has no suffix of an artifact.
    """
    if not name:
        raise Refused(400, "the artifact has no name: give ?name=job.py, or upload it as a form with a file")
    if not _NAME.fullmatch(name) or ".." in name or len(name.encode("utf-8", "replace")) > _NAME_BYTES:
        raise Refused(
            400,
            "an artifact's name is a plain file name: letters, digits and . _ - + = @ ( ), up to 200 bytes, "
            f"without folders; got {name[:200]!r}",
        )
    if name.lower().endswith(".jar"):
        raise Refused(415, "a jar cannot be run here: jobs are Python scripts or archives, and need no connector jars")
    if not name.lower().endswith((".py", *_ARCHIVES)):
        raise Refused(415, f"{name!r}: an artifact is a .py script or an archive ({', '.join(_ARCHIVES)})")
    return name


def look_into(file: Path, name: str, limits: UnpackLimits) -> Contents:
    """Check an uploaded file, in a process of its own.

    Raises:
        Refused: It is not what its name says, is damaged, would do harm when it is unpacked, or takes too much time or
            memory to be looked into.
    """
    command = [sys.executable, "-I", "-S", inspection.__file__]
    command += [str(file), name, str(limits.bytes), str(limits.members)]
    if not _FREE.acquire(timeout=_WAIT_S):
        raise Refused(429, "too many artifacts are looked into; try again", {"Retry-After": "10"})
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LIMIT_S, env={})
    except subprocess.TimeoutExpired:
        raise Refused(413, f"{name} is refused: to look into it takes more than {_LIMIT_S:.0f} s") from None
    finally:
        _FREE.release()
    try:
        found = json.loads(done.stdout)
    except ValueError:
        what = "time" if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL) else "memory"
        raise Refused(413, f"{name} is refused: to look into it takes too much {what}") from None
    if "refused" in found:
        raise Refused(found["status"], found["refused"])
    return Contents(found["kind"], tuple(found["entries"]))

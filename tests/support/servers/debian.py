"""Programs out of Debian's packages, unpacked without being installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.support.servers.installs import install_once
from tests.support.servers.unavailable import UnavailableError

_LIMIT_S = 120


def program(package: str, name: str) -> Path:
    """A program that is on the PATH, or in a package for this machine's release of Debian or Ubuntu.

    Raises:
        UnavailableError: It is not on the PATH, and there is no such package.
    """
    found = shutil.which(name)
    if found is not None:
        return Path(found)
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise UnavailableError(f"{name} is not on the PATH, and there is no apt-get to fetch Debian's {package} with")
    return install_once(f"debian-{package}", lambda folder: _unpack(package, folder)) / "usr" / "bin" / name


def _unpack(package: str, folder: Path) -> None:
    with tempfile.TemporaryDirectory() as fetched:
        _run(["apt-get", "download", "-q", package], fetched)
        (file,) = Path(fetched).glob("*.deb")
        _run(["dpkg-deb", "-x", str(file), str(folder)], fetched)


def _run(command: list[str], where: str) -> None:
    try:
        done = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"{' '.join(command)} took longer than {_LIMIT_S} s") from None
    if done.returncode:
        why = (done.stderr.strip() or done.stdout.strip()).splitlines() or ["no reason given"]
        raise UnavailableError(f"{' '.join(command)} failed (apt-get update may help): {why[-1]}")

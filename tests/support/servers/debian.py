"""Programs out of Debian's packages, unpacked without being installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.support.servers.installs import install_once
from tests.support.servers.unavailable import UnavailableError

_LIMIT_S = 300


def program(package: str, name: str) -> Path:
    """A program that is on the PATH, or in a package for this machine's release of Debian or Ubuntu.

    Raises:
        UnavailableError: It is not on the PATH, and there is no such package.
    """
    found = shutil.which(name)
    if found is not None:
        return Path(found)
    return unpacked(package, [package]) / "usr" / "bin" / name


def unpacked(name: str, packages: Sequence[str], mend: Callable[[Path, Path], None] | None = None) -> Path:
    """The folder of packages for this machine's release of Debian or Ubuntu, unpacked once.

    Args:
        name: Of the folder.
        packages: All that is needed of them.
        mend: Is called before the folder is in its place: with where it is, and where it will be.

    Raises:
        UnavailableError: This is another system, or there are no such packages.
    """
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise UnavailableError(f"{name} is not installed, and there is no apt-get to fetch Debian's with")
    folder = f"debian-{name}"

    def build(at: Path) -> None:
        with tempfile.TemporaryDirectory() as fetched:
            _run(["apt-get", "download", "-q", *packages], fetched)
            for file in sorted(Path(fetched).glob("*.deb")):
                _run(["dpkg-deb", "-x", str(file), str(at)], fetched)
        if mend is not None:
            mend(at, at.with_name(folder))

    return install_once(folder, build)


def _run(command: Sequence[str], where: str) -> None:
    try:
        done = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"{' '.join(command)[:80]} took longer than {_LIMIT_S} s") from None
    if done.returncode:
        why = (done.stderr.strip() or done.stdout.strip()).splitlines() or ["no reason given"]
        raise UnavailableError(f"{' '.join(command)[:80]} failed (apt-get update may help): {why[-1]}")

"""`scripts/setup`: which Python makes `.venv`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_an_active_venv_does_not_make_itself_anew(tmp_path: Path) -> None:
    """It would delete itself, and the installer that it runs."""
    scripts, programs, elsewhere = tmp_path / "scripts", tmp_path / ".venv" / "bin", tmp_path / "elsewhere"
    for folder in (scripts, programs, elsewhere):
        folder.mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "setup", scripts)
    (scripts / "bootstrap.py").write_text(
        "import shutil, sys\n"
        "if '--check' in sys.argv: sys.exit(1)\n"
        "print(shutil.which('python3'), shutil.which('uv'))\n"
    )
    for folder in (programs, elsewhere):
        (folder / "python3").symlink_to(sys.executable)
    for name in ("python", "uv"):
        (programs / name).symlink_to(sys.executable)
    path = os.pathsep.join([str(programs), str(elsewhere), "/usr/bin", "/bin"])
    run = subprocess.run([scripts / "setup"], env={"PATH": path}, capture_output=True, text=True, check=True)
    python, uv = run.stdout.split()
    assert python == str(elsewhere / "python3") and uv != str(programs / "uv")

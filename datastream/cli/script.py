"""Running a user's script as ``__main__``."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from datastream.compat import install


def run_script(path: Path, args: tuple[str, ...]) -> None:
    """Run a script as ``python script.py args...`` would, with ``pyflink`` imports served by this project."""
    install()
    sys.argv = [str(path), *args]
    sys.path.insert(0, str(path.resolve().parent))
    runpy.run_path(str(path), run_name="__main__")

"""Running a user's script as ``__main__``."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from datastream.compat import install
from datastream.errors import ValidationError

ROOT = Path(__file__).resolve().parents[2]


def run_script(path: Path, args: tuple[str, ...]) -> None:
    """Run a script as ``python script.py args...`` would, with ``pyflink`` imports served by this project."""
    install()
    for name in ("datastream", "connectors"):  # a namesake beside the script would be found instead of ours
        shadow = next((p for p in (path.parent / f"{name}.py", path.parent / name / "__init__.py") if p.exists()), None)
        if shadow is not None and shadow.resolve().parents[-len(ROOT.parts)] != ROOT:
            raise ValidationError(f"{shadow} hides this project's package '{name}'; give it another name")
    sys.argv = [str(path), *args]
    sys.path.insert(0, str(path.resolve().parent))
    runpy.run_path(str(path), run_name="__main__")

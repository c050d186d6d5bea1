"""Running a user's script as ``__main__``."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from datastream import package
from datastream.compat import install
from datastream.errors import ValidationError


def run_script(path: Path, args: tuple[str, ...]) -> None:
    """Run a script as ``python script.py args...`` would, with ``pyflink`` imports served by this project."""
    install()
    for shadow in (path.parent / "datastream.py", path.parent / "datastream" / "__init__.py"):
        if shadow.exists() and not shadow.samefile(Path(package.FOLDER, "__init__.py")):
            raise ValidationError(f"{shadow} hides this project's package 'datastream'; give it another name")
    sys.argv = [str(path), *args]
    sys.path.insert(0, str(path.resolve().parent))
    runpy.run_path(str(path), run_name="__main__")

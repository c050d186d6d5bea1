"""Running a user's script or module as ``__main__``."""

from __future__ import annotations

import importlib.util
import runpy
import sys
from pathlib import Path

from datastream import package
from datastream.compat import install
from datastream.config.settings import settings
from datastream.errors import ValidationError


def run_script(path: Path, args: tuple[str, ...]) -> None:
    """Run a script as ``python script.py args...`` would, with ``pyflink`` imports served by this project.

    The statements of a file that ends with .sql run one by one. It finds functions in modules beside it.
    """
    _prepare(path.resolve().parent, str(path), args)
    if path.suffix == ".sql":
        from .sql_file import run_sql_file

        run_sql_file(path, settings().log_format or "console")
        return
    runpy.run_path(str(path), run_name="__main__")


def run_module(name: str, folder: Path, args: tuple[str, ...]) -> None:
    """Run a module as ``python -m name args...`` would in a folder, with ``pyflink`` imports served by this project.

    Raises:
        ValidationError: There is no such module.
    """
    _prepare(folder.resolve(), name, args)
    try:
        found = importlib.util.find_spec(name)
    except ModuleNotFoundError as missing:
        if missing.name is None or not f"{name}.".startswith(f"{missing.name}."):
            raise  # of the package's own imports
        found = None
    if found is None:
        raise ValidationError(
            f"there is no module {name!r} in {folder}, nor among the installed packages; install it, name its files "
            "(run -pyfs), or set PYTHONPATH"
        )
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def _prepare(folder: Path, program: str, args: tuple[str, ...]) -> None:
    """Make ready what Python itself would: the program's arguments, and its folder as the first to import from."""
    install()
    for shadow in (folder / "datastream.py", folder / "datastream" / "__init__.py"):
        if shadow.exists() and not shadow.samefile(Path(package.FOLDER, "__init__.py")):
            raise ValidationError(f"{shadow} hides this project's package 'datastream'; give it another name")
    sys.argv = [program, *args]
    sys.path.insert(0, str(folder))

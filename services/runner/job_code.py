"""The job's code: a script, a module, or an archive that holds the job and its packages."""

from __future__ import annotations

import atexit
import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from datastream.config.settings import settings
from datastream.driver.imports import enter_driver
from datastream.driver.script import run_module, run_script
from datastream.environments.archives import unpack as unpack_archive
from datastream.environments.needs import EnvironmentRefused
from datastream.errors import ValidationError
from datastream.spark.process.run_folder import RunFolder

from .settings import RunnerSettings

_MAIN = "__main__.py"
#: What is wrong with the machine, not with the archive.
_MAY_PASS = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EIO,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.ENOENT,
    errno.EACCES,
)


def job_code(given: RunnerSettings) -> tuple[str, Callable[[], None]]:
    """The name of the job's code, and what runs it.

    Raises:
        ValidationError: The archive is none, or nothing says which of its modules is the job.
    """
    args = given.args
    if given.archive is not None:
        folder = unpack(given.archive)
        module = given.module or _module_in(folder, given.archive)
        if module is None:
            return str(given.archive), lambda: _run(lambda: run_script(folder / _MAIN, args))
        return f"{given.archive} ({module})", lambda: _run(lambda: run_module(module, folder, args))
    if given.module is not None:
        name = given.module
        return name, lambda: _run(lambda: run_module(name, Path.cwd(), args))
    script = given.script
    assert script is not None
    return str(script), lambda: _run(lambda: run_script(script, args))


def unpack(archive: Path) -> Path:
    """Unpack an archive into a temporary folder, which goes with the process: workers import from it, too.

    Raises:
        ValidationError: It is no zip or tar file, is damaged or too large, or has members outside of the folder.
    """
    made = RunFolder()
    atexit.register(made.remove)
    folder = Path(made.path, "job")
    folder.mkdir()
    try:
        unpack_archive(str(archive), folder)
    except EnvironmentRefused as error:
        raise ValidationError(str(error)) from error
    except OSError as error:
        if error.errno in _MAY_PASS:
            raise
        raise ValidationError(f"{archive} cannot be unpacked: {type(error).__name__}: {error}") from error
    return folder


def _module_in(folder: Path, archive: Path) -> str | None:
    """The package that is the job, None for ``__main__.py`` itself.

    Raises:
        ValidationError: There is none, or several.
    """
    if (folder / _MAIN).is_file():
        return None
    packages = sorted(path.parent.name for path in folder.glob(f"*/{_MAIN}"))
    if len(packages) == 1:
        return packages[0]
    held = ", ".join(sorted(os.listdir(folder))[:10]) or "nothing"
    raise ValidationError(
        f"{archive} has no {_MAIN}, and {'several packages' if packages else 'no package'} with one; "
        f"name the job's module with -m PACKAGE.MODULE. The archive holds {held}"
    )


def _run(code: Callable[[], None]) -> None:
    with _missing_packages():
        enter_driver(settings())
        code()


@contextmanager
def _missing_packages() -> Iterator[None]:
    """Say what to do about a package that the job imports and that is not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        error.add_note(
            f"This Python has no package {package!r}: install it in the job's image, or put it into the job's archive."
        )
        raise

"""How a failed job is reported on the terminal: the message, and the user's own lines of the traceback."""

from __future__ import annotations

import io
import sys
import sysconfig
import traceback
from contextlib import redirect_stderr
from functools import cache
from pathlib import Path

import click

from datastream import package
from datastream.config.settings import settings
from datastream.environments.secret_values import hide, secrets_of
from datastream.errors import (
    RESTORED_STATE,
    DataStreamError,
    FunctionError,
    JobCancelled,
    trace_text,
)
from datastream.plain_text import indented, plain

FAILED, INVALID, CANCELLED = 1, 2, 130


def exit_code(error: BaseException, started: bool = True) -> int:
    """1 for a failure, 2 for one that starting the job again would give again, 130 for Ctrl-C.

    Args:
        error: What ended the job, or the script.
        started: Whether a job was started. Before that, only what the script wants from outside can be better when it
            is started again: files and connections, whose errors are OSErrors.
    """
    if isinstance(error, (KeyboardInterrupt, JobCancelled)):
        return CANCELLED
    unfit = isinstance(error, FunctionError) and error.failure.function == RESTORED_STATE
    lasting = isinstance(error, DataStreamError) and error.lasting
    if unfit or lasting or not (started or isinstance(error, OSError)):
        return INVALID
    return FAILED


@cache
def foreign_folders() -> tuple[str, ...]:
    """Folders whose code is not the user's: the standard library, installed packages, this project."""
    places = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    places |= {package.FOLDER, str(Path(package.FOLDER).resolve())}
    return tuple(place.rstrip("/") + "/" for place in places if place)


def is_user_file(name: str) -> bool:
    """Whether a file with code is one of the user's."""
    foreign = foreign_folders()
    return not name.startswith(("<", *foreign)) and not str(Path(name).resolve()).startswith(foreign)


def user_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The lines of the traceback that lie in the user's files, outermost first."""
    return [frame for frame in traceback.extract_tb(error.__traceback__) if is_user_file(frame.filename)]


def message_text(error: BaseException) -> str:
    """The exception's type and message, with Python's "Did you mean", which it adds only where it prints."""
    bare = "".join(traceback.format_exception_only(error)).rstrip()
    printed = io.StringIO()
    with redirect_stderr(printed):
        sys.__excepthook__(type(error), error, error.__traceback__)
    _, found, more = printed.getvalue().rpartition(bare)
    return bare + more.rstrip() if found else bare


def error_text(error: BaseException) -> str:
    """An exception's message, without secrets."""
    return without_secrets(str(error))


def without_secrets(text: str) -> str:
    """A text without secrets, those of the run's settings and arguments among them."""
    return hide(text, secrets_of(settings().properties, sys.argv[1:]))


def failure_text(error: BaseException, verbose: bool = False) -> str:
    """The whole text for people, without secrets.

    Args:
        error: What ended the job.
        verbose: With every frame, every cause, and the worker's own traceback.
    """
    return without_secrets(_failure_text(error, verbose))


def _failure_text(error: BaseException, verbose: bool) -> str:
    if verbose:
        text = trace_text(error)
        if isinstance(error, FunctionError):
            text += f"\nIn the worker:\n{error.failure.trace}"
        return text.rstrip()
    frames = "".join(traceback.format_list(user_frames(error))).rstrip()
    if isinstance(error, DataStreamError):
        return f"{error}\n\n{frames}" if frames else str(error)
    message = indented(message_text(error)) + _missing_module(error)
    return f"Traceback, your files only:\n{frames}\n{message}" if frames else message


def _missing_module(error: BaseException) -> str:
    """What to do about a module that a script imports and that is not there."""
    if isinstance(error, ModuleNotFoundError) and not getattr(error, "__notes__", None):
        return (
            "\n  if only functions need it, import it inside of them and bring it with the job; -pyreq FILE and -pyfs "
            "MODULES bring it for the script too"
        )
    return ""


def report(error: BaseException, log_format: str, verbose: bool) -> None:
    """Write the failure to stderr, as text or as one JSON line."""
    if log_format == "json":
        import structlog

        log = structlog.get_logger("datastream")
        if isinstance(error, (KeyboardInterrupt, JobCancelled)):
            log.warning("cancelled")
        else:
            log.error("failed", type=type(error).__name__, error=error_text(error), trace=failure_text(error, verbose))
        return
    sys.stdout.flush()
    if isinstance(error, (KeyboardInterrupt, JobCancelled)):
        click.echo("cancelled", err=True)
        return
    click.secho("error: ", fg="red", bold=True, nl=False, err=True)
    click.echo(plain(failure_text(error, verbose)), err=True)

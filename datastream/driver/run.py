"""Runs a script, and the jobs that it starts, to their end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, NoReturn

import click

from datastream.config.settings import Settings, settings

if TYPE_CHECKING:
    from .progress import Terminal


def set_up_log(log_format: str, verbose: bool) -> None:
    """Send what this process logs to stderr, before a job starts."""
    from .logs import configure

    settings().log_format = log_format
    configure(log_format, verbose)


def listen(given: Settings, log_format: str, no_progress: bool = False) -> Terminal | None:
    """Set up the log, and who reports the jobs' progress; returns the live lines on the terminal, if there are any."""
    from .logs import ConsoleLogs, show_warnings
    from .progress import JsonEpochs, LossWarnings, Progress, Terminal

    if log_format == "json":
        set_up_log(log_format, given.verbose)
        given.followers.append(lambda graph: JsonEpochs())
        return None
    show_warnings()
    given.listeners.append(ConsoleLogs(given.verbose))
    if no_progress:
        given.followers.append(lambda graph: LossWarnings())
        return None
    terminal = Terminal()
    given.followers.append(lambda graph: Progress(terminal))
    return terminal


def run_job(
    given: Settings,
    code: Callable[[], None],
    what: str,
    terminal: Terminal | None,
    log_format: str,
) -> BaseException | None:
    """Run a script, wait for the jobs that it leaves running, and report how they ended.

    A process that the script forks, and that comes to the script's end too, does the same there and ends.

    Args:
        given: The settings.
        code: Runs the script to its end.
        what: The script, for messages.
        terminal: Shows the progress.
        log_format: ``console`` or ``json``.

    Returns:
        The worst of what ended the script or one of its jobs, the script's `SystemExit` too; None: all is done.
    """
    from .failures import report
    from .script_run import ScriptRun

    def tell(error: BaseException) -> None:
        with nullcontext() if terminal is None else terminal.aside():
            report(error, log_format, given.verbose)

    script = ScriptRun(tell)
    ended = script.run(code)
    given.jobs_started += script.forked  # one at least, for all it knows
    if script.failures:
        ended = _worst(script.failures, given.jobs_started > 0)
    if script.in_child:
        end_child(ended, given)
    if script.failures:
        return ended
    if ended is None and not given.jobs_started:
        if (lost := script.why_no_job(what)) is not None:
            tell(lost)
            return lost
        said = f"{what} ended without a job: it never called env.execute()"
        if log_format == "json":
            import structlog

            structlog.get_logger("datastream").warning(said)
        else:
            click.echo(f"warning: {said}", err=True)
    return ended


def end_child(ended: BaseException | None, given: Settings) -> NoReturn:
    """End a process that a script has forked: what its parent has registered for its own end is the parent's."""
    from .failures import exit_code

    code = 0
    if isinstance(ended, SystemExit):
        code = system_exit_code(ended)
    elif ended is not None:
        code = exit_code(ended, given.jobs_started > 0)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _worst(errors: list[BaseException], started: bool) -> BaseException:
    """The one that decides the exit code: the script's own; what is wrong as written, failed, or was cancelled."""
    from .failures import CANCELLED, FAILED, INVALID, exit_code

    def rank(error: BaseException) -> int:
        if isinstance(error, SystemExit):
            return 0
        return 1 + (INVALID, FAILED, CANCELLED).index(exit_code(error, started))

    return min(errors, key=rank)


def prewarm(given: Settings) -> None:
    """Let Java start while the script is read and builds its graph."""
    try:
        from datastream.spark import prewarm as start
    except ImportError:
        return
    from datastream.errors import JavaError

    try:
        start(given)
    except JavaError:
        return  # said when the script starts a job, if it does


def system_exit_code(ended: SystemExit) -> int:
    """The process's exit code for the script's own ``sys.exit(...)``, as Python has it."""
    if ended.code is None:
        return 0
    if isinstance(ended.code, int):
        return ended.code
    click.echo(str(ended.code), err=True)
    return 1

"""``datastream run``: run a job."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from datastream.config.run_options import RunOptions
from datastream.config.settings import Settings, settings
from datastream.environments.fetch import fetch, local_path
from datastream.environments.needs import EnvironmentRefused, is_remote
from datastream.errors import ValidationError

from .python_options import become_client, enter_driver, python_options
from .run_options import run_options

if TYPE_CHECKING:
    from .progress import Terminal


@click.command("run", context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False})
@run_options()
@click.option("--no-progress", is_flag=True, help="No progress line and no summary.")
@click.option("-d", "--detached", is_flag=True, help="With a master k8s://...: leave the job to its pod.")
@python_options
@click.argument("script", required=False)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def command(
    no_progress: bool,
    detached: bool,
    python_script: str | None,
    module: str | None,
    script: str | None,
    args: tuple[str, ...],
    **options: Any,
) -> None:
    """Run SCRIPT, a job written with the DataStream API or the Table API; ARGS go to the script.

    A SCRIPT that ends with .sql is a file of SQL statements.

    \b
    Exit code: 0 finished, 1 failed, 2 the job is wrong as written, 130 cancelled.
    """
    given = settings()
    own = RunOptions(**options)
    log_format = own.log_format or "console"
    _restart_in_client(given, log_format)
    code, args = _code(python_script, module, script, args)
    given.take(own)
    if (own.master or "").startswith("k8s://"):
        from .run_in_pod import run_in_pod, runs_in_pod

        if runs_in_pod(given):
            if isinstance(code, str):
                raise click.UsageError("--pyModule: a driver in a pod runs a script, or a module of its image's")
            sys.exit(run_in_pod(given, code, args, log_format, detached))
    if detached:
        raise click.UsageError(
            "--detached: only a driver that runs in a pod can be left to itself (--master k8s://...)"
        )
    ended = run(given, code, args, log_format, no_progress)
    gc.freeze()  # the process ends: to look through all that was imported for garbage takes 0.1 s
    sys.exit(ended)


def _code(
    python_script: str | None, module: str | None, script: str | None, args: tuple[str, ...]
) -> tuple[Path | str, tuple[str, ...]]:
    """The script's file, or the module's name; and the arguments. A script from elsewhere is fetched.

    Raises:
        UsageError: Nothing is named that could be run.
    """
    if python_script is not None or module is not None:
        args = args if script is None else (script, *args)
    if python_script is None and module is not None:
        return module, args
    named = python_script or script
    if named is None:
        raise click.UsageError("Missing argument 'SCRIPT'.")
    if is_remote(named):
        try:
            folder = tempfile.mkdtemp(prefix="datastream-fetched-")
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            return Path(fetch(named, folder)), args
        except EnvironmentRefused as error:
            raise click.UsageError(str(error)) from None
    path = Path(local_path(named) if named.startswith("file:") else named)
    if not path.is_file():
        what = "is a directory" if path.is_dir() else "does not exist"
        raise click.UsageError(f"Invalid value for 'SCRIPT': File '{named}' {what}.")
    return path, args


def _restart_in_client(given: Settings, log_format: str) -> None:
    try:
        become_client(given)
    except ValidationError as error:
        from .failures import INVALID, report

        report(error, log_format, given.verbose)
        sys.exit(INVALID)


def run(given: Settings, script: Path | str, args: tuple[str, ...], log_format: str, no_progress: bool) -> int:
    """Run a script, or a module by its name, under the settings; returns the exit code."""
    given.log_format = log_format
    if given.executor == "spark":
        prewarm(given)

    from .failures import CANCELLED, exit_code
    from .interrupt import two_steps
    from .script import run_module, run_script

    def code() -> None:
        enter_driver(given)
        if isinstance(script, str):
            run_module(script, Path.cwd(), args)
        else:
            run_script(script, args)

    try:
        with two_steps(log_format):
            ended = run_job(given, code, str(script), listen(given, log_format, no_progress), log_format)
    except KeyboardInterrupt:  # as all was over
        return CANCELLED
    if ended is None:
        return 0
    if isinstance(ended, SystemExit):
        return system_exit_code(ended)
    return exit_code(ended, started=given.jobs_started > 0)


def set_up_log(log_format: str, verbose: bool) -> None:
    """Send what this process logs to stderr, before a job starts."""
    from .logs import configure

    settings().log_format = log_format
    configure(log_format, verbose)


def listen(given: Settings, log_format: str, no_progress: bool = False) -> Terminal | None:
    """Set up the log, and who tells of the jobs' progress; returns the live lines on the terminal, if there are any."""
    from .logs import ConsoleLogs, show_warnings
    from .progress import JsonEpochs, Progress, Terminal

    if log_format == "json":
        set_up_log(log_format, given.verbose)
        given.followers.append(lambda graph: JsonEpochs())
        return None
    show_warnings()
    given.listeners.append(ConsoleLogs(given.verbose))
    if no_progress:
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

"""``datastream run``: run a job."""

from __future__ import annotations

import atexit
import gc
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from datastream.config.run_options import RunOptions
from datastream.config.settings import Settings, settings
from datastream.driver.run import listen, prewarm, run_job, system_exit_code
from datastream.environments.fetch import fetch, local_path
from datastream.environments.needs import EnvironmentRefused, is_remote
from datastream.errors import ValidationError

from .python_options import become_client, python_options
from .run_options import run_options

if TYPE_CHECKING:
    pass


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
        from datastream.driver.failures import INVALID, report

        report(error, log_format, given.verbose)
        sys.exit(INVALID)


def run(given: Settings, script: Path | str, args: tuple[str, ...], log_format: str, no_progress: bool) -> int:
    """Run a script, or a module by its name, under the settings; returns the exit code."""
    given.log_format = log_format
    if given.executor == "spark":
        prewarm(given)
    elif given.executor == "local":
        from datastream.runtime.program import GC_THRESHOLDS

        gc.set_threshold(*GC_THRESHOLDS)  # tasks run in this process

    from datastream.driver.failures import CANCELLED, exit_code
    from datastream.driver.imports import enter_driver
    from datastream.driver.interrupt import two_steps
    from datastream.driver.script import run_module, run_script

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

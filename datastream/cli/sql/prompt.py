"""The prompt."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import click

from datastream import __version__
from datastream.driver.failures import CANCELLED, exit_code, failure_text
from datastream.driver.interrupt import two_steps
from datastream.driver.left_jobs import cancel_jobs
from datastream.driver.sql.splitting import Statement
from datastream.errors import JobCancelled
from datastream.job.handle import JobHandle
from datastream.job.job_outcome import JobOutcome

from .cancelling import run_cancellable
from .output import Output
from .progress import SessionTerminal
from .script import run_all, wait_for_left
from .session import SqlSession, StatementFailed
from .whole import statements_of

#: Statements that may write tables.
_WRITING = ("INSERT", "END", "EXECUTE", "CREATE", "COMPILE")


def run_prompt(
    session: SqlSession,
    first: list[tuple[str, str]],
    output: Output,
    terminal: SessionTerminal,
    log_format: str,
    history: Path | None,
) -> int:
    """Read statements and carry them out until the end; returns the exit code.

    Args:
        session: Where they run.
        first: Texts that run before: what each is, for errors; and it itself.
        output: Where results and errors go.
        terminal: Shows the progress of jobs.
        log_format: ``console`` or ``json``.
        history: The file of what was typed. Default: the user's.
    """
    try:
        from .reading import Reading
    except ImportError as error:
        raise click.UsageError(
            f"the prompt needs the package {error.name}: pip install 'spark-datastream[sql]'; -f and -e do not"
        ) from None
    others = threading.enumerate()
    prompt = _Prompt(session, output, terminal)
    session.on_insert = prompt.watch
    try:
        with two_steps(log_format):
            goes_on = run_all(session, first, [], output)
        click.echo(f"datastream {__version__}. Enter 'HELP;' to list all commands, 'QUIT;' to exit.")
        reading = Reading(session.t_env, terminal, history or _history())
        while goes_on:
            goes_on = prompt.run(reading)
        if left := [each for each in session.jobs.all if not each.handle.future.done()]:
            many = f"{len(left)} jobs" if len(left) > 1 else "a job"
            click.echo(f"waiting for {many} of this session; Ctrl-C cancels", err=True)
        with two_steps(log_format):
            wait_for_left(False, terminal, log_format, others)
    except StatementFailed as failure:
        output.error(failure.text)
        cancel_jobs()
        return exit_code(failure.cause, started=bool(session.jobs.all))
    except KeyboardInterrupt:
        cancel_jobs()
        click.echo("cancelled", err=True)
        return CANCELLED
    return 0


class _Prompt:
    def __init__(self, session: SqlSession, output: Output, terminal: SessionTerminal) -> None:
        self._session, self._output, self._terminal = session, output, terminal

    def run(self, reading: Any) -> bool:
        """Read a line, or several, and carry out what is in it; whether the session goes on."""
        try:
            text = reading.read("SET> " if self._session.gathers else "SQL> ")
            for statement in statements_of(text):
                if not self._goes_on(statement):
                    return False
                if self._session.jobs.cancelled:
                    break
        except StatementFailed as failure:
            if not (self._session.jobs.cancelled and isinstance(failure.cause, JobCancelled)):
                self._output.error(failure.text)
        except EOFError:
            return False
        except KeyboardInterrupt:
            pass
        return True

    def _goes_on(self, statement: Statement) -> bool:
        goes_on = True

        def work() -> None:
            nonlocal goes_on
            writes = bool(statement.words) and statement.words[0] in _WRITING
            self._terminal.queries.muted = self._session.views
            with self._terminal.shown(writes and self._session.waits):
                goes_on = self._session.run(statement)

        run_cancellable(work, self._session.jobs.cancel_statement)
        return goes_on

    def watch(self, job: JobHandle) -> None:
        """Say so when a job fails that nobody waits for."""

        def ended(outcome: Future[Any]) -> None:
            error = outcome.error if isinstance(outcome, JobOutcome) else None
            if error is None or isinstance(error, JobCancelled):
                return
            job.future.heard = True
            head = click.style(f"[ERROR] The job {job.job_id} has failed. Reason:", fg="red", bold=True)
            with self._terminal.aside():
                click.echo(f"{head}\n{failure_text(error)}", err=True)

        job.future.add_done_callback(ended)


def _history() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state, "datastream", "sql_history")

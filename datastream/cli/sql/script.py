"""Statements without a prompt: of a file, of the command line, or of standard input."""

from __future__ import annotations

import threading

import click

from datastream.driver.failures import CANCELLED, FAILED, exit_code, report
from datastream.driver.interrupt import two_steps
from datastream.driver.left_jobs import cancel_jobs, wait_for_jobs

from .output import Output
from .progress import SessionTerminal
from .session import SqlSession, StatementFailed


def run_texts(
    session: SqlSession,
    first: list[tuple[str, str]],
    texts: list[tuple[str, str]],
    output: Output,
    terminal: SessionTerminal,
    log_format: str,
) -> int:
    """Carry out texts of statements, and wait for the jobs that they start; returns the exit code.

    Args:
        session: Where they run.
        first: Those that run first, without messages that all is well: what each is, for errors; and it itself.
        texts: Those that run then.
        output: Where errors go.
        terminal: Shows the progress.
        log_format: ``console`` or ``json``.
    """
    others = threading.enumerate()
    terminal.place = lambda: session.place
    failed: BaseException | None = None
    try:
        with two_steps(log_format):
            try:
                with terminal.shown():
                    run_all(session, first, texts, output)
            except StatementFailed as failure:
                failed = failure.cause
                output.error(failure.text)
            failures = wait_for_left(failed is not None, terminal, log_format, others)
    except (KeyboardInterrupt, BrokenPipeError) as interrupt:
        cancel_jobs()
        if isinstance(interrupt, BrokenPipeError):
            raise
        click.echo("cancelled", err=True)
        return CANCELLED
    if failed is not None:
        return exit_code(failed, started=bool(session.jobs.all))
    return FAILED if failures else 0


def run_all(session: SqlSession, first: list[tuple[str, str]], texts: list[tuple[str, str]], output: Output) -> bool:
    """Carry out texts of statements; whether none of them has ended the session. The arguments are as above.

    Raises:
        StatementFailed: one of them is wrong, or has failed.
    """
    output.quiet = True
    goes_on = all(session.run_text(text, where) for where, text in first)
    output.quiet = False
    return goes_on and all(session.run_text(text, where) for where, text in texts)


def wait_for_left(
    failed: bool, terminal: SessionTerminal, log_format: str, others: list[threading.Thread]
) -> list[BaseException]:
    """Wait for the jobs that still run; returns the failures, which were reported.

    Args:
        failed: A statement has failed, so that jobs without an end are ended.
        terminal: Shows the progress.
        log_format: ``console`` or ``json``.
        others: Threads that are not waited for.
    """

    def tell(error: BaseException) -> None:
        with terminal.aside():
            report(error, log_format, False)

    with terminal.shown():
        return wait_for_jobs(failed, tell, others)

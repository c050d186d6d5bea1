"""``datastream sql``: a client for SQL statements."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from datastream.config.settings import Settings
from datastream.errors import ValidationError

from ..session_options import session_options, take_options
from .output import FORMS, Output
from .texts import STANDARD_INPUT, read

_FILE = click.Path(dir_okay=False, exists=True, allow_dash=True, path_type=Path)


@click.command("sql")
@click.option(
    "-f", "--file", "files", multiple=True, type=_FILE, help="Run the statements of a file; - is standard input."
)
@click.option("-e", "--execute", "given_texts", multiple=True, metavar="SQL", help="Run these statements.")
@click.option("-i", "--init", type=_FILE, help="Run the statements of a file first, and print only errors.")
@click.option(
    "-o",
    "--output",
    "form",
    type=click.Choice(FORMS),
    default="table",
    show_default=True,
    help="Format of results; with csv and json, standard output contains only rows.",
)
@click.option(
    "-hist",
    "--history",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The history file of the prompt.  [default: datastream/sql_history in $XDG_STATE_HOME or ~/.local/state]",
)
@click.option("--no-progress", is_flag=True, help="No progress of jobs and no summaries.")
@session_options
def command(
    files: tuple[Path, ...],
    given_texts: tuple[str, ...],
    init: Path | None,
    form: str,
    history: Path | None,
    no_progress: bool,
    **options: Any,
) -> None:
    """Run SQL statements: from a prompt, or from -f and -e. Both may be repeated.

    \b
    Exit code with -f and -e: 0 all done, 1 failed, 2 a statement is wrong, 130 cancelled.
    """
    if sys.stdout is None:
        raise click.UsageError("standard output is closed")
    given = take_options(options)
    typed = not (files or given_texts) and sys.stdin.isatty()
    if typed and form != "table":
        raise click.UsageError(f"--output {form} is for -f, -e and standard input, not for a prompt")
    try:
        texts = _texts(files, given_texts, typed)
        first = [] if init is None else [_of_file(init)]
    except ValidationError as error:
        raise click.UsageError(str(error)) from None
    ended = _run(given, first, None if typed else texts, Output(form, typed=typed), history, no_progress)
    gc.freeze()  # the process ends: to look through all that was imported for garbage takes 0.1 s
    sys.exit(ended)


def _texts(files: Sequence[Path], given: Sequence[str], typed: bool) -> list[tuple[str, str]]:
    """What runs without a prompt: what it is, and the statements."""
    texts = [_of_file(file) for file in files] + [("-e", text) for text in given]
    return texts if texts or typed else [_of_file(Path("-"))]


def _of_file(path: Path) -> tuple[str, str]:
    return STANDARD_INPUT if str(path) == "-" else str(path), read(path)


def _run(
    given: Settings,
    first: list[tuple[str, str]],
    texts: list[tuple[str, str]] | None,
    output: Output,
    history: Path | None,
    no_progress: bool,
) -> int:
    """Carry out the statements; returns the exit code.

    Args:
        given: The settings.
        first: Texts that run first, without messages that all is well.
        texts: What runs then; None: what is typed.
        output: Where results go.
        history: The file of what was typed; None: the user's.
        no_progress: Nothing is told of jobs.
    """
    from datastream.compat import install
    from datastream.driver.imports import enter_driver

    from .progress import follow
    from .script import run_texts
    from .session import SqlSession

    log_format = given.log_format or "console"
    try:
        enter_driver(given)
    except ValidationError as error:
        raise click.UsageError(str(error)) from None
    install()  # modules of functions import pyflink
    sys.path.insert(0, str(Path.cwd()))
    terminal = follow(given, log_format, no_progress)
    session = SqlSession(output, given.verbose)
    given.on_started = session.jobs.note
    if texts is not None:
        return run_texts(session, first, texts, output, terminal, log_format)
    from .prompt import run_prompt

    return run_prompt(session, first, output, terminal, log_format, history)

"""Where results and messages go."""

from __future__ import annotations

from collections.abc import Callable

import click

from datastream.errors import UnsupportedOperation
from datastream.table import TableResult
from datastream.table.results.table_result import OpenRows, open_rows

from .data_lines import print_csv, print_json
from .display import RESULT_MODE, Display
from .tableau import print_tableau

_DATA = {"csv": print_csv, "json": print_json}
FORMS = ("table", *_DATA)


class Output:
    """Where results and messages go.

    Args:
        form: ``table``, ``csv`` or ``json``. With the last two, standard output has the rows alone.
        quiet: No messages that all is well, and no lists.
        typed: There is a prompt, and so a terminal for views.
    """

    def __init__(self, form: str = "table", quiet: bool = False, typed: bool = False) -> None:
        self.form, self.quiet, self.typed = form, quiet, typed

    def info(self, message: str) -> None:
        """Say what was done."""
        if not self.quiet:
            click.echo(click.style(f"[INFO] {message}", fg="blue", bold=True), err=self.form != "table")

    def note(self, text: str) -> None:
        """Write what belongs to a message."""
        if not self.quiet:
            click.echo(text, err=self.form != "table")

    def say(self, text: str) -> None:
        """Write what was asked for and is no rows."""
        click.echo(text, err=self.form != "table")

    def error(self, message: str) -> None:
        """Say why a statement was not carried out."""
        head = click.style("[ERROR] Could not execute SQL statement. Reason:", fg="red", bold=True)
        click.echo(f"{head}\n{message}", err=True)

    def query(
        self, result: TableResult, display: Display, cancelled: Callable[[], bool], cancel: Callable[[], None]
    ) -> None:
        """Print the rows that a job brings; the job ends with that.

        Args:
            result: The query's.
            display: How tables are shown.
            cancelled: Whether the query was cancelled.
            cancel: Cancels it.

        Raises:
            UnsupportedOperation: it is to be viewed, and there is no prompt.
        """
        with open_rows(result) as opened:
            if self.form != "table":
                self._data(opened)
            elif display.mode == "tableau":
                print_tableau(opened, display, cancelled)
            elif self.typed:
                from .view import view

                view(opened, display, cancel)
                if cancelled():
                    self.info("Result retrieval cancelled.")
            else:
                raise UnsupportedOperation(
                    "In non-interactive mode, it only supports to use TABLEAU as value of "
                    f"{RESULT_MODE} when execute query; add SET '{RESULT_MODE}' = 'tableau'"
                )

    def listed(self, result: TableResult) -> None:
        """Print rows that are there, such as those of SHOW."""
        if self.quiet:
            return
        if self.form == "table":
            result.print()
            return
        with open_rows(result) as opened:
            self._data(opened)

    def _data(self, opened: OpenRows) -> None:
        _DATA[self.form](opened)

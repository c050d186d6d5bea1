"""A session: statements are carried out one after the other, and their results printed."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from datastream.api.job_client import handle_of
from datastream.driver.sql.errors import error_text
from datastream.driver.sql.splitting import Statement, split
from datastream.driver.sql.statements import Statements
from datastream.errors import ValidationError
from datastream.graph import Origin
from datastream.graph.origins import made_at
from datastream.job.handle import JobHandle
from datastream.table import ResultKind, TableResult
from datastream.table.results.table_result import is_query

from .display import RESULT_MODE, Display
from .help_text import help_text
from .output import Output
from .texts import read

VERBOSE = "sql-client.verbose"
_SOURCE = re.compile(r"SOURCE\s+'((?:[^']|'')+)'", re.IGNORECASE)


class StatementFailed(Exception):
    """A statement was not carried out.

    Args:
        cause: Why.
        text: The same for people.
    """

    def __init__(self, cause: BaseException, text: str) -> None:
        super().__init__(text)
        self.cause, self.text = cause, text


class SqlSession:
    """What statements share: the environment, the jobs, and INSERTs that wait for END.

    Args:
        output: Where results go.
        verbose: Errors are shown with whole tracebacks.

    Attributes:
        t_env: The environment.
        jobs: The jobs that were started.
        on_insert: Called with the job of each INSERT that is not waited for.
        place: File and line of the statement that is carried out; None: it was typed.
    """

    def __init__(self, output: Output, verbose: bool = False) -> None:
        self._statements = Statements()
        self.t_env, self.jobs = self._statements.t_env, self._statements.jobs
        self.on_insert: Callable[[JobHandle], None] = lambda job: None
        self.place: str | None = None
        self._output, self._verbose = output, verbose
        self._files: list[Path] = []

    def run_text(self, text: str, where: str) -> bool:
        """Carry out the statements of a text; whether it has not ended the session.

        Args:
            text: The statements.
            where: What it is, for errors.

        Raises:
            StatementFailed: one of them is wrong or has failed. Those after it are not carried out.
        """
        statements, rest = split(text)
        if rest is not None:
            statements.append(rest)
        for statement in statements:
            if not self.run(statement, where):
                return False
        if self.gathers and statements and not self._files:
            self._statements.forget_gathered()
            error = ValidationError("BEGIN STATEMENT SET without END: what was gathered does not run")
            raise StatementFailed(error, error_text(error, statements[-1], where, False))
        return True

    def run(self, statement: Statement, where: str | None = None) -> bool:
        """Carry out a statement and print its result; whether it has not ended the session.

        Args:
            statement: It.
            where: The file that it is in, for errors; None: it was typed.

        Raises:
            StatementFailed: it is wrong, or has failed.
        """
        if statement.is_only("QUIT") or statement.is_only("EXIT"):
            return False
        self.jobs.begin_statement()
        self.place = None if where is None else f"{where}, line {statement.line}"
        try:
            with made_at(Origin(where or "typed", statement.line)):
                return self._run(statement)
        except (StatementFailed, BrokenPipeError):
            raise
        except Exception as error:
            verbose = self._verbose or self._config(VERBOSE, "false") == "true"
            raise StatementFailed(error, error_text(error, statement, where, verbose)) from error

    def _run(self, statement: Statement) -> bool:
        if statement.is_only("HELP"):
            self._output.say(help_text())
        elif statement.is_only("CLEAR"):
            click.clear()
        elif statement.begins("SOURCE"):
            return self._source(statement)
        else:
            began = time.monotonic()
            self._show(self._statements.execute(statement), began)
        return True

    def _show(self, result: TableResult, began: float) -> None:
        """Print what a statement has returned that began at this time of `time.monotonic`."""
        client = result.get_job_client()
        if is_query(result):
            try:
                display = Display.of(self.t_env.get_config(), began)
            except ValidationError:
                result.collect().close()
                raise
            self._output.query(result, display, lambda: self.jobs.cancelled, self.jobs.cancel_statement)
        elif client is None:
            self._report(result if result.get_result_kind() is ResultKind.SUCCESS_WITH_CONTENT else None)
        elif self.jobs.cancelled:
            self._output.info("The job was cancelled.")
        elif self.waits:
            self._output.info("Complete execution of the SQL update statement.")
        else:
            job = handle_of(client)
            assert isinstance(job, JobHandle)
            self._output.info("Submitting SQL update statement to the cluster...")
            self._output.info("SQL update statement has been successfully submitted to the cluster:")
            self._output.note(f"Job ID: {job.job_id}\n")
            self.on_insert(job)

    def _report(self, result: TableResult | None) -> None:
        """Print what a statement has returned; None: nothing but that it was carried out."""
        if result is None:
            self._output.info("Execute statement succeeded.")
        else:
            self._output.listed(result)

    def _source(self, statement: Statement) -> bool:
        said = _SOURCE.fullmatch(statement.text)
        if said is None:
            raise ValidationError("expected SOURCE '<file>'")
        path = Path(said[1].replace("''", "'"))
        with self._inside(path):
            return self.run_text(read(path), str(path))

    @contextmanager
    def _inside(self, path: Path) -> Iterator[None]:
        if path.resolve() in self._files:
            raise ValidationError(f"{path} runs itself by SOURCE")
        self._files.append(path.resolve())
        try:
            yield
        finally:
            self._files.pop()

    @property
    def gathers(self) -> bool:
        """Whether INSERTs wait for END."""
        return self._statements.gathers

    @property
    def views(self) -> bool:
        """Whether queries are shown on the whole terminal."""
        return self._config(RESULT_MODE, "tableau") != "tableau"

    @property
    def waits(self) -> bool:
        """Whether an INSERT is waited for."""
        return self._config("table.dml-sync", "false") == "true"

    def _config(self, key: str, default: str) -> str:
        return str(self.t_env.get_config().get(key, default)).lower()

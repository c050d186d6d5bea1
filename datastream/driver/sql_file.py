"""Running a file of SQL statements."""

from __future__ import annotations

import json
import re
import sys
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from datastream.errors import JobCancelled, UnsupportedOperation, ValidationError
from datastream.job.job_outcome import JobOutcome
from datastream.plain_text import one_line

_WIDTH = 70


def run_sql_file(path: Path, log_format: str) -> None:
    """Carry out the statements of a file, one after the other, with lines for each on stderr.

    Results of queries and of SHOW go to stdout. The next statement does not wait for the job of an INSERT, unless
    ``table.dml-sync`` is set. QUIT or EXIT ends the file.

    Args:
        path: The file.
        log_format: ``console`` or ``json``.

    Raises:
        ValidationError: The file is not SQL, or a statement of it is wrong.
    """
    from datastream.api.job_client import handle_of
    from datastream.graph import Origin
    from datastream.graph.origins import made_at
    from datastream.table import EnvironmentSettings, ResultKind, TableEnvironment
    from datastream.table.execution.session import session_of
    from datastream.table.execution.statements import executed
    from datastream.table.results.table_result import is_query
    from datastream.table.sql.parser import parse_script
    from datastream.table.sql.statements import Quit

    try:
        source = path.read_text("utf-8-sig")
        statements = parse_script(source)
    except UnicodeDecodeError as error:
        raise ValidationError(f"{path} is not UTF-8: {error}") from error
    except ValidationError as error:
        raise ValidationError(f"{path}: {error}") from error
    if not statements:
        raise ValidationError(f"{path}: there is no statement in it")
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    end = 0
    for number, (statement, text) in enumerate(statements, 1):
        begin = max(source.find(text, end), end)
        end = begin + len(text)
        origin = Origin(str(path), source.count("\n", 0, begin) + 1)
        tell = _Told(log_format, f"{number}/{len(statements)}", text)
        tell("begins")
        if isinstance(statement, Quit):
            tell.end()
            return
        try:
            with made_at(origin):
                result = executed(session_of(env), statement)
        except (ValidationError, UnsupportedOperation) as error:
            raise _placed(error, path, source, number) from error
        job = result.get_job_client()
        if not is_query(result) and job is not None:
            outcome = handle_of(job).future
            if not outcome.done():
                tell("runs as a job")
            outcome.add_done_callback(tell.end)
            continue
        if result.get_result_kind() is ResultKind.SUCCESS_WITH_CONTENT:
            result.print()
        tell.end()


def _placed(error: ValidationError | UnsupportedOperation, path: Path, source: str, number: int) -> Exception:
    """The same error with the file, and the line of it where the error says which."""
    from datastream.table.plan.errors import retold
    from datastream.table.sql.errors import pointed

    at = re.match(r"line (\d+), column (\d+): ", str(error))
    if at is None:
        return retold(error, f"{path}, statement {number}: {error}")
    if "\n" in str(error):
        return retold(error, f"{path}: {error}")
    return retold(error, f"{path}: {error}\n{pointed(source, int(at[1]), int(at[2]))}")


class _Told:
    """Reports the progress of a statement.

    Args:
        log_format: ``console`` or ``json``.
        number: Of the statement.
        text: The statement.
    """

    def __init__(self, log_format: str, number: str, text: str) -> None:
        title = " ".join(text.split())
        self._title = title if len(title) <= _WIDTH else title[: _WIDTH - 3] + "..."
        self._log_format, self._number = log_format, number
        self._began = time.monotonic()

    def __call__(self, what: str) -> None:
        if self._log_format == "json":
            about = {"event": "statement", "level": "info", "number": self._number, "statement": self._title}
            line = json.dumps({**about, "state": what})
        else:
            line = f"{self._number} {self._title}: {what}"
        sys.stderr.write(line + "\n")  # at once: jobs write here too
        sys.stderr.flush()

    def end(self, outcome: Future[Any] | None = None) -> None:
        """The statement has run; its job, if it has one, ended so."""
        error = outcome.error if isinstance(outcome, JobOutcome) else None
        if error is None:
            self(f"done in {time.monotonic() - self._began:.1f} s")
        elif isinstance(error, JobCancelled):
            self("cancelled")
        else:
            self(f"failed: {one_line(error, 1_000)}")

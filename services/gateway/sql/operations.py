"""The statements of a session as operations: carried out one after the other, in a thread of their own."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from datastream.driver.sql.errors import error_text
from datastream.driver.sql.splitting import Statement, split
from datastream.driver.sql.statements import Statements
from datastream.errors import ValidationError
from datastream.graph import Origin
from datastream.graph.origins import made_at
from datastream.table import TableResult

from .results import Results

PENDING, RUNNING, FINISHED, CANCELED, ERROR = "PENDING", "RUNNING", "FINISHED", "CANCELED", "ERROR"
#: The first words of statements that configure a session.
_CONFIGURE = ("SET", "RESET", "CREATE", "DROP", "ALTER", "USE", "LOAD", "UNLOAD")
#: Operations that a session remembers; a client closes those that it does not need any more.
_MOST = 1000


class OperationFailed(Exception):
    """A request about an operation is refused."""


@dataclass
class _Operation:
    """A statement and what has come of it."""

    statement: str
    state: str = PENDING
    results: Results | None = None
    error: str | None = None


class Operations:
    """The operations of a session."""

    def __init__(self) -> None:
        self._statements = Statements()
        self._known: dict[str, _Operation] = {}
        self._running: _Operation | None = None
        self._thread = ThreadPoolExecutor(1, "datastream-sql-statements")

    @property
    def statements(self) -> Statements:
        """Where they are carried out."""
        return self._statements

    @property
    def busy(self) -> bool:
        """Whether a statement or a job of one is in progress."""
        waits = any(each.state in (PENDING, RUNNING) for each in list(self._known.values()))
        return waits or any(not job.handle.future.done() for job in list(self._statements.jobs.all))

    def submit(self, text: str, config: Mapping[str, str], configure: bool = False) -> str:
        """Begin to carry out a statement; the operation's handle.

        Args:
            text: The statement.
            config: Settings for it alone.
            configure: It configures the session.

        Raises:
            OperationFailed: There are too many operations.
        """
        if len(self._known) >= _MOST:
            raise OperationFailed(f"the session has {_MOST} operations already: close those that you do not need")
        handle = str(uuid.uuid4())
        operation = self._known[handle] = _Operation(text)
        self._thread.submit(self._carry_out, operation, dict(config), configure)
        return handle

    def status(self, handle: str) -> str:
        """The state of an operation."""
        return self._find(handle).state

    def fetch(self, handle: str, token: int, form: str) -> dict[str, Any]:
        """A page of its result; without ``columns`` if there is none yet."""
        operation = self._find(handle)
        if operation.state in (PENDING, RUNNING):
            return {}
        if operation.error is not None:
            raise OperationFailed(operation.error)
        if operation.results is None:
            raise OperationFailed(f"Can not fetch results from the {handle} in {operation.state} status.")
        try:
            return operation.results.fetch(token, form)
        except Exception as error:
            raise OperationFailed(_told(error, operation.statement)) from error

    def cancel(self, handle: str) -> str:
        """Cancel an operation that has not ended; its state."""
        operation = self._find(handle)
        if operation.state not in (PENDING, RUNNING):
            raise OperationFailed(
                f"Failed to convert the Operation Status from {operation.state} to CANCELED for {handle}."
            )
        was, operation.state = operation.state, CANCELED
        if was == RUNNING and self._running is operation:
            self._statements.jobs.cancel_statement()
        return CANCELED

    def close(self, handle: str) -> None:
        """Forget an operation; a query that is in progress ends."""
        operation = self._find(handle)
        if operation.state in (PENDING, RUNNING):
            self.cancel(handle)
        del self._known[handle]
        if operation.results is not None:
            operation.results.close()

    def close_all(self) -> None:
        """Forget all of them."""
        for handle in list(self._known):
            self.close(handle)
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _find(self, handle: str) -> _Operation:
        found = self._known.get(handle)
        if found is None:
            raise OperationFailed(f"Can not find the submitted operation in the OperationManager with the {handle}.")
        return found

    def _carry_out(self, operation: _Operation, config: dict[str, str], configure: bool) -> None:
        if operation.state != PENDING:
            return
        self._running = operation
        operation.state = RUNNING
        try:
            statement = _only(operation.statement)
            if configure and not (statement.words[:1] and statement.words[0] in _CONFIGURE):
                raise ValidationError(
                    f"Unsupported statement for configuring session: {operation.statement}\n"
                    f"A session is configured by {', '.join(_CONFIGURE)}."
                )
            self._statements.jobs.begin_statement()
            with made_at(Origin("statement", statement.line)):
                results = Results(self._with(config, lambda: self._statements.execute(statement)))
        except BaseException as error:  # whoever fetches hears of it
            operation.error = _told(error, operation.statement)
            if operation.state == RUNNING:
                operation.state = ERROR
            return
        finally:
            self._running = None
        if operation.state != RUNNING:  # it was cancelled, or closed
            results.close()
            return
        operation.results = results
        operation.state = FINISHED

    def _with(self, config: dict[str, str], execute: Callable[[], TableResult]) -> TableResult:
        """Execute with settings that count for that alone."""
        of_session = self._statements.t_env.get_config()
        before = of_session.to_map()
        for key, value in config.items():
            of_session.set(key, value)
        try:
            return execute()
        finally:
            for key in config:
                if key in before:
                    of_session.set(key, before[key])
                else:
                    of_session.get_configuration().remove_config(key)


def _only(text: str) -> Statement:
    """The one statement of a text."""
    statements, rest = split(text)
    statements += [] if rest is None else [rest]
    if len(statements) != 1:
        raise ValidationError(f"one statement is carried out at a time, and there are {len(statements)}")
    return statements[0]


def _told(error: BaseException, text: str) -> str:
    statements, rest = split(text)
    statement = statements[0] if statements else rest
    return str(error) if statement is None else error_text(error, statement, None, False)

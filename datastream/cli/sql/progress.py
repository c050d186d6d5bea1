"""How the jobs of a session get on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from datastream.config.settings import JobListener, Settings
from datastream.connectors import CollectSink
from datastream.driver.logs import ConsoleLogs, show_warnings
from datastream.driver.progress import JsonEpochs, LossWarnings, Progress, Terminal
from datastream.driver.run import set_up_log
from datastream.graph import JobGraph
from datastream.graph.operators import Sink


class QueryTerminal(Terminal):
    """The line of a query until its first rows are there; the client itself tells of its end.

    Attributes:
        muted: It is not shown, as a view has the whole terminal.
    """

    muted = False

    def show(self) -> None:
        if not self.muted:
            super().show()

    def end(self, job: Progress, summary: str | None, losses: Sequence[str] = ()) -> None:
        super().end(job, None, losses)


class SessionTerminal(Terminal):
    """The lines of INSERTs: below the prompt while it waits, else on the terminal while one of them is waited for.

    Attributes:
        waiting: The lines are shown, as nothing else is printed.
        queries: The line of a query.
        place: Where the statement is that is carried out; None: it was typed, so jobs are not announced.
    """

    place: Callable[[], str | None] = staticmethod(lambda: None)

    def __init__(self) -> None:
        super().__init__()
        self.queries = QueryTerminal()
        self.waiting = False
        self._below: Callable[[str], None] | None = None

    def show(self) -> None:
        if self._below is not None:
            self._below(self.text)
        elif self.waiting:
            super().show()
        else:
            self.hide()

    def announce(self, graph: JobGraph) -> None:
        """Say what runs, once, before anything else is known of the job."""
        if place := self.place():
            with self.aside():
                print(f"running: {'query' if _is_query(graph) else graph.name} ({place})", file=sys.stderr)

    @contextmanager
    def below(self, show: Callable[[str], None]) -> Iterator[None]:
        """Within the block the prompt waits, and shows the lines itself.

        Args:
            show: Gets the lines when they change.
        """
        self.hide()
        self._below = show
        self.show()
        try:
            yield
        finally:
            self._below = None

    @contextmanager
    def shown(self, waiting: bool = True) -> Iterator[None]:
        """Within the block jobs are waited for."""
        self.waiting = waiting
        self.show()
        try:
            yield
        finally:
            self.waiting = False
            self.hide()


def follow(given: Settings, log_format: str, no_progress: bool) -> SessionTerminal:
    """Set up the log, and who reports the jobs' progress."""
    terminal = SessionTerminal()
    if log_format == "json":
        set_up_log(log_format, given.verbose)
        given.followers.append(lambda graph: JsonEpochs())
        return terminal
    show_warnings()
    given.listeners.append(ConsoleLogs(given.verbose))

    def follower(graph: JobGraph) -> JobListener:
        terminal.announce(graph)
        return Progress(terminal.queries if _is_query(graph) else terminal)

    given.followers.append((lambda graph: LossWarnings()) if no_progress else follower)
    return terminal


def _is_query(graph: JobGraph) -> bool:
    return any(isinstance(each.sink, CollectSink) for each in graph.of_kind(Sink))

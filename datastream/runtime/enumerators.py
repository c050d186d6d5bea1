"""The split enumerators of a job's sources, beside the driver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.graph.operators import Source
from datastream.io import EnumeratorContext, Offset, Split, SplitEnumerator

from .connector_contexts import logger_of, spool_of
from .program import Program
from .user_errors import user_failure


class Enumerators:
    """One enumerator for each source, made when it is first needed; errors name the source.

    Args:
        program: The job.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self._made: dict[int, SplitEnumerator] = {}
        self._sources: dict[int, Source] = {}

    def initial_offset(self, source: Source) -> Offset:
        return self._call(source, "initial_offset")

    def latest_offset(self, source: Source, start: Offset, budget: int) -> Offset:
        return self._call(source, "latest_offset", start, budget)

    def splits(self, source: Source, start: Offset, end: Offset, parallelism: int) -> Sequence[Split]:
        found: Sequence[Split] = self._call(source, "splits", start, end, parallelism)
        return found

    def lanes(self, source: Source, offset: Offset) -> Sequence[str]:
        found: Sequence[str] = self._call(source, "lanes", offset)
        return found

    def finished(self, source: Source, offset: Offset) -> bool:
        return bool(self._call(source, "finished", offset))

    def commit(self, source: Source, offset: Offset) -> None:
        self._call(source, "commit", offset)

    def close(self) -> None:
        """Close them all; the first error is raised at the end."""
        failure: BaseException | None = None
        while self._made:
            id, enumerator = self._made.popitem()
            try:
                enumerator.close()
            except Exception as error:
                source = self._sources[id]
                failure = failure or _failure(error, source, enumerator, "close")
        if failure is not None:
            raise failure

    def _call(self, source: Source, method: str, *arguments: Any) -> Any:
        enumerator = self._made.get(source.id)
        if enumerator is None:
            enumerator = self._made[source.id] = self._create(source)
            self._sources[source.id] = source
        try:
            return getattr(enumerator, method)(*arguments)
        except Exception as error:
            raise _failure(error, source, enumerator, method) from error

    def _create(self, source: Source) -> SplitEnumerator:
        spec, plan = self.program.spec, self.program.plan
        context = EnumeratorContext(
            spec.job_id, source.state_uid, plan.subtasks[source.id], logger_of(source), spool_of(self.program, source)
        )
        try:
            return source.source.create_enumerator(context)
        except Exception as error:
            raise _failure(error, source, source.source, "create_enumerator") from error


def _failure(error: Exception, source: Source, where: object, method: str) -> BaseException:
    return user_failure(error, source, f"{type(where).__qualname__}.{method}", trace=error.__traceback__)

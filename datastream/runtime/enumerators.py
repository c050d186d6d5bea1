"""The split enumerators of a job's sources, beside the driver."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from datastream.errors import ProcessLost, ValidationError, cut
from datastream.graph.operators import Source
from datastream.io import EnumeratorContext, Offset, Split, SplitEnumerator

from .connector_contexts import logger_of, method_name, require, spool_of
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
        return self._call(source, "initial_offset", check=_as_json)

    def reopen(self, source: Source, offset: Offset) -> Offset:
        return self._call(source, "reopen", offset, check=_as_json)

    def latest_offset(self, source: Source, start: Offset, budget: int) -> Offset:
        def check(end: Any) -> Offset:
            if end == start:
                return start
            found = _as_json(end)
            if isinstance(start, (int, float)) and isinstance(found, (int, float)) and found < start:
                raise ValidationError(
                    f"an offset never falls: the epoch before ended at {start}, this one would at {found}"
                )
            return found

        return self._call(source, "latest_offset", start, budget, check=check)

    def splits(self, source: Source, start: Offset, end: Offset, parallelism: int) -> Sequence[Split]:
        def check(splits: Any) -> list[Split]:
            if not isinstance(splits, Iterable):
                raise ValidationError(f"splits must return a list of splits, got {cut(splits)}")
            found = list(splits)
            if source.source.produced.lanes:
                for split in found:
                    if not hasattr(split, "lane"):
                        raise ValidationError(
                            f"the source has lanes, so each split needs an attribute 'lane', the name of its lane; "
                            f"got {cut(split)}"
                        )
            return found

        found: list[Split] = self._call(source, "splits", start, end, parallelism, check=check)
        return found

    def lanes(self, source: Source, offset: Offset) -> Sequence[str]:
        found: Sequence[str] = self._call(source, "lanes", offset)
        return found

    def finished(self, source: Source, offset: Offset) -> bool:
        return bool(self._call(source, "finished", offset))

    def repeatable(self, source: Source) -> bool:
        """Whether `latest_offset` may be called with two budgets; ask after its first call."""
        return source.source.bounded and self._made[source.id].repeatable

    def end_of_feedback(self, source: Source, start: Offset, epochs: int, noted: bool) -> Offset:
        """How far an epoch reads what a loop fed back; see `FeedbackEnumerator.end`."""
        return self._call(source, "end", start, epochs, noted)

    def waiting(self, source: Source, offset: Offset) -> int:
        """How many records a loop has fed back that were not read before an offset."""
        found: int = self._call(source, "waiting", offset)
        return found

    def backlog(self, source: Source, offset: Offset) -> Mapping[str, int] | None:
        found: Mapping[str, int] | None = self._call(source, "backlog", offset)
        return found

    def commit(self, source: Source, offset: Offset) -> None:
        self._call(source, "commit", offset)

    def close(self) -> None:
        """Close them all; the first error is raised at the end."""
        failure: BaseException | None = None
        while self._made:
            id, enumerator = self._made.popitem()
            try:
                enumerator.close()
            except ProcessLost:
                raise
            except BaseException as error:
                source = self._sources[id]
                failure = failure or _failure(error, source, enumerator, "close")
        if failure is not None:
            raise failure

    def _call(self, source: Source, method: str, *arguments: Any, check: Callable[[Any], Any] | None = None) -> Any:
        enumerator = self._made.get(source.id)
        if enumerator is None:
            enumerator = self._made[source.id] = self._create(source)
            self._sources[source.id] = source
        try:
            found = getattr(enumerator, method)(*arguments)
            return found if check is None else check(found)
        except BaseException as error:
            raise _failure(error, source, enumerator, method) from error

    def _create(self, source: Source) -> SplitEnumerator:
        spec, plan = self.program.spec, self.program.plan
        context = EnumeratorContext(
            spec.job_id, source.state_uid, plan.subtasks[source.id], logger_of(source), spool_of(self.program, source)
        )
        try:
            made = source.source.create_enumerator(context)
            require(made, SplitEnumerator, "create_enumerator")
            return made
        except BaseException as error:
            raise _failure(error, source, source.source, "create_enumerator") from error


def _failure(error: BaseException, source: Source, where: object, method: str) -> BaseException:
    return user_failure(error, source, method_name(source, where, method), trace=error.__traceback__)


def _as_json(offset: Any) -> Offset:
    """An offset as it comes out of Spark's log.

    Raises:
        ValidationError: JSON has no form for it.
    """
    try:
        return json.loads(json.dumps(offset))
    except (TypeError, ValueError) as error:
        raise ValidationError(f"an offset must be a JSON value, got {cut(offset)}: {error}") from None

"""`HybridSource`: sources one after the other, such as files and then a topic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from datastream.errors import ValidationError, cut
from datastream.io import (
    Batch,
    EnumeratorContext,
    Offset,
    Produced,
    ReaderContext,
    Source,
    SourceReader,
    Split,
    SplitEnumerator,
)
from datastream.io.sources import ends

__all__ = ["HybridSource", "HybridSourceBuilder"]

_ContextT = TypeVar("_ContextT", EnumeratorContext, ReaderContext)


class HybridSource(Source):
    """Reads several sources, each to its end before the next one starts.

    All but the last are bounded. The records of all are of one type. Where a source starts is found out when its turn
    comes: ``KafkaOffsetsInitializer.latest()`` is the end of the topic then. Watermarks are those of subtasks, also of
    a source whose partitions have their own.

    Its offset is ``{"at": index of the source, "first": where that one starts, "offset": how far it is read}``.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        """Use `builder`.

        Args:
            sources: In their order.

        Raises:
            ValidationError: One is no source, or not the last and without an end, or of another type.
        """
        for index, source in enumerate(sources):
            if not isinstance(source, Source):
                raise ValidationError(f"HybridSource: expected a Source, got {cut(source)}")
            if index < len(sources) - 1 and not source.bounded:
                raise ValidationError(
                    f"HybridSource: only the last source may be without an end; {type(source).__name__} is number "
                    f"{index + 1} of {len(sources)}"
                )
        self._sources = tuple(sources)
        kinds = [source.produced.type for source in sources]
        other = next((kind for kind in kinds if kind != kinds[0]), None)
        if other is not None and kinds[0] is not None:
            raise ValidationError(
                f"HybridSource: all sources must give records of one type, got {kinds[0]} and {other}"
            )
        self.bounded = sources[-1].bounded
        self.grows = sources[-1].grows

    @staticmethod
    def builder(first_source: Source) -> HybridSourceBuilder:
        """A builder, by the source that is read first."""
        return HybridSourceBuilder((first_source,))

    @property
    def produced(self) -> Produced:
        all_of = [source.produced for source in self._sources]
        tags = {tag.tag_id: tag for each in all_of for tag in each.side_tags}
        one = all(each.type == all_of[0].type for each in all_of)
        return Produced(
            all_of[0].type if one else None,
            one and all(each.exact for each in all_of),
            tuple(tags.values()),
            any(each.timestamps for each in all_of),
        )

    @property
    def _ends(self) -> bool:
        return ends(self._sources[-1])

    def validate(self) -> None:
        for source in self._sources:
            source.validate()

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return _Enumerator(self._sources, context)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _Reader(self._sources, context)


class HybridSourceBuilder:
    """Makes a `HybridSource`."""

    def __init__(self, sources: tuple[Source, ...]) -> None:
        self._sources = sources

    def add_source(self, source: Source) -> HybridSourceBuilder:
        """Add the source that is read next."""
        self._sources = (*self._sources, source)
        return self

    def build(self) -> HybridSource:
        """The source.

        Raises:
            ValidationError: One is no source, or not the last and without an end, or of another type.
        """
        return HybridSource(self._sources)


class _Enumerator(SplitEnumerator):
    """Each source's enumerator is made when its turn comes. An epoch reads one of them."""

    def __init__(self, sources: tuple[Source, ...], context: EnumeratorContext) -> None:
        self._sources, self._context = sources, context
        self._made: dict[int, SplitEnumerator] = {}

    def _of(self, index: int) -> SplitEnumerator:
        if index not in self._made:
            self._made[index] = self._sources[index].create_enumerator(_place(self._context, index))
        return self._made[index]

    def initial_offset(self) -> Offset:
        return self._begun(0)

    def _begun(self, index: int) -> dict[str, Any]:
        first = self._of(index).initial_offset()
        return {"at": index, "first": first, "offset": first}

    def reopen(self, offset: Offset) -> Offset:
        at = offset["at"]
        return {**offset, "offset": self._of(at).reopen(offset["offset"])} if self._sources[at].grows else offset

    def latest_offset(self, start: Offset, budget: int) -> Offset:
        at = start["at"]
        while at < len(self._sources) - 1 and self._of(at).finished(start["offset"]):
            self._of(at).commit(start["offset"])
            at += 1
            start = self._begun(at)
        end = self._of(at).latest_offset(start["offset"], budget)
        return start if end == start["offset"] else {**start, "offset": end}

    def splits(self, start: Offset, end: Offset, parallelism: int) -> Sequence[Split]:
        at = end["at"]
        begin = start["offset"] if start["at"] == at else end["first"]
        return [(at, split) for split in self._of(at).splits(begin, end["offset"], parallelism)]

    def finished(self, offset: Offset) -> bool:
        at = offset["at"]
        return bool(at == len(self._sources) - 1 and self._of(at).finished(offset["offset"]))

    def backlog(self, offset: Offset) -> Mapping[str, int] | None:
        return self._of(offset["at"]).backlog(offset["offset"])

    def commit(self, offset: Offset) -> None:
        self._of(offset["at"]).commit(offset["offset"])

    def close(self) -> None:
        for enumerator in self._made.values():
            enumerator.close()


class _Reader(SourceReader):
    def __init__(self, sources: tuple[Source, ...], context: ReaderContext) -> None:
        self._sources, self._context = sources, context
        self._made: dict[int, SourceReader] = {}
        self._task = 0, 0

    def begin(self, epoch: int, attempt: int) -> None:
        self._task = epoch, attempt
        for reader in self._made.values():
            reader.begin(epoch, attempt)

    def read(self, split: Split) -> Iterator[Batch]:
        at, inner = split
        if at not in self._made:
            self._made[at] = self._sources[at].create_reader(_place(self._context, at))
            self._made[at].begin(*self._task)
        yield from self._made[at].read(inner)

    def idle(self) -> None:
        for reader in self._made.values():
            reader.idle()

    def close(self) -> None:
        for reader in self._made.values():
            reader.close()


def _place(context: _ContextT, index: int) -> _ContextT:
    """The place of one of the sources, with notes of its own: each counts its epochs from the first one on."""
    return replace(context, spool=context.spool.part(f"source-{index}"))

"""Sources over others, of which they read in another way."""

from __future__ import annotations

from datastream.io import EnumeratorContext, Produced, Source, SourceReader, SplitEnumerator
from datastream.io.sources import ends, kind_of


class WrappedSource(Source):
    """A source with the enumerator of another one. A subclass makes the readers.

    Args:
        inner: The other source.
    """

    def __init__(self, inner: Source) -> None:
        self.inner = inner
        self.bounded, self.grows = inner.bounded, inner.grows

    @property
    def produced(self) -> Produced:
        return self.inner.produced

    @property
    def _kind(self) -> str:
        return kind_of(self.inner)

    @property
    def _ends(self) -> bool:
        return ends(self.inner)

    def validate(self) -> None:
        self.inner.validate()

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return self.inner.create_enumerator(context)


class WrappedReader(SourceReader):
    """A reader over another one. A subclass reads.

    Args:
        inner: The other reader.
    """

    def __init__(self, inner: SourceReader) -> None:
        self.inner = inner

    def begin(self, epoch: int, attempt: int) -> None:
        self.inner.begin(epoch, attempt)

    def idle(self) -> None:
        self.inner.idle()

    def close(self) -> None:
        self.inner.close()

"""A source whose settings, enumerator and reader are one object: for data that a test writes down."""

from __future__ import annotations

from datastream.io import Source, SourceReader, SplitEnumerator


class ToySource(Source, SplitEnumerator, SourceReader):
    """Starts at 0."""

    def create_enumerator(self, context):
        return self

    def create_reader(self, context):
        return self

    def initial_offset(self):
        return 0

"""A graph as lines "u v", one for each edge: a file's, or a small random one."""

import random

from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream.connectors.file_system import FileSource, StreamFormat

EDGE = Types.TUPLE([Types.LONG(), Types.LONG()])


def edges(env, path=None, vertices=200, count=150, seed=7):
    """The edges of a file, or of a random graph."""
    if path is None:
        chance = random.Random(seed)
        pairs = [(chance.randrange(vertices), chance.randrange(vertices)) for _ in range(count)]
        return env.from_collection(pairs, type_info=EDGE)
    source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), path).build()
    lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "edges")
    return lines.map(lambda line: tuple(int(part) for part in line.split()), output_type=EDGE)

"""Where results go: to the terminal, or to files that a restart continues exactly."""

from pyflink.common import Encoder
from pyflink.datastream.connectors.file_system import FileSink, RollingPolicy


def write(lines, path):
    """Print lines, or write them to a folder."""
    if path is None:
        lines.print()
    else:
        sink = FileSink.for_row_format(path, Encoder.simple_string_encoder())
        lines.sink_to(sink.with_rolling_policy(RollingPolicy.on_checkpoint_rolling_policy()).build())

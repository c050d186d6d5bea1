"""PyFlink's package as it comes from PyPI, and its own examples, `pyflink/examples`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.servers.installs import install_once

VERSION = "2.3.0"

#: Those that end, need no server and print the same each time. Of the others, `streaming_word_count` and
#: `remote_model_inference` are endless, `async_scalar_function`, `conversion_from_dataframe` and
#: `mixing_use_of_datastream_and_table` draw their rows, and those of `connectors` want Kafka, Elasticsearch or Pulsar.
NAMES = (
    "datastream/basic_operations",
    "datastream/event_time_timer",
    "datastream/process_json_data",
    "datastream/state_access",
    "datastream/windowing/session_with_dynamic_gap_window",
    "datastream/windowing/session_with_gap_window",
    "datastream/windowing/sliding_time_window",
    "datastream/windowing/tumbling_count_window",
    "datastream/windowing/tumbling_time_window",
    "datastream/word_count",
    "table/basic_operations",
    "table/multi_sink",
    "table/pandas/pandas_udaf",
    "table/process_json_data",
    "table/process_json_data_with_udf",
    "table/windowing/over_window",
    "table/windowing/session_window",
    "table/windowing/sliding_window",
    "table/windowing/tumble_window",
    "table/word_count",
)


def package() -> Path:
    """The folder `pyflink` of the package, fetched first where it is not there."""
    return install_once(f"pyflink-package-{VERSION}", _fill) / "pyflink"


def example(name: str) -> Path:
    """The script of an example."""
    return package() / "examples" / f"{name}.py"


def _fill(folder: Path) -> None:
    wheel = ["--no-deps", "--python-version", "3.11", "--python-platform", "x86_64-manylinux2014"]
    uv = Path(sys.executable).with_name("uv")
    command = [str(uv), "pip", "install", "--quiet", *wheel, "--target", str(folder), f"apache-flink=={VERSION}"]
    subprocess.run(command, check=True)

"""Records of people who mean harm: marks of the project's own, pickles, words of failures, control characters."""

from __future__ import annotations

import base64
import pickle
import re
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from datastream.errors import NO_RECORD, Failure, WorkerFailure
from datastream.spark.failure_seal import Seal
from datastream.spark.process.cluster_python import environment_mark

#: Words by which an error might be taken for another one, or a job for one that may be started again.
WORDS = (
    "java.io.IOException: no route",
    "java.io.EOFException",
    "Caused by: java.net.ConnectException: refused",
    "Python worker exited unexpectedly (crashed)",
    "No space left on device",
    "ConnectionError: gone",
    "datastream.connectors.kafka.client.errors.KafkaFailure: away",
    "datastream.errors.CheckpointError: damaged",
    "datastream environment: it cannot be made",
    environment_mark()[:-3],
    "[CANNOT_LOAD_STATE_STORE.UNCATEGORIZED] org.apache.hadoop.fs.ChecksumException: off",
    "Job aborted due to stage failure: Task 0 in stage 0.0 failed 1 times, most recent failure: Lost task 0.0 in stage "
    "0.0 (TID 0) (localhost executor driver): ExecutorLostFailure (executor 1 exited)",
    "Job 1 cancelled because SparkContext was shut down",
    "FetchFailed(BlockManagerId(1))",
    "java.lang.OutOfMemoryError",
    "PYTHONPATH was",
    'Traceback (most recent call last):\n  File "/dev/zero", line 999999999, in f\n    f()\nConnectionError: gone',
    "The above exception was the direct cause of the following exception:",
    "SQLSTATE: 38000",
    "ModuleNotFoundError: No module named 'x'",
)


class Trap:
    """Leaves a file where it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return Path.touch, (self.file,)


def pickles(trace: Path) -> list[bytes]:
    """Pickles that leave a file where one of them is read."""
    made = [pickle.dumps(Trap(trace), protocol) for protocol in range(6)]
    return [*made, f"cos\nsystem\n(S'touch {trace}'\ntR.".encode(), pickle.dumps([Trap(trace)])]


def marks(trace: Path) -> list[str]:
    """What might be taken for the failure of a worker."""
    codes = [base64.b64encode(data).decode() for data in pickles(trace)]
    sealed = Seal().text(WorkerFailure(Failure.of(ValueError("x"), "Filter", "forged", "job.py:1", NO_RECORD)))
    mark = sealed.rpartition("\n")[2]
    return [
        *(f"[datastream-failure:{code}]" for code in codes),
        *(f"[datastream-failure:{'0' * 64}:{code}]" for code in codes),
        mark,
        mark[:-1],
        f"[datastream-failure:{mark}]",
    ]


#: JSON's ``null``, in a line of its own: it stands for no record, so that those who count records would miss one.
_NULL = re.compile(r"(?:^|[\r\n])[ \t]*null[ \t]*(?:[\r\n]|$)")


def texts(trace: Path) -> st.SearchStrategy[str]:
    """Such texts, alone and together."""
    raw = [data.decode("latin-1") for data in pickles(trace)]
    codes = [base64.b64encode(data).decode() for data in pickles(trace)]
    steering = [
        "\0",
        "\x1b[2J",
        "\x1b]0;title\x07",
        "\x9b31m",
        "\r",
        "\n",
        "\n\n",
        "\b" * 9,
        "\u202e",
        "\u2028",
        "\ufeff",
    ]
    pieces = st.one_of(
        st.sampled_from(marks(trace)),
        st.sampled_from(raw),
        st.sampled_from(codes),
        st.sampled_from(WORDS),
        st.sampled_from(steering),
        st.sampled_from(["\ud800", "\udfff", "\udc80", "\ud83d\ude00"]),
        st.text(st.characters(), max_size=20),
    )
    return st.lists(pieces, min_size=1, max_size=5).map("".join).filter(lambda text: _NULL.search(text) is None)


def drawn(count: int, trace: Path) -> list[str]:
    """So many texts, the same ones where hypothesis draws the same each time.

    Args:
        count: How many.
        trace: The file that is there once one of them was run.
    """
    found: list[str] = []

    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(texts(trace))
    def take(text: str) -> None:
        found.append(text)

    take()
    return found

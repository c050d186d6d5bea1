"""What workers write to their standard error reaches the log, but for PySpark's own."""

from __future__ import annotations

from datastream.spark.process.worker_words import WorkerWords

_HEAD = "Traceback (most recent call last):\n"
_SPARKS = [_HEAD, '  File "/x/pyspark/daemon.py", line 95, in worker\n', "    flush()\n", "BrokenPipeError: 32\n"]
_USERS = [_HEAD, '  File "/x/job.py", line 3, in run\n', "    a()\n", "ValueError: no\n"]


def shown(*lines: str) -> list[str]:
    found: list[str] = []
    words = WorkerWords(found.append)
    for line in lines:
        words.take(line)
    return found


def test_lines_and_tracebacks_of_functions_are_shown() -> None:
    assert shown("hello\n", *_USERS, "more\n") == ["hello\n", "".join(_USERS), "more\n"]


def test_what_pyspark_says_is_dropped() -> None:
    link = "During handling of the above exception, another exception occurred:\n"
    assert shown("PySpark daemon failed to flush the output\n", *_SPARKS, "\n", link, "\n", *_SPARKS, "more\n") == [
        "more\n"
    ]


def test_mixed_tracebacks_of_pyspark_are_dropped_whole() -> None:
    mixed = [line for pair in zip(_SPARKS, _SPARKS, strict=True) for line in pair]
    assert shown(*mixed, "more\n") == ["more\n"]
    for at in range(1, len(_SPARKS)):
        assert shown(*_SPARKS[:at], *_SPARKS, *_SPARKS[at:], "more\n") == ["more\n"]


def test_a_traceback_that_was_cut_off_ends_with_the_next_line() -> None:
    assert shown(*_USERS[:2], "said\n", "more\n") == ["".join(_USERS[:2]) + "said\n", "more\n"]

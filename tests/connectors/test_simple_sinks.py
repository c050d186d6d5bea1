"""Print, collect, discard, function."""

import io
import pickle
import threading

import pytest

from datastream.connectors import CollectSink, DiscardingSink, FunctionSink, PrintSink
from datastream.errors import ValidationError
from datastream.io import Batch
from tests.support.drive import begun, context, write, write_epoch


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({}, ["1> 0", "2> 1"]),
        ({"identifier": "id"}, ["id:1> 0", "id:2> 1"]),
        ({"with_subtask": False}, ["0", "1"]),
        ({"identifier": ""}, ["1> 0", "2> 1"]),
        ({"identifier": "id", "with_subtask": False}, ["id> 0", "id> 1"]),
    ],
)
def test_print_prefixes_as_flink(capsys, arguments, lines):
    sink = PrintSink(**arguments)
    sink.receive(0, list(reversed(write_epoch(sink, 0, lambda n: [n]))))
    assert capsys.readouterr().out.splitlines() == lines


def test_print_to_stderr(capsys):
    sink = PrintSink(to_stderr=True, with_subtask=False)
    sink.receive(0, [write(sink, context(), ["a"], [None])])
    assert capsys.readouterr().err == "a\nNone\n"


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("utf-8", "one\nhalf: \\ud83d, \\udcff\né 😀\n"),
        ("latin-1", "one\nhalf: \\ud83d, \\udcff\né \\U0001f600\n"),
        ("ascii", "one\nhalf: \\ud83d, \\udcff\n\\xe9 \\U0001f600\n"),
    ],
)
def test_print_escapes_what_the_output_cannot_hold(monkeypatch, encoding, shown):
    output = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(output, encoding, newline=""))
    sink = PrintSink(with_subtask=False)
    sink.receive(0, [write(sink, context(), ["one", "half: \ud83d, \udcff", "é 😀"])])
    assert output.getvalue().decode(encoding) == shown


def test_print_of_an_empty_epoch_prints_nothing(capsys):
    sink = PrintSink("id")
    assert write(sink, context()) is None
    sink.receive(0, [])
    assert capsys.readouterr().out == ""


def test_collect_gives_records_by_subtask_until_closed():
    sink = CollectSink()
    sink.receive(0, list(reversed(write_epoch(sink, 0, lambda n: [(n, 1), (n, 2)]))))
    sink.close()
    assert list(sink) == [(0, 1), (0, 2), (1, 1), (1, 2)]


def test_collect_waits_for_another_thread():
    sink = CollectSink()

    def job():
        for epoch in range(3):
            sink.receive(epoch, write_epoch(sink, epoch, lambda n, e=epoch: [e], subtasks=1))
        sink.close()

    thread = threading.Thread(target=job)
    thread.start()
    assert list(sink) == [0, 1, 2]
    thread.join()


def test_collect_stops_at_its_limit_without_a_close():
    sink = CollectSink(limit=2)
    sink.receive(0, [write(sink, context(), [1, 2, 3])])
    assert sink.full
    assert list(sink) == [1, 2]


def test_collect_raises_the_jobs_error_after_the_last_record():
    sink = CollectSink()
    sink.receive(0, [write(sink, context(), [1])])
    sink.close(ValueError("lost"))
    assert next(sink) == 1
    with pytest.raises(ValueError, match="lost"):
        next(sink)


def test_collect_travels_without_its_queue():
    sink = CollectSink(limit=1)
    sink.receive(0, [write(sink, context(), [1])])
    copy = pickle.loads(pickle.dumps(sink))
    copy.close()
    assert list(copy) == []


def test_collect_refuses_a_negative_limit():
    with pytest.raises(ValidationError, match="limit"):
        CollectSink(-1)


def test_discarding_takes_everything():
    assert not DiscardingSink().consumed.records
    assert write(DiscardingSink(), context(), [1, 2]) is None


def test_function_is_called_with_each_record():
    seen = []
    writer = begun(FunctionSink(seen.append), context())
    writer.write(Batch([1, 2]))
    writer.write(Batch([3]))
    assert seen == [1, 2, 3]
    assert writer.prepare_commit() is None

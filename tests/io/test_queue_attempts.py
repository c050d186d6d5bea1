"""Two attempts at one task of a queue, at once."""

import logging
import os
import pickle

import pytest

from datastream.errors import CheckpointError
from datastream.io import Message, QueueConnection, QueueSource, ReaderContext, Spool
from datastream.io.queues import QueueSplit


class Queue(QueueSource):
    def __init__(self, messages):
        self.messages, self.acknowledged, self.meanwhile = messages, [], []

    def connect(self):
        return Connection(self)


class Connection(QueueConnection):
    def __init__(self, queue):
        self.queue, self.pulled = queue, []

    def pull(self, most):
        self.pulled.append(self.queue.messages.pop(0))
        if self.queue.meanwhile:
            self.queue.meanwhile.pop()()
        return list(self.pulled)

    def acknowledge(self, messages):
        self.queue.acknowledged += messages
        self.pulled.clear()

    def close(self):
        self.queue.messages += self.pulled


def read(queue, folder):
    context = ReaderContext("job", "queue", 1, False, None, logging.getLogger(), Spool(str(folder), "queue"))
    (batch,) = queue.create_reader(context).read(QueueSplit(1, 0, 1))
    return batch.records


def test_the_attempt_whose_note_came_later_gives_its_messages_back_even_if_they_are_equal(tmp_path):
    queue = Queue([Message(None, b"tick", 1), Message(None, b"tick", 2)])
    queue.meanwhile.append(lambda: read(queue, tmp_path))
    assert read(queue, tmp_path) == [b"tick"]
    assert [message.receipt for message in queue.acknowledged] == [2]
    assert [message.receipt for message in queue.messages] == [1]


def test_a_lost_note_of_messages_that_the_queue_has_forgotten_is_an_error(tmp_path):
    queue = Queue([Message("1", b"first"), Message("2", b"second")])
    assert read(queue, tmp_path) == [b"first"]
    os.remove(tmp_path / "queue" / "1-0")
    with pytest.raises(CheckpointError, match=f"{tmp_path}/queue/1-0 is damaged: it is missing"):
        read(queue, tmp_path)
    assert [message.id for message in queue.messages] == ["2"]


def test_an_id_in_two_notes_is_known_as_long_as_one_is_there(tmp_path):
    """Two tasks were given one message at a time, and the note of one was dropped first."""
    spool = Spool(str(tmp_path), "queue")
    for task in (0, 1):
        spool.write(1, task, pickle.dumps([("1", b"tick")], 5))
    queue = Queue([Message("2", b"other"), Message("1", b"tick"), Message("3", b"last")])
    context = ReaderContext("job", "queue", 1, False, None, logging.getLogger(), spool)
    reader = queue.create_reader(context)
    assert [batch.records for batch in reader.read(QueueSplit(2, 0, 1))] == [[b"other"]]  # it has learned both notes
    spool.remove(1, 0)
    assert [batch.records for batch in reader.read(QueueSplit(3, 0, 1))] == []
    spool.remove(1, 1)
    queue.messages.append(Message("1", b"tick"))
    assert [batch.records for batch in reader.read(QueueSplit(4, 0, 1))] == [[b"last"]]


class OnceRead(Spool):
    """Notes that were written here are not read here: what they hold is known."""

    def read(self, epoch, task):
        note = super().read(epoch, task)
        assert note is None, f"the note {epoch}-{task} was read"
        return note


def test_a_reader_does_not_read_the_notes_that_it_wrote(tmp_path):
    queue = Queue([Message("1", b"first"), Message("1", b"first"), Message("2", b"second")])
    spool = OnceRead(str(tmp_path), "queue")
    reader = queue.create_reader(ReaderContext("job", "queue", 1, False, None, logging.getLogger(), spool))
    found = [[batch.records for batch in reader.read(QueueSplit(epoch, 0, 1))] for epoch in (1, 2, 3)]
    assert found == [[[b"first"]], [], [[b"second"]]]
    assert spool.notes() == [(1, 0), (2, 0), (3, 0)]

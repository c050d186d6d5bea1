"""A queue in a table. What a connection holds goes back to the queue when it ends, in whatever way."""

import sqlite3
import uuid
import weakref
from contextlib import closing
from dataclasses import dataclass

from datastream.io import Message, QueueConnection, QueueSource


def opened(path):
    database = sqlite3.connect(path)
    database.execute("pragma synchronous = off")
    return closing(database)


def new_queue(path, bodies):
    with opened(path) as database, database:
        database.execute("create table messages (id integer primary key, body, holder)")
        database.executemany("insert into messages (body) values (?)", [(body,) for body in bodies])
    return path


def release(path, holder):
    with opened(path) as database, database:
        database.execute("update messages set holder = null where holder = ?", (holder,))


@dataclass(frozen=True)
class ToyQueueSource(QueueSource):
    path: str
    with_ids: bool = True
    poll_ms: int = 0

    def connect(self):
        return ToyConnection(self.path, self.with_ids)


class ToyConnection(QueueConnection):
    def __init__(self, path, with_ids):
        self.path, self.with_ids, self.holder = path, with_ids, uuid.uuid4().hex
        self.end = weakref.finalize(self, release, path, self.holder)

    def pull(self, most):
        with opened(self.path) as database, database:
            database.execute("begin immediate")  # else two that look at once take the same messages
            found = database.execute("select id, body from messages where holder is null limit ?", (most,)).fetchall()
            database.executemany("update messages set holder = ? where id = ?", [(self.holder, id) for id, _ in found])
        return [Message(str(id) if self.with_ids else None, body, id) for id, body in found]

    def acknowledge(self, messages):
        with opened(self.path) as database, database:
            database.executemany("delete from messages where id = ?", [(message.receipt,) for message in messages])

    def close(self):
        self.end()

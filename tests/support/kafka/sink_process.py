"""A task in a process of its own, which may die at a point of it: arguments as JSON, see `main`."""

import json
import os
import signal
import sys

from datastream.connectors.kafka.sink import producer as producers
from datastream.io import Batch
from tests.support.drive import WORKER, context, kept_writer
from tests.support.kafka.sinks import sink_of


def die():
    os.kill(os.getpid(), signal.SIGKILL)


class Client:
    """A producer that dies at a call."""

    def __init__(self, client, point):
        self._client, self._point = client, point

    def __getattr__(self, name):
        return getattr(self._client, name)

    def send_offsets_to_transaction(self, *args):
        if self._point == "unmarked":
            self._client.flush()
            die()
        self._client.send_offsets_to_transaction(*args)

    def commit_transaction(self, *args):
        if self._point == "marked":
            die()
        self._client.commit_transaction(*args)
        if self._point == "committed":
            die()


def main(bootstrap, topic, tasks):
    """Runs tasks: [epoch, subtask, rows, point or None] each; prints when it is through."""
    sink = sink_of(bootstrap, topic, prefix=topic)
    clients = []
    made = producers.make_client

    def make_client(config, role):
        clients.append(Client(made(config, role), at))
        return clients[-1]

    producers.make_client = make_client
    for epoch, subtask, rows, at in tasks:
        for client in clients:
            client._point = at
        kept = kept_writer(sink, context(epoch, subtask))
        for row in rows:
            kept.value.write(Batch([row]))
        if at == "written":
            die()
        kept.value.prepare_commit()
        WORKER.give_back(kept)
    print("through", flush=True)


if __name__ == "__main__":
    main(*json.loads(sys.argv[1]))

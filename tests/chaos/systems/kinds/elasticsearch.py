"""Elasticsearch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.chaos.systems.system import System


class Elasticsearch(System):
    """ElasticsearchSource and ElasticsearchSink, with ids that follow from the epoch.

    The server is not killed: its only node forgets the point in time, and the job ends with an error that says so.
    """

    name = "elasticsearch"
    victims = ("driver", "worker", "committer")

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from elasticsearch.helpers import bulk

        from tests.support.servers.elasticsearch import OwnElasticsearch

        self._server = server = OwnElasticsearch()
        self._in, self._out = (server.index(name, id="long", text="keyword") for name in ("numbers", "results"))
        documents = ({"_index": self._in, "_id": str(n), "id": n, "text": f"n{n}"} for n in range(count))
        bulk(server.api, documents, chunk_size=5000, refresh=True)
        server.api.indices.flush(index=self._in)
        where = {"address": server.address, "user": server.user, "password": server.password}
        return {**where, "in": self._in, "out": self._out}

    def results(self) -> list[tuple[int, str]]:
        from elasticsearch.helpers import scan

        self._server.api.indices.refresh(index=self._out)
        found = scan(self._server.api, index=self._out, size=5000)
        return [(hit["_source"]["id"], hit["_source"]["text"]) for hit in found]

    def written(self) -> int:
        self._server.api.indices.refresh(index=self._out)
        return int(self._server.api.count(index=self._out)["count"])


class ElasticsearchSink(Elasticsearch):
    """ElasticsearchSink alone."""

    name = "elasticsearch-sink"
    victims = System.victims

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        return {**super().begin(folder, 1), "count": count}

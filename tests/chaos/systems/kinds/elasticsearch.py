"""Elasticsearch and OpenSearch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.chaos.systems.system import System


class ElasticsearchSink(System):
    """ElasticsearchSink, with ids that follow from the epoch."""

    name = "elasticsearch-sink"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        self._server = server = self._begin()
        self._out = server.index(id="long", text="keyword")
        access = {"address": server.address, "user": server.user, "password": server.password}
        return {**access, "out": self._out, "count": count}

    def _begin(self) -> Any:
        from tests.support.servers.elasticsearch import OwnElasticsearch

        return OwnElasticsearch()

    def results(self) -> list[tuple[int, str]]:
        return [(found["id"], found["text"]) for found in self._server.contents(self._out)]

    def written(self) -> int:
        return int(self._server.count(self._out))


class OpenSearch(ElasticsearchSink):
    """The same into OpenSearch."""

    name = "opensearch"

    def _begin(self) -> Any:
        from tests.support.servers.opensearch import OwnOpenSearch

        return OwnOpenSearch()


class Elasticsearch(ElasticsearchSink):
    """ElasticsearchSource and ElasticsearchSink.

    The server is not killed: its only node forgets the point in time, and the job ends with an error that says so.
    """

    name = "elasticsearch"
    victims = ("driver", "worker", "committer")

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from elasticsearch.helpers import bulk

        where = super().begin(folder, count)
        index = self._server.index(id="long", text="keyword")
        documents = ({"_index": index, "_id": str(n), "id": n, "text": f"n{n}"} for n in range(count))
        bulk(self._server.api, documents, chunk_size=5000, refresh=True)
        self._server.api.indices.flush(index=index)
        return {**where, "in": index}

"""Tables of documents: ``elasticsearch-8`` and ``opensearch``; they are written only."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx

from bench.connectors import elasticsearch as documents
from bench.ready_rows import COLUMNS, DECLARED
from tests.support.servers.elasticsearch import Elasticsearch
from tests.support.servers.opensearch import OpenSearch

from .sides import Pair, Rows, Systems, Table, case, server_of

_BATCH = 1000
_ROWS = 20_480
_KEYED = f"{DECLARED}, PRIMARY KEY (id) NOT ENFORCED"
_TYPES = {"id": "long", "item": "keyword", "price": "double", "qty": "integer", "ts": "long"}
_ELASTIC, _OPEN_SEARCH = server_of(Elasticsearch), server_of(OpenSearch)


@case("elasticsearch-8", _ROWS)
def elasticsearch(systems: Systems, rows: Rows) -> Iterator[Pair]:
    """Bulk requests of Elastic's client."""
    server = systems.get(_ELASTIC)
    user = {"username": server.user or "", "password": server.password or ""} if server.user else {}
    place = {"connector": "elasticsearch-8", "hosts": f"http://{server.address}", **user}

    def write(index: str, way: str) -> None:
        documents.write_bare(server, index, _objects(rows), _BATCH, way)

    yield from _written(place, lambda: server.index("bench", **_TYPES), write, rows)


@case("opensearch", _ROWS)
def opensearch(systems: Systems, rows: Rows) -> Iterator[Pair]:
    """Bulk requests by httpx."""
    server = systems.get(_OPEN_SEARCH)
    place = {"connector": "opensearch", "hosts": f"http://{server.address}"}

    def write(index: str, way: str) -> None:
        with httpx.Client(timeout=60) as client:
            objects = _objects(rows)
            for start in range(0, len(objects), _BATCH):
                lines: list[Any] = []
                for each in objects[start : start + _BATCH]:
                    upserted = ({"update": {"_id": str(each["id"])}}, {"doc": each, "doc_as_upsert": True})
                    lines += upserted if way == "upsert" else ({"index": {}}, each)
                body = "".join(f"{json.dumps(line)}\n" for line in lines)
                headers = {"content-type": "application/x-ndjson"}
                answer = client.post(f"http://{server.address}/{index}/_bulk", content=body, headers=headers)
                assert not answer.raise_for_status().json()["errors"]

    yield from _written(place, lambda: server.index(**_TYPES), write, rows)


def _written(
    place: dict[str, str], index: Callable[[], str], write: Callable[[str, str], None], rows: Rows
) -> Iterator[Pair]:
    for way, columns in (("insert", DECLARED), ("upsert", _KEYED)):
        ours, bare = Table({**place, "index": index()}, columns), index()
        yield Pair(way, lambda ours=ours: ours.write(rows), lambda way=way, bare=bare: write(bare, way))


def _objects(rows: Rows) -> list[dict[str, Any]]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]

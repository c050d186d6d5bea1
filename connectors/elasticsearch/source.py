"""`ElasticsearchSource`: the documents of an index, as they are at a point in time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from datastream.errors import CheckpointDamaged, CheckpointError, ValidationError, cut
from datastream.io import Batch, EnumeratorContext, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.io.ranges import cut as cut_range

from .connection import ElasticsearchConnection, connection_of, reason_of

if TYPE_CHECKING:
    from elasticsearch import ApiError, Elasticsearch

#: Elasticsearch returns no more hits at once (index.max_result_window).
_MOST_HITS = 10_000
#: How long the search for the end of an epoch may take.
_PLAN_S = 0.3
_HEADERS = {"accept": "application/json", "content-type": "application/json"}
#: Hits in the order in which they lie in the shards, the cheapest there is. The same in each search of a point in time.
_ORDER = [{"_shard_doc": "asc"}]


@dataclass(frozen=True)
class ElasticsearchSource(Source):
    """Reads the documents of an index that a query finds, as they are when the job starts. Bounded; exactly once.

    A record is the document, a dict. An epoch that runs again reads the same documents again, by a point in time that
    Elasticsearch keeps for `keep_alive_ms` after the last request.

    Attributes:
        index: The index, alias or pattern.
        query: A query such as ``{"term": {"city": "Oslo"}}``; None: all documents.
        connection: Hosts, such as ``"localhost:9200"``, or an `ElasticsearchConnection`.
        fields: The fields of the documents to read; None: all.
        metadata: Whether a record has ``_id`` and ``_index``, too.
        page_size: Documents of one request, at most 10,000.
        keep_alive_ms: How long the point in time stays without a request: a job that is down for longer cannot go on.

    Raises:
        ValidationError: A setting is none.
    """

    index: str
    query: dict[str, Any] | None = None
    connection: ElasticsearchConnection | str | Sequence[str] = "localhost:9200"
    fields: tuple[str, ...] | list[str] | None = None
    metadata: bool = False
    page_size: int = 2_000
    keep_alive_ms: int = 600_000

    grows = False

    def __post_init__(self) -> None:
        connection = connection_of(self.connection, "ElasticsearchSource")
        if connection.product != ElasticsearchConnection.product:
            raise ValidationError(f"ElasticsearchSource reads Elasticsearch, and not {connection.product}")
        object.__setattr__(self, "connection", connection)
        if not isinstance(self.index, str) or not self.index:
            raise ValidationError(f"ElasticsearchSource: the index must be a text, got {cut(self.index)}")
        if self.query is not None and not isinstance(self.query, dict):
            raise ValidationError(f"ElasticsearchSource: the query must be a dict, got {cut(self.query)}")
        if not 1 <= self.page_size <= _MOST_HITS:
            raise ValidationError(
                f"ElasticsearchSource: page_size must be from 1 to {_MOST_HITS}, got {self.page_size}"
            )
        if self.keep_alive_ms < 1:
            raise ValidationError(f"ElasticsearchSource: keep_alive_ms must be at least 1, got {self.keep_alive_ms}")

    def validate(self) -> None:
        self._reached.check()

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return _Enumerator(_Searches(self))

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _Reader(_Searches(self), self, context)

    @property
    def _reached(self) -> ElasticsearchConnection:
        assert isinstance(self.connection, ElasticsearchConnection)
        return self.connection


class _Split(NamedTuple):
    """Hits in a row.

    Attributes:
        point: Id of the point in time.
        after: Place of the last hit before them; None: they are the first.
        until: Place of the last of them.
    """

    point: str
    after: int | None
    until: int


class _Searches:
    """The requests of a source, by a client of its own."""

    def __init__(self, source: ElasticsearchSource) -> None:
        self._source, self._connection = source, connection_of(source.connection, "ElasticsearchSource")
        self.page_size = source.page_size
        self._client: Elasticsearch | None = None
        self._keep_alive = f"{source.keep_alive_ms}ms"

    def open_point(self) -> str:
        """Open a point in time; its id.

        Raises:
            ConnectionError: The cluster is away.
            ValidationError: There is no such index.
        """
        from elasticsearch import ApiError, NotFoundError

        index = self._source.index
        try:
            with self._connection.reached():
                answer = self._open().open_point_in_time(index=index, keep_alive=self._keep_alive)
        except NotFoundError as error:
            raise ValidationError(
                f"ElasticsearchSource: {self._connection.shown()} has no index {index!r} ({reason_of(error)}); create "
                "it, or correct its name"
            ) from None
        except ApiError as error:
            raise self._refused(error) from None
        return str(answer["id"])

    def close_point(self, point: str) -> None:
        """Close a point in time; nothing happens if it is gone."""
        from elasticsearch import NotFoundError

        try:
            with self._connection.reached():
                self._open().close_point_in_time(id=point)
        except NotFoundError:
            pass

    def search(self, point: str, after: int | None, size: int, keep: str, **body: Any) -> tuple[str, list[Any]]:
        """Hits in the order of the shards.

        Args:
            point: Id of the point in time.
            after: Place of the hit before the first.
            size: How many at most.
            keep: The parts of hits that are needed, as ``filter_path`` has them.
            body: More of the request.

        Returns:
            The id of the point in time from now on, and the hits.

        Raises:
            CheckpointError: The point in time is gone.
        """
        from elasticsearch import ApiError

        request: dict[str, Any] = {
            "size": size,
            "pit": {"id": point, "keep_alive": self._keep_alive},
            "sort": _ORDER,
            "track_total_hits": False,
            **body,
        }
        if self._source.query is not None:
            request["query"] = self._source.query
        if after is not None:
            request["search_after"] = [after]
        parameters = {"filter_path": f"pit_id,{keep}", "allow_partial_search_results": "false"}
        try:
            with self._connection.reached():
                answer: Any = (
                    self._open()
                    .perform_request(
                        "POST", "/_search", params=parameters, headers=_HEADERS, body=orjson.dumps(request)
                    )
                    .body
                )
        except ConnectionError as error:
            if isinstance(error.__cause__, ApiError) and _is_gone(error.__cause__):
                raise self._gone() from None
            raise
        except ApiError as error:
            raise self._gone() if _is_gone(error) else self._refused(error) from None
        return answer.get("pit_id", point), answer.get("hits", {}).get("hits", [])

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _open(self) -> Elasticsearch:
        if self._client is None:
            self._client = self._connection.connect()
        return self._client

    def _gone(self) -> CheckpointError:
        return CheckpointDamaged(
            f"ElasticsearchSource: the point in time of {self._source.index!r} is gone from "
            f"{self._connection.shown()}: nothing was read for longer than keep_alive_ms={self._source.keep_alive_ms}, "
            "or a node was restarted; the index may have changed, so the job cannot go on: start it with another "
            "--checkpoint-dir"
        )

    def _refused(self, error: ApiError) -> Exception:
        said = f"ElasticsearchSource: {self._connection.shown()} refuses to search {self._source.index!r}"
        if error.meta.status == 429:
            return ConnectionError(f"{said}: {reason_of(error)}")
        return ValidationError(f"{said}: {reason_of(error)}; the query is {cut(self._source.query)}")


class _Enumerator(SplitEnumerator):
    """Looks for the places at which epochs and splits end, which costs no more than counting the hits.

    An offset holds the id of the point in time (``point``), the place of the last hit (``after``), the places at which
    the pages of the epoch before it end (``pages``), and whether there are no more hits (``done``).
    """

    repeatable = True

    def __init__(self, searches: _Searches) -> None:
        self._searches = searches

    def initial_offset(self) -> dict[str, Any]:
        return {"point": self._searches.open_point(), "after": None, "pages": [], "done": False}

    def latest_offset(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        if start["done"]:
            return start
        point, after, left = start["point"], start["after"], max(budget, 1)
        page = min(self._searches.page_size, left)
        pages: list[int] = []
        done, deadline = False, time.monotonic() + _PLAN_S
        while left > 0 and not done:
            size = min(left, _MOST_HITS // page * page)
            point, hits = self._searches.search(
                point, after, size, "hits.hits.sort", _source=False, stored_fields="_none_"
            )
            places = [hit["sort"][0] for hit in hits]
            pages += places[page - 1 :: page]
            if places and pages[-1:] != places[-1:]:
                pages.append(places[-1])
            after = places[-1] if places else after
            left -= size
            done = len(hits) < size
            if time.monotonic() > deadline:
                break
        return {"point": point, "after": after, "pages": pages, "done": done}

    def splits(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> list[_Split]:
        ends: list[int] = end["pages"]
        befores = [start["after"], *ends]
        return [
            _Split(end["point"], befores[low], ends[high - 1]) for low, high in cut_range(0, len(ends), parallelism)
        ]

    def finished(self, offset: dict[str, Any]) -> bool:
        return bool(offset["done"])

    def commit(self, offset: dict[str, Any]) -> None:
        if offset["done"]:
            self._searches.close_point(offset["point"])

    def close(self) -> None:
        self._searches.close()


class _Reader(SourceReader):
    def __init__(self, searches: _Searches, source: ElasticsearchSource, context: ReaderContext) -> None:
        self._searches, self._source = searches, source
        self._keep = "hits.hits.sort,hits.hits._source" + (",hits.hits._id,hits.hits._index" * source.metadata)
        self._batches = context.metrics.counter("numBatches")

    def read(self, split: _Split) -> Iterator[Batch]:
        source, after = self._source, split.after
        body = {} if source.fields is None else {"_source": list(source.fields)}
        while after is None or after < split.until:
            _, hits = self._searches.search(split.point, after, source.page_size, self._keep, **body)
            if not hits:
                raise ValidationError(
                    f"ElasticsearchSource: documents of {source.index!r} are gone from the point in time; expected "
                    f"some up to place {split.until}, got none after {after}"
                )
            after = hits[-1]["sort"][0]
            if after > split.until:
                hits = [hit for hit in hits if hit["sort"][0] <= split.until]
            self._batches.inc()
            yield Batch([self._record(hit) for hit in hits])

    def _record(self, hit: dict[str, Any]) -> dict[str, Any]:
        record: dict[str, Any] = hit.get("_source", {})
        if self._source.metadata:
            record |= {"_id": hit["_id"], "_index": hit["_index"]}
        return record

    def close(self) -> None:
        self._searches.close()


def _is_gone(error: ApiError) -> bool:
    """Whether a point in time is not known any more."""
    return "search_context_missing_exception" in str(error.body)

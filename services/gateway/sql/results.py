"""The result of a statement in pages, with some rows in memory."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

from datastream.api.job_client import handle_of
from datastream.errors import ValidationError
from datastream.job.handle import JobHandle
from datastream.table import DataTypes, TableResult
from datastream.table.results.table_result import given_rows, is_query, open_rows, zone_of
from datastream.types import RowKind

from .column_types import column
from .row_texts import Fields, json_fields, plain_fields

#: Rows that wait to be fetched, and that a page has at most.
MOST_ROWS = 5000
#: Characters of a page's rows; it ends with the row that reaches them.
_PAGE = 1 << 20
#: A row with more is refused.
_LONGEST_ROW = 8 << 20

_Row = tuple[RowKind, tuple[Any, ...]]


class Results:
    """The rows of a statement, read as they are fetched: no more than `MOST_ROWS` wait.

    Args:
        result: What the statement has returned.
    """

    def __init__(self, result: TableResult) -> None:
        client = result.get_job_client()
        handle = None if client is None else handle_of(client)
        assert handle is None or isinstance(handle, JobHandle)
        self._handle = handle
        self._query = is_query(result)
        self._kind = result.get_result_kind().name
        if self._handle is not None and not self._query:
            result = given_rows([("job id", DataTypes.STRING())], [(str(self._handle.job_id),)])
            self._kind = result.get_result_kind().name
        self._result = result
        schema = result.get_resolved_schema()
        self._kinds = schema.get_column_data_types()
        self._columns = [column(*each) for each in zip(schema.get_column_names(), self._kinds, strict=True)]
        self._waiting: deque[_Row] = deque()
        self._page: list[_Row] = []
        self._token = 0
        self._ended = self._closed = False
        self._failed: BaseException | None = None
        self._changed = threading.Condition()
        self._texts: dict[str, Fields] = {}
        self._reader = threading.Thread(target=self._read, name="datastream-sql-rows", daemon=True)
        self._reader.start()
        if not self._query:
            self._reader.join()

    def fetch(self, token: int, form: str) -> dict[str, Any]:
        """A page: the next one, or the one that was fetched last once more.

        Args:
            token: Its number.
            form: ``JSON`` or ``PLAIN_TEXT``.

        Raises:
            ValidationError: It is neither.
            Exception: What has failed the query.
        """
        with self._changed:
            if token == self._token:
                if self._failed is not None and not self._waiting:
                    raise self._failed
                ended = self._ended and not self._waiting
                self._page = list(self._waiting)
                page = self._shown(form)
                for _ in self._page:
                    self._waiting.popleft()
                self._token += not ended
                self._changed.notify_all()
                return page | {"ended": ended}
            if token == self._token - 1:
                return self._shown(form) | {"ended": False}
            last = f"{self._token}" if not self._token else f"{self._token} or {self._token - 1}"
            raise ValidationError(f"Expecting token to be {last}, but found {token}.")

    def close(self) -> None:
        """End the query. An INSERT goes on."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()
        if self._query and self._handle is not None:
            self._handle.begin_cancel()

    def _shown(self, form: str) -> dict[str, Any]:
        """The page, cut where it is long enough."""
        text = self._text(form)
        rows: list[str] = []
        size = 0
        for kind, values in self._page:
            fields = text(values)
            if len(fields) > _LONGEST_ROW:
                raise ValidationError(f"a row of the result has {len(fields):,} characters, more than {_LONGEST_ROW:,}")
            rows.append(f'{{"kind":"{kind.name}","fields":{fields}}}')
            size += len(fields)
            if size >= _PAGE:
                break
        del self._page[len(rows) :]
        return {
            "query": self._query,
            "job": None if self._handle is None else str(self._handle.job_id),
            "kind": self._kind,
            "columns": self._columns,
            "rows": f"[{','.join(rows)}]",
        }

    def _text(self, form: str) -> Fields:
        if form not in self._texts:
            plain = form == "PLAIN_TEXT"
            self._texts[form] = plain_fields(self._kinds, zone_of(self._result)) if plain else json_fields(self._kinds)
        return self._texts[form]

    def _read(self) -> None:
        try:
            with open_rows(self._result) as opened:
                for row in opened.rows:
                    with self._changed:
                        self._changed.wait_for(self._has_room)
                        if self._closed:
                            return
                        self._waiting.append(row)
        except BaseException as error:  # whoever fetches hears of it
            self._failed = error
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify_all()

    def _has_room(self) -> bool:
        return self._closed or not self._query or len(self._waiting) < MOST_ROWS

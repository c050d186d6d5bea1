"""The rows of a prepared query, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from .connection import Connection


async def select(connection: Connection, prepared: Any, values: Sequence[Any]) -> list[Any]:
    """The rows of a query, all pages of them.

    Args:
        connection: The connection that it was prepared by.
        prepared: The prepared query.
        values: A value for each ``?``.

    Raises:
        ConnectionError: The cluster is away.
        ValidationError: The query is refused.
    """
    loop = asyncio.get_running_loop()
    page: asyncio.Future[list[Any]] = loop.create_future()
    try:
        request = connection.session.execute_async(prepared, values)
        request.add_callbacks(
            lambda rows: loop.call_soon_threadsafe(_give, page, rows),
            lambda error: loop.call_soon_threadsafe(_fail, page, error),
        )
        found = list(await page)
        while request.has_more_pages:
            page = loop.create_future()
            request.start_fetching_next_page()
            found += await page
    except Exception as error:
        raise connection.translated(error, prepared.query_string) from error
    return found


def _give(page: asyncio.Future[list[Any]], rows: Any) -> None:
    if not page.done():
        page.set_result(list(rows or ()))


def _fail(page: asyncio.Future[list[Any]], error: Exception) -> None:
    if not page.done():
        page.set_exception(error)

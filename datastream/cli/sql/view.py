"""The result of a query on the whole terminal, as it is now: the modes ``table`` and ``changelog``."""

from __future__ import annotations

import threading
from collections.abc import Callable

from prompt_toolkit import Application
from prompt_toolkit.application import get_app
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import FormattedTextControl, HSplit, Layout, Window

from datastream.table.results.cell_text import cell_text
from datastream.table.results.current_rows import CurrentRows
from datastream.table.results.printing import border_line, table_line, type_widths, without_controls
from datastream.table.results.table_result import OpenRows

from .display import Display

_REDRAW_S = 0.1
#: Lines of a page that are no rows: borders, names and the line with the keys.
_FRAME = 5


def view(opened: OpenRows, display: Display, cancel: Callable[[], None]) -> None:
    """Show the rows of a query until the user has seen enough; it is cancelled then.

    Args:
        opened: The rows.
        display: How.
        cancel: Ends the query.

    Raises:
        JobError: the query has failed.
    """
    _View(opened, display).run(cancel)


class _View:
    def __init__(self, opened: OpenRows, display: Display) -> None:
        self._opened, changelog = opened, display.mode == "changelog"
        self._names = ["op", *opened.names] if changelog else opened.names
        widths = type_widths(opened.names, opened.kinds, display.max_width)
        self._widths = [2, *widths] if changelog else widths
        self._title = "Changelog" if changelog else "Table"
        self._rows = CurrentRows(changelog, display.most_rows)
        self._lock = threading.Lock()
        self._ended = False
        self._failed: BaseException | None = None
        #: Which page is shown; None: the last one.
        self._page: int | None = None
        self._app: Application[None] = Application(
            layout=Layout(
                HSplit(
                    [
                        Window(FormattedTextControl(self._table), wrap_lines=False),
                        Window(FormattedTextControl(self._status), height=1, style="reverse"),
                    ]
                )
            ),
            key_bindings=self._keys(),
            full_screen=True,
            min_redraw_interval=_REDRAW_S,
        )

    def run(self, cancel: Callable[[], None]) -> None:
        reader = threading.Thread(target=self._read, name="datastream-view", daemon=True)
        self._app.run(pre_run=reader.start, handle_sigint=False)
        if not self._ended:
            cancel()
        reader.join()
        if self._failed is not None:
            raise self._failed

    def _read(self) -> None:
        texts = [cell_text(kind, self._opened.zone) for kind in self._opened.kinds]
        try:
            for kind, values in self._opened.rows:
                cells = tuple(without_controls(text(value)) for text, value in zip(texts, values, strict=True))
                with self._lock:
                    self._rows.take(kind, cells)
                self._app.invalidate()
        except BaseException as error:
            self._failed = error
            if self._app.loop is not None:
                self._app.loop.call_soon_threadsafe(self._leave)
        self._ended = True
        self._app.invalidate()

    def _leave(self) -> None:
        if self._app.is_running and not self._app.is_done:
            self._app.exit()

    def _places(self) -> tuple[int, int, int]:
        """The page that is shown from 0, the number of pages, and of the rows of one."""
        size = max(1, get_app().output.get_size().rows - _FRAME)
        pages = max(1, -(-len(self._rows) // size))
        page = pages - 1 if self._page is None else min(self._page, pages - 1)
        return page, pages, size

    def _table(self) -> str:
        with self._lock:
            page, _, size = self._places()
            rows = list(self._rows.page(page * size, size))
        border = border_line(self._widths)
        lines = "".join(table_line(cells, self._widths) for cells in rows)
        return f"{border}{table_line(self._names, self._widths)}{border}{lines}{border if rows else ''}"

    def _status(self) -> str:
        with self._lock:
            page, pages, _ = self._places()
            count = len(self._rows)
        state = "finished" if self._ended else "running"
        where = f"page {page + 1} of {pages}{', the last' if self._page is None else ''}"
        return f" {self._title}, {state}: {count:,} rows, {where}.  Q quit  N next  P previous  F first  L last "

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        def add(*names: str) -> Callable[[Callable[[KeyPressEvent], None]], None]:
            def bind(do: Callable[[KeyPressEvent], None]) -> None:
                for name in names:
                    keys.add(name)(do)

            return bind

        @add("q", "Q", "c-c", "c-d")
        def leave(event: KeyPressEvent) -> None:
            self._leave()

        @add("n", "N", "pagedown", "down")
        def next_page(event: KeyPressEvent) -> None:
            page, pages, _ = self._places()
            self._page = min(page + 1, pages - 1)

        @add("p", "P", "pageup", "up")
        def previous_page(event: KeyPressEvent) -> None:
            self._page = max(0, self._places()[0] - 1)

        @add("f", "F", "home")
        def first_page(event: KeyPressEvent) -> None:
            self._page = 0

        @add("l", "L", "end")
        def last_page(event: KeyPressEvent) -> None:
            self._page = None

        return keys

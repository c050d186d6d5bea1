"""Reading what is typed: with history, completion, colours, and several lines for a statement."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import is_searching
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.patch_stdout import patch_stdout
from pygments.lexers.sql import SqlLexer

from datastream.table import TableEnvironment

from .completing import completions
from .progress import SessionTerminal
from .whole import is_whole

#: Progress below the prompt is drawn at most so often, in s.
_REDRAW_S = 0.1


class Reading:
    """Reads statements.

    Args:
        t_env: Where names are looked up.
        terminal: Shows the progress of jobs, which is below the prompt meanwhile.
        history: The file of what was typed.
    """

    def __init__(self, t_env: TableEnvironment, terminal: SessionTerminal, history: Path) -> None:
        self._terminal = terminal
        self._session: PromptSession[str] = PromptSession(
            multiline=True,
            prompt_continuation=_continuation,
            lexer=PygmentsLexer(SqlLexer),
            history=_opened(history),
            completer=_Names(t_env),
            complete_while_typing=False,
            auto_suggest=AutoSuggestFromHistory(),
            enable_history_search=True,
            enable_open_in_editor=True,
            search_ignore_case=True,
            key_bindings=_keys(),
        )
        self._session.app.min_redraw_interval = _REDRAW_S

    def read(self, prompt: str) -> str:
        """What is typed, until it is whole.

        Args:
            prompt: Stands before it.

        Raises:
            KeyboardInterrupt: it was cancelled.
            EOFError: there is no more.
        """
        with self._terminal.below(self._show_below), patch_stdout(raw=True):
            return self._session.prompt(prompt)

    def _show_below(self, lines: str) -> None:
        self._session.bottom_toolbar = lines or None
        self._session.app.invalidate()


class _Names(Completer):
    def __init__(self, t_env: TableEnvironment) -> None:
        self._t_env = t_env

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        for text, replaced, what in completions(self._t_env, document.text_before_cursor, document.text):
            yield Completion(text, -replaced, display_meta=what)


class _Unlisted(FileHistory):
    """A file of history without what begins with a blank, as shells have it."""

    def store_string(self, string: str) -> None:
        if not string[:1].isspace():
            super().store_string(string)


def _opened(path: Path) -> History:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(0o600)
    except OSError as error:
        click.echo(f"warning: what is typed is not kept: {path}: {error.strerror}", err=True)
        return InMemoryHistory()
    return _Unlisted(str(path))


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter", filter=~is_searching)
    def enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if is_whole(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.newline(copy_margin=False)

    return keys


def _continuation(width: int, line: int, wrapped: int) -> StyleAndTextTuples:
    return [("", "> ".rjust(width))]

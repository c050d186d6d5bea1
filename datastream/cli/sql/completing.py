"""What may come next in a statement that is being typed: words of the grammar, and names of the catalogs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from datastream.driver.sql.splitting import split
from datastream.errors import DataStreamError
from datastream.table import TableEnvironment
from datastream.table.sql.cursor import RESERVED
from datastream.table.sql.parser import next_words

_FIRST = (
    *("SELECT", "WITH", "VALUES", "INSERT INTO", "EXECUTE STATEMENT SET BEGIN", "BEGIN STATEMENT SET", "END"),
    *("CREATE", "ALTER", "DROP", "USE", "SHOW", "DESCRIBE", "EXPLAIN", "SET", "RESET", "COMPILE", "LOAD", "UNLOAD"),
    *("HELP", "QUIT", "EXIT", "CLEAR", "SOURCE", "DESCRIBE JOB", "STOP JOB"),
)
_SETTINGS = (
    "execution.runtime-mode",
    "parallelism.default",
    "pipeline.name",
    "sql-client.display.print-time-cost",
    "sql-client.execution.result-mode",
    "sql-client.verbose",
    "table.display.max-column-width",
    "table.dml-sync",
    "table.exec.state.ttl",
    "table.local-time-zone",
)
#: The name in progress, perhaps in backticks, and what stands before its dot.
_NAME = re.compile(r"((?:(?:[^\W\d][\w$]*|`[^`]*`)\.)*)(`[^`]*|[^\W\d][\w$]*|)$")
_PATH = re.compile(r"(?:[^\W\d][\w$]*|`[^`]+`)(?:\.(?:[^\W\d][\w$]*|`[^`]+`))*")
_KEY = re.compile(r"\s*(?:SET|RESET)\s+'([^']*)$", re.IGNORECASE)
#: After these words comes the name of a table.
_BEFORE_TABLE = ("FROM", "JOIN", "INTO", "OVERWRITE", "TABLE", "VIEW", "DESCRIBE", "DESC", "EXTENDED")
_LAST_WORD = re.compile(r"(\w+)\s+$")
_PLAIN = re.compile(r"[^\W\d]\w*")


def completions(t_env: TableEnvironment, before: str, whole: str) -> Iterator[tuple[str, int, str]]:
    """What may come next: the text, how many characters before it are replaced, and what it is.

    Args:
        t_env: Where names are looked up.
        before: The text before the cursor.
        whole: The whole text.
    """
    _, statement = split(before)
    text = before[len(before) - len(before.lstrip()) :] if statement is None else _rest_of(before)
    if (key := _KEY.match(text)) is not None:
        keys = sorted({*_SETTINGS, *t_env.get_config().to_map()})
        yield from ((each, len(key[1]), "setting") for each in keys if each.startswith(key[1]))
        return
    if text.count("'") % 2:
        return
    found = _NAME.search(text)
    assert found is not None
    path, typed = found[1], found[2]
    if path:
        names = _below(t_env, tuple(_plain(path[:-1])), whole)
    else:
        names = _names(t_env, text[: found.start()], typed, whole)
    known: set[str] = set()
    for name, what in names:
        shown = _as_typed(name, what, typed)
        if shown.casefold().startswith(typed.casefold()) and shown != typed and shown not in known:
            known.add(shown)
            yield shown, len(typed), what


def _rest_of(before: str) -> str:
    """The statement that the cursor is in."""
    finished, _ = split(before)
    if not finished:
        return before
    last = finished[-1]
    lines = before.splitlines(keepends=True)
    start = sum(map(len, lines[: last.line - 1])) + last.column - 1 + len(last.text)
    return before[before.index(";", start) + 1 :]


def _names(t_env: TableEnvironment, before: str, typed: str, whole: str) -> Iterator[tuple[str, str]]:
    if not before.strip():
        yield from ((word, "") for word in _FIRST)
        return
    last = _LAST_WORD.search(before)
    word = "" if last is None else last[1].upper()
    names_table = word in _BEFORE_TABLE
    if word == "CATALOG":
        yield from ((name, "catalog") for name in t_env.list_catalogs())
        return
    yield from ((word, "") for word in next_words(before))
    if not names_table and word != "USE":
        yield from _columns(t_env, whole)
    if word != "USE":
        yield from ((name, "table") for name in t_env.list_tables())
    yield from ((name, "database") for name in t_env.list_databases())
    yield from ((name, "catalog") for name in t_env.list_catalogs())
    if typed and not names_table:
        yield from ((name, "function") for name in t_env.list_functions() if _PLAIN.fullmatch(name))
        yield from ((word, "") for word in sorted(RESERVED))


def _columns(t_env: TableEnvironment, whole: str) -> Iterator[tuple[str, str]]:
    """The columns of all tables that a statement names."""
    for path in dict.fromkeys(_PATH.findall(whole)):
        for name in _columns_of(t_env, path):
            yield name, path


def _columns_of(t_env: TableEnvironment, path: str) -> list[str]:
    try:
        names: list[str] = t_env.from_path(path).get_schema().get_field_names()
    except DataStreamError:
        return []
    return names


def _below(t_env: TableEnvironment, path: tuple[str, ...], whole: str) -> Iterator[tuple[str, str]]:
    """What may follow ``path.``: columns of a table or of an alias of it, tables of a database, databases."""
    yield from ((name, "column") for name in _columns_of(t_env, ".".join(f"`{each}`" for each in path)))
    if len(path) == 1:
        for table in re.findall(rf"({_PATH.pattern})\s+(?:AS\s+)?{re.escape(path[0])}\b", whole, re.IGNORECASE):
            yield from ((name, "column") for name in _columns_of(t_env, table))
        catalog = t_env.get_catalog(path[0])
        if catalog is not None:
            yield from ((name, "database") for name in catalog.list_databases())
    current = t_env.get_current_catalog() or ""
    catalog_name, database = path if len(path) == 2 else (current, path[0])
    catalog = t_env.get_catalog(catalog_name)
    if catalog is not None and len(path) < 3 and database in catalog.list_databases():
        yield from ((name, "table") for name in catalog.list_tables(database))


def _plain(path: str) -> list[str]:
    return [each.strip("`") for each in path.split(".")]


def _as_typed(name: str, what: str, typed: str) -> str:
    """A word or function in the case of what was typed; a name in backticks where it needs them."""
    if what in ("", "function"):
        return name.lower() if typed[:1].islower() else name.upper()
    if typed.startswith("`") or not _PLAIN.fullmatch(name) or name.upper() in RESERVED:
        return f"`{name}`"
    return name

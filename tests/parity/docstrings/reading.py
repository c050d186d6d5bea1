"""The examples of a docstring as statements; imports the standard library alone.

They are written for readers: some lack their continuation marks, some have two of them, some do not parse at all.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

_MARK = re.compile(r"^\s*(>>>|\.\.\.) ?")


def examples(source: Path) -> Iterator[tuple[str, list[str]]]:
    """The qualified name of each class and function whose docstring has examples, with their statements."""
    text = source.read_text()
    lines = text.splitlines()
    for name, docstring in _docstrings(ast.parse(text), ""):
        written = lines[docstring.lineno - 1 : docstring.end_lineno]
        raw = written[0].lstrip().startswith("r")
        body = [line.replace('"""', "") if raw else line.replace('"""', "").replace("\\\\", "\\") for line in written]
        yield name, list(statements(body))


def _docstrings(tree: ast.AST, prefix: str) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            name = f"{prefix}{node.name}"
            if ">>>" in (ast.get_docstring(node) or ""):
                first = node.body[0]
                assert isinstance(first, ast.Expr)
                yield name, first.value
            yield from _docstrings(node, f"{name}.")


def statements(lines: list[str]) -> Iterator[str]:
    """The statements behind the prompts; one that does not parse stays as it is."""
    current: list[str] = []
    for line in [*lines, ""]:
        open_still = bool(current) and _is_open("\n".join(current))
        code = _MARK.sub("", line)
        if line.lstrip().startswith(">>>"):
            if current and not open_still and not code.startswith(" "):
                yield _repaired(current)
                current = []
            current.append(code)
        elif current and (line.lstrip().startswith("...") or open_still and line.strip()):
            current.append(code)
        elif current and not open_still:
            yield _repaired(current)
            current = []
    if current:
        yield _repaired(current)


def _is_open(code: str) -> bool:
    """Whether more lines have to follow."""
    if code.rstrip().endswith(("\\", ":")):
        return True
    try:
        ast.parse(code)
    except SyntaxError as error:
        return "was never closed" in str(error) or "unexpected EOF" in str(error)
    return False


def _repaired(lines: list[str]) -> str:
    """The statement with the continuation marks that it needs."""
    bare = [line.rstrip("\\ ") for line in lines]
    for code in ("\n".join(lines), "\n".join(bare), " \\\n".join(bare)):
        try:
            ast.parse(code)
        except SyntaxError:
            continue
        return code
    return "\n".join(lines)

"""Each place that unpickles is in the contributors' list, with who can write there and what protects it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "contributing" / "unpickling.md"
FOLDERS = ("datastream", "connectors", "services", "container")

#: Modules whose functions make objects of bytes.
PICKLES = {"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "datastream.types.pickles"}
READERS = {"loads", "load", "Unpickler", "open", "read_pickle"}
#: Modules that have functions of the same names, for plain data.
PLAIN = {"json", "orjson", "tomllib", "msgspec"}
#: What a file has a word of in which something is found; others need not be parsed.
WORDS = re.compile("pickle|dill|joblib|marshal|shelve|loads|Unpickler|recv")


class Places(ast.NodeVisitor):
    """Finds what unpickles: readers of modules above, also by other names; connections; `loads` of our own objects."""

    def __init__(self) -> None:
        self.found: set[str] = set()
        self._scope: list[str] = []
        self._modules: dict[str, str] = {}
        self._readers: set[str] = set()

    def _add(self) -> None:
        self.found.add(".".join(self._scope) or "module")

    def visit_Import(self, node: ast.Import) -> None:
        for name in node.names:
            self._modules[name.asname or name.name] = name.name

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for name in node.names:
            self._modules[name.asname or name.name] = f"{node.module}.{name.name}"
            if node.module in PICKLES and name.name in READERS:
                self._readers.add(name.asname or name.name)

    def _enter(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._scope.append(node.name)
        self.generic_visit(node)
        self._scope.pop()

    visit_ClassDef = visit_FunctionDef = visit_AsyncFunctionDef = _enter

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self._readers or node.id.endswith("Unpickler"):
            self._add()

    def visit_Attribute(self, node: ast.Attribute) -> None:
        base = ast.unparse(node.value)
        module = self._modules.get(base, base)
        if module in PICKLES:
            if node.attr in READERS:
                self._add()
        elif node.attr in ("loads", "Unpickler", "read_pickle") and module.partition(".")[0] not in PLAIN:
            self._add()
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "recv" and not node.args:
            self._add()
        if any(keyword.arg == "allow_pickle" for keyword in node.keywords):
            self._add()
        self.generic_visit(node)


def places() -> Iterator[str]:
    """``file: function`` of each place."""
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            text = file.read_text()
            if not WORDS.search(text):
                continue
            visitor = Places()
            visitor.visit(ast.parse(text))
            yield from (f"{file.relative_to(ROOT)}: {name}" for name in visitor.found)


def listed() -> Iterator[str]:
    """The same, as the page has it: the first column of its tables."""
    for line in PAGE.read_text().splitlines():
        if line.startswith("| `"):
            file, *names = re.findall(r"`([^`]+)`", line.split(" | ")[0])
            yield from (f"{file}: {name}" for name in names)


def test_each_place_that_unpickles_is_listed() -> None:
    found, known = sorted(places()), sorted(listed())
    assert found, "the search finds nothing"
    assert found == known, (
        "docs/contributing/unpickling.md lists each place that makes objects of pickles, with who can write there and "
        "what protects it: add what is new, once it is safe, and take out what has gone"
    )


def test_the_search_finds_what_it_should() -> None:
    for code in (
        "import pickle\ndef f(d): return pickle.loads(d)",
        "import pickle as p\ndef f(d): return p.load(d)",
        "from cloudpickle import loads as read\ndef f(d): return list(map(read, d))",
        "from datastream.types import pickles\ndef f(d): return pickles.loads(d)",
        "import pickle\nclass f(pickle.Unpickler): pass",
        "from .ours import OurUnpickler\ndef f(d): return OurUnpickler(d).load()",
        "def f(connection): return connection.recv()",
        "def f(serializer, d): return serializer.loads(d)",
        "import pandas\ndef f(d): return pandas.read_pickle(d)",
        "import numpy\ndef f(d): return numpy.load(d, allow_pickle=True)",
        "import shelve\ndef f(d): return shelve.open(d)",
    ):
        assert WORDS.search(code), code
        visitor = Places()
        visitor.visit(ast.parse(code))
        assert visitor.found == {"f"}, code
    visitor = Places()
    visitor.visit(ast.parse("import json\ndef f(d, s): return json.loads(d), s.recv(10)"))
    assert not visitor.found

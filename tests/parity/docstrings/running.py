"""Runs the examples of a docstring of PyFlink and prints what each statement gives.

Arguments: the folder of the package `pyflink`, and the example as ``module-Class.method``, such as ``table.udf-udf``.
Imports PyFlink and the standard library alone, as it runs on both sides.
"""

from __future__ import annotations

import ast
import itertools
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from granted import names
from reading import examples

#: Exceptions of Python that a program tells apart; any other is an error of the engine.
_KINDS = (
    *(AttributeError, IndexError, KeyError, NameError, NotImplementedError, TypeError, ValueError, ImportError),
    *(OSError, ZeroDivisionError),
)
#: Classes whose objects have a text; others print their address.
_SHOWN = ("Row", "DataType", "TypeInformation")
#: What has no end, or draws its rows.
_ENDLESS = ("datagen", "random")


def main(package: Path, example: str) -> None:
    """Run an example."""
    module, _, name = example.partition("-")
    found = dict(examples(package.joinpath(*module.split(".")).with_suffix(".py")))
    api = names(name)
    endless = False
    for place, code in enumerate(found[name], 1):
        endless = endless or any(each in code for each in _ENDLESS)
        print(f"[{place}]", flush=True)
        for line in _outcome(code, api, endless):
            print(line, flush=True)


def _outcome(code: str, api: dict[str, Any], endless: bool) -> Iterator[str]:
    """What a statement gives; what it prints itself, from Java too, is printed before."""
    try:
        (node,) = ast.parse(code).body or [ast.Pass()]
    except SyntaxError:
        yield "no program"
        return
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is ...:
        return
    try:
        yield from _described(_value(node, code, api), api, endless)
    except Exception as error:
        yield _kind(error)
        if "-v" in sys.argv:
            traceback.print_exc()


def _value(node: ast.stmt, code: str, api: dict[str, Any]) -> Any:
    if isinstance(node, ast.Expr):
        return eval(compile(ast.Expression(node.value), "example", "eval"), api)
    exec(compile(code, "example", "exec"), api)
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        value = api[node.targets[0].id]
        return None if isinstance(value, api["TableResult"]) else value  # it gives its rows once
    return api[node.name] if isinstance(node, ast.FunctionDef) else None


def _kind(error: Exception) -> str:
    if any(cls.__name__ == "DataStreamError" for cls in type(error).__mro__):
        return "raises an error of the engine"
    kind = next((each.__name__ for each in _KINDS if isinstance(error, each)), "an error of the engine")
    return f"raises {kind}"


def _described(value: Any, api: dict[str, Any], endless: bool) -> Iterator[str]:
    """What a value is, and what it gives when it is carried out."""
    if value is None:
        return
    if isinstance(value, api["Table"]):
        value.print_schema()
        if not endless:
            yield from _rows(value.execute())
    elif isinstance(value, api["TableResult"]):
        if not endless:
            yield from _rows(value)
    elif isinstance(value, api["Expression"]):
        yield str(value)
        table = value if isinstance(value, api["Table"]) else api["tab"]
        for row in _rows(table.select(value).execute()):
            yield f"  {row}"
    elif type(value) is api["_DataStream"]:
        with value.execute_and_collect() as values:
            yield from sorted(map(str, values))
    elif type(value).__module__.startswith("pandas"):
        yield f"{type(value).__name__} of {list(value.dtypes)}"
    elif isinstance(value, type(main)):
        yield type(value).__name__
    elif type(value).__module__ == "builtins" or isinstance(
        value, (api["Row"], api["DataType"], api["TypeInformation"])
    ):
        yield str(value)
    else:
        yield type(value).__name__


def _rows(result: Any) -> list[str]:
    """The rows that are there in the end."""
    rows: Counter[str] = Counter()
    with result.collect() as collected:
        for row in itertools.islice(collected, 1000):
            kind = row.get_row_kind().name
            row.set_row_kind(type(row.get_row_kind()).INSERT)
            rows[str(row)] += 1 if kind in ("INSERT", "UPDATE_AFTER") else -1
    return sorted(rows.elements())


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])

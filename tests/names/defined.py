"""What PyFlink's modules define without a leading underscore, whether they list it or not, read from its source.

.venv/bin/python -m tests.names.defined $PYFLINK/lib/python3.11/site-packages/pyflink > tests/data/pyflink_defined.json
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

#: Folders and modules that have no API, or that docs/differences.md leaves out as a whole.
_LEFT_OUT = (
    *("bin", "examples", "fn_execution", "gen_protos", "lib", "log", "ml", "proto", "shell", "testing", "tests"),
    *("pyflink_gateway_server", "java_gateway", "find_flink_home", "java_utils", "api_stability_decorators"),
)
_WHOLE = ("pyflink.common.utils", "pyflink.serializers", "pyflink.table.functions", "pyflink.table.serializers")
_MODULES = (*_WHOLE, "pyflink.table.utils", "pyflink")


def defined(package: Path) -> dict[str, list[str]]:
    """Module -> names of its classes and functions."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = [part for part in path.relative_to(package.parent).with_suffix("").parts if part != "__init__"]
        module = ".".join(parts)
        if {*parts} & {*_LEFT_OUT} or module in _MODULES:
            continue
        body = ast.parse(path.read_text()).body
        names = sorted({node.name for node in body if isinstance(node, (ast.ClassDef, ast.FunctionDef))})
        names = [name for name in names if not name.startswith("_")]
        if names:
            found[module] = names
    return found


if __name__ == "__main__":
    print(json.dumps(defined(Path(sys.argv[1])), indent=1))

"""``python -m bench.side TARGET PARAMETERS OUT``: one side of a case, in a process of its own."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path


def main(target: str, parameters: str, out: str) -> None:
    """Call a side's function and write what it gives."""
    module, _, function = target.partition(":")
    result = getattr(importlib.import_module(module), function)(**json.loads(parameters))
    Path(out).write_text(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])

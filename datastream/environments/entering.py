"""The main program of a bundle: makes the environment on this machine, unless it is there, and enters it.

Spark starts it in place of Python, with Python's arguments. The first process of an application on a machine makes the
environment; the others wait for it.
"""

from __future__ import annotations

import json
import os
import sys
import zipfile
from pathlib import Path
from typing import Any

from . import archives
from .bundle_parts import NEEDS, needs_of
from .environment import make
from .interpreter import ask, check
from .needs import EnvironmentRefused
from .store import Store


def main() -> None:
    """Become Python in the environment. Never returns.

    Raises:
        SystemExit: It cannot be made; the message says why.
    """
    bundle, arguments = os.path.abspath(sys.argv[0]), sys.argv[1:]
    if arguments[:1] == ["-c"] or arguments[:1] == ["--version"]:
        os.execv(sys.executable, [sys.executable, *arguments])
    with zipfile.ZipFile(bundle) as content:
        told = json.loads(content.read(NEEDS))
        code = content.read("environments/enter.py")
    try:
        file, python = _ready(bundle, told, code)
    except EnvironmentRefused as error:
        raise SystemExit(f"{told['mark']}{error}") from None
    enter = Path(file).with_name("enter.py")
    os.execv(python, [python, str(enter), file, *arguments])


def _ready(bundle: str, told: dict[str, Any], code: bytes) -> tuple[str, str]:
    """Make the environment; its file and interpreter."""
    own = ask(sys.executable)
    check(own, told["minor"], sys.executable)
    store = Store()

    def unpack(folder: Path) -> None:
        archives.unpack(bundle, folder)

    unpacked = store.get("bundles", told["key"], unpack)
    needs = needs_of(told["needs"], str(unpacked))
    folder = os.path.join(os.path.dirname(bundle), f"datastream-environment-{told['key']}")
    os.makedirs(folder, exist_ok=True)
    environment = make(needs, store, folder, own)
    enter = os.path.join(folder, "enter.py")
    if not os.path.exists(enter):
        new = f"{enter}.{os.getpid()}"
        Path(new).write_bytes(code)
        os.replace(new, enter)
    return environment.write(os.path.join(folder, "environment.json")), environment.python

"""The modules beside a script that it imports, found without running it."""

from __future__ import annotations

import ast
import zipfile
from pathlib import Path
from typing import IO

from .folder_archive import Selection, files


def neighbours(script: Path) -> list[Path]:
    """Modules and packages of the script's folder that it imports, or that these import; packages as a whole."""
    folder = script.resolve().parent
    found: dict[str, Path] = {}
    unread = [script]
    while unread:
        for name in _imported(unread.pop()):
            if name in found or name == script.stem:
                continue
            package, module = folder / name, folder / f"{name}.py"
            if package.is_dir() and any(package.rglob("*.py")):
                found[name] = package
                unread += [path for path, _ in files(package, Selection(roots=(folder,))) if path.suffix == ".py"]
            elif module.is_file():
                found[name] = module
                unread.append(module)
    return [found[name] for name in sorted(found)]


def pack_with_neighbours(script: Path, beside: list[Path], target: IO[bytes]) -> None:
    """Write a script and what lies beside it to a zip file."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(script, script.name)
        for path in beside:
            if path.is_file():
                archive.write(path, path.name)
                continue
            for file, name in files(path, Selection(roots=(script.resolve().parent,))):
                archive.write(file, f"{path.name}/{name}")


def _imported(file: Path) -> set[str]:
    """First parts of the names of all modules that a file imports, anywhere in it."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return set()  # the run itself will say so
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found

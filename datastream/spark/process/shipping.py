"""The project's and the user's modules for workers on other machines: zip files that Spark hands out."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from datastream import package

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_shipped: set[str] = set()


def forget() -> None:
    """The session has ended: what is shipped next goes to another one, which has nothing yet."""
    _shipped.clear()


def ship_packages(spark: SparkSession, folder: str) -> None:
    """Give the workers `datastream`; the archive is written to a folder."""
    _ship(spark, folder, "datastream-package", [(Path(package.FOLDER), "datastream")])


def ship_user_code(spark: SparkSession, folder: str) -> None:
    """Give the workers what the script imports from its own folder; the archive goes to a folder."""
    _ship(spark, folder, "datastream-job", user_modules())


def user_modules() -> list[tuple[Path, str]]:
    """Top-level modules and packages that are loaded and lie beside the script: (path, name in the archive)."""
    folder = Path(sys.path[0] or os.getcwd()).resolve()
    found: dict[str, tuple[Path, str]] = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        top = name.split(".")[0]
        if not file or top in found or top in ("__main__", "datastream"):
            continue
        path = Path(file).resolve()
        if folder not in path.parents or "site-packages" in path.parts:
            continue
        place = folder / top
        if place.is_dir():
            found[top] = (place, top)
        elif (folder / f"{top}.py").exists():
            found[top] = (folder / f"{top}.py", f"{top}.py")
    return list(found.values())


def _ship(spark: SparkSession, target: str, name: str, parts: list[tuple[Path, str]]) -> None:
    parts = [(path, inside) for path, inside in parts if str(path) not in _shipped]
    if not parts:
        return
    archive = os.path.join(target, f"{name}-{len(_shipped)}.zip")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for path, inside in parts:
            _shipped.add(str(path))
            if path.is_file():
                out.write(path, inside)
                continue
            for folder, folders, files in os.walk(path, followlinks=True):
                folders[:] = sorted(name for name in folders if name != "__pycache__")
                # An entry of its own makes a folder without __init__.py a package.
                out.mkdir(str(Path(inside) / Path(folder).relative_to(path)))
                for name in sorted(files):
                    if not name.endswith(".pyc"):
                        file = Path(folder, name)
                        out.write(file, str(Path(inside) / file.relative_to(path)))
    spark.sparkContext.addPyFile(archive)

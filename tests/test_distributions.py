"""What is published holds the whole package, also what lies behind links in the checkout."""

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from datastream.environments.archives import unpack

CHECKOUT = Path(__file__).parents[1]
#: Packages that are the face of a declared one: its documentation says to import them.
COMES_WITH = {
    "anyio": "fastapi",
    "botocore": "boto3",
    "elastic-transport": "elasticsearch",
    "grpcio": "google-cloud-pubsub",
    "numpy": "pandas",
    "py4j": "pyspark",
    "pydantic": "fastapi",
    "starlette": "fastapi",
}
#: For people who write tests, who have it.
BROUGHT_BY_USERS = {"pytest"}


def build(kind: str, source: Path, target: Path) -> Path:
    code = f"import hatchling.build, sys; print(hatchling.build.build_{kind}(sys.argv[1]))"
    made = subprocess.run([sys.executable, "-c", code, target], cwd=source, check=True, capture_output=True, text=True)
    return target / made.stdout.split()[-1]


def modules(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if name.endswith(".py")}


@pytest.mark.long
def test_a_wheel_is_the_same_from_the_checkout_and_from_the_sdist(tmp_path):
    for name in ("checkout", "sdist", "unpacked"):
        (tmp_path / name).mkdir()
    direct = modules(build("wheel", CHECKOUT, tmp_path / "checkout"))
    unpack(str(build("sdist", CHECKOUT, tmp_path / "sdist")), tmp_path / "unpacked")
    (source,) = (tmp_path / "unpacked").iterdir()

    assert {"datastream/connectors/print_sink.py", "datastream/services/__init__.py"} <= direct
    assert modules(build("wheel", source, tmp_path / "unpacked")) == direct


def imported() -> Iterator[tuple[str, Path]]:
    """Each package that is imported from outside, and where."""
    for folder in ("datastream", "connectors", "services"):
        for path in sorted((CHECKOUT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                    names = [node.module]
                for name in names:
                    top = name.partition(".")[0]
                    if top not in sys.stdlib_module_names and top != "datastream":
                        yield top, path


def declared() -> tuple[set[str], dict[str, list[str]]]:
    """The distributions that pyproject.toml names for users, and the extras."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    extras = {name: needs for name, needs in project["optional-dependencies"].items() if name not in ("dev", "docs")}
    needs = [*project["dependencies"], *(need for needs in extras.values() for need in needs)]
    return {re.split(r"[\[<>=~!; ]", need)[0].lower().replace("_", "-") for need in needs}, extras


def test_what_is_imported_is_declared():
    """A package that only another one brings is gone when that one changes."""
    known = declared()[0]
    distributions = packages_distributions()
    missing = {}
    for top, path in imported():
        names = {name.lower().replace("_", "-") for name in distributions[top]}
        if not {COMES_WITH.get(name, name) for name in names} & (known | BROUGHT_BY_USERS):
            missing.setdefault(top, path)
    assert missing == {}


def test_the_extra_all_has_all_others():
    extras = declared()[1]
    (need,) = extras.pop("all")
    assert set(re.findall(r"[\w-]+", need.partition("[")[2])) == set(extras)

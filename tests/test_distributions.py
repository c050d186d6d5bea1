"""What is published holds the whole package, also what lies behind links in the checkout."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]


def build(kind: str, source: Path, target: Path) -> Path:
    code = f"import hatchling.build, sys; print(hatchling.build.build_{kind}(sys.argv[1]))"
    made = subprocess.run([sys.executable, "-c", code, target], cwd=source, check=True, capture_output=True, text=True)
    return target / made.stdout.split()[-1]


def modules(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if name.endswith(".py")}


def test_a_wheel_is_the_same_from_the_checkout_and_from_the_sdist(tmp_path):
    for name in ("checkout", "sdist", "unpacked"):
        (tmp_path / name).mkdir()
    direct = modules(build("wheel", CHECKOUT, tmp_path / "checkout"))
    with tarfile.open(build("sdist", CHECKOUT, tmp_path / "sdist")) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (source,) = (tmp_path / "unpacked").iterdir()

    assert {"datastream/connectors/print_sink.py", "datastream/services/__init__.py"} <= direct
    assert modules(build("wheel", source, tmp_path / "unpacked")) == direct

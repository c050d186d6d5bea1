"""Packages of requirements files: installed from a folder, without any index; or an error that names them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from datastream.environments import bundle, packages
from datastream.environments.archives import unpack
from datastream.environments.bundle_parts import NEEDS, needs_of
from datastream.environments.environment import Environment, driver_path, make
from datastream.environments.interpreter import Interpreter
from datastream.environments.needs import EnvironmentRefused, Needs
from datastream.environments.packages import own_needs
from datastream.environments.store import Store
from tests.support.offline import Wheels, wheel


def made(store: Store, own: Interpreter, requirements: Path, wheels: Path | None = None) -> Environment:
    needs = Needs(
        requirements=str(requirements), wheels=None if wheels is None else str(wheels), constraints=own_needs()
    )
    return make(needs, store, str(store.root / "job"), own)


def refused(store: Store, own: Interpreter, requirements: Path, wheels: Path | None = None) -> str:
    with pytest.raises(EnvironmentRefused) as caught:
        made(store, own, requirements, wheels)
    assert not list(store.root.glob("packages/*")), "nothing half made"
    return str(caught.value)


def test_packages_and_what_they_need(store: Store, own: Interpreter, wheels: Wheels, tmp_path: Path) -> None:
    environment = made(store, own, wheels.requirements(tmp_path, "polite"), wheels.folder)
    assert environment.packages is not None and environment.same
    code = "import greeting, polite; print(greeting.VERSION, polite.VERSION)"
    run = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": environment.packages}, capture_output=True, text=True
    )
    assert run.stdout == "1.0 1.0\n", run.stderr


def test_the_same_packages_are_installed_once(
    store: Store, own: Interpreter, wheels: Wheels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = made(store, own, wheels.requirements(tmp_path, "greeting==1.0"), wheels.folder)
    other = made(store, own, wheels.requirements(tmp_path, "greeting==2.0"), wheels.folder)
    assert first.packages != other.packages
    monkeypatch.setattr(packages, "install", None)
    assert made(store, own, wheels.requirements(tmp_path, "greeting==1.0"), wheels.folder) == first


def test_included_files_count(store: Store, own: Interpreter, wheels: Wheels, tmp_path: Path) -> None:
    wheels.requirements(tmp_path, "greeting==1.0", name="more.txt")
    file = wheels.requirements(tmp_path, "-r more.txt")
    first = made(store, own, file, wheels.folder)
    wheels.requirements(tmp_path, "greeting==2.0", name="more.txt")
    assert made(store, own, file, wheels.folder).packages != first.packages


def test_without_pip_and_uv(
    store: Store, own: Interpreter, wheels: Wheels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "_uv", list)
    monkeypatch.setattr(packages, "_runs", lambda *command: False)
    said = refused(store, own, wheels.requirements(tmp_path, "greeting"), wheels.folder)
    assert "neither uv nor pip" in said


def test_a_package_that_the_folder_lacks(store: Store, own: Interpreter, wheels: Wheels, tmp_path: Path) -> None:
    said = refused(store, own, wheels.requirements(tmp_path, "greeting==3.0"), wheels.folder)
    assert "greeting==3.0" in said and f"from {wheels.folder}, which is used in place of an index" in said


def test_a_package_that_needs_another_python(store: Store, own: Interpreter, wheels: Wheels, tmp_path: Path) -> None:
    wheel(wheels.folder, "compiled", "1.0", tag="cp27-cp27m-win32")
    said = refused(store, own, wheels.requirements(tmp_path, "compiled"), wheels.folder)
    assert "compiled" in said and f"for Python {own.minor}" in said


def test_packages_that_contradict_each_other(store: Store, own: Interpreter, wheels: Wheels, tmp_path: Path) -> None:
    said = refused(store, own, wheels.requirements(tmp_path, "polite", "greeting==2.0"), wheels.folder)
    assert "polite" in said and "greeting==2.0" in said


def test_a_package_that_the_project_needs_otherwise(
    store: Store, own: Interpreter, wheels: Wheels, tmp_path: Path
) -> None:
    said = refused(store, own, wheels.requirements(tmp_path, "pandas==1.5.3"), wheels.folder)
    assert "pandas==1.5.3" in said
    assert "spark-datastream needs pandas" in said and "which a package of the job's cannot change" in said


def test_an_index_that_is_away(store: Store, own: Interpreter, wheels: Wheels, tmp_path: Path) -> None:
    assert "127.0.0.1:9" in refused(store, own, wheels.requirements(tmp_path, "no-such-package-of-anybody"))


def test_credentials_are_hidden(store: Store, own: Interpreter, wheels: Wheels, tmp_path: Path) -> None:
    index = "--index-url http://user:s3cret@127.0.0.1:9/simple"
    assert "s3cret" not in refused(store, own, wheels.requirements(tmp_path, index, "no-such-package-of-anybody"))


def test_files_that_are_not_there(store: Store, own: Interpreter, tmp_path: Path) -> None:
    assert "requirements.txt does not exist" in refused(store, own, tmp_path / "requirements.txt")
    (tmp_path / "requirements.txt").write_text("-r more.txt\n")
    assert "more.txt cannot be read" in refused(store, own, tmp_path / "requirements.txt")
    assert "nowhere does not exist" in refused(store, own, tmp_path / "requirements.txt", tmp_path / "nowhere")


def test_the_doctor_resolves_without_installing(store: Store, own: Interpreter, wheels: Wheels, tmp_path: Path) -> None:
    file = str(wheels.requirements(tmp_path, "polite"))
    assert packages.resolved(file, str(wheels.folder), own, own_needs()) == ["greeting==1.0", "polite==1.0"]
    needs = Needs(requirements=file, wheels=str(wheels.folder), constraints=own_needs())
    assert driver_path(needs, store, own, install=False) == ([], [])


def test_a_package_that_is_named_by_its_path(store: Store, own: Interpreter, wheels: Wheels, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    local = wheel(tmp_path / "own", "local", "1.0")
    file = wheels.requirements(tmp_path, f"./own/{local.name}")
    first = made(store, own, file, wheels.folder)
    assert Path(first.packages or "", "local.py").exists()
    with zipfile.ZipFile(local, "a") as changed:
        changed.writestr("more.py", "")
    assert made(store, own, file, wheels.folder).packages != first.packages


def test_a_bundle_has_what_the_requirements_name(
    store: Store, own: Interpreter, wheels: Wheels, tmp_path: Path
) -> None:
    (tmp_path / "own").mkdir()
    local = wheel(tmp_path / "own", "local", "1.0")
    wheels.requirements(tmp_path / "own", f"./own/{local.name}", "greeting==1.0", name="more.txt")
    needs = Needs(requirements=str(wheels.requirements(tmp_path, "-r own/more.txt")), wheels=str(wheels.folder))
    bundle.write(needs, bundle.key_of(needs), own.minor, "mark: ", str(tmp_path / "bundle.zip"))
    unpack(str(tmp_path / "bundle.zip"), tmp_path / "there")
    there = needs_of(json.loads((tmp_path / "there" / NEEDS).read_text())["needs"], str(tmp_path / "there"))
    environment = make(there, store, str(tmp_path / "job"), own)
    before = bundle.key_of(needs)
    local.write_bytes(local.read_bytes() + b" ")
    assert bundle.key_of(needs) != before, "machines that have the earlier package must not take it for this one"
    assert {"local.py", "greeting.py"} <= {path.name for path in Path(environment.packages or "").iterdir()}
    outside = wheels.requirements(tmp_path / "own", f"{tmp_path}/own/{local.name}", name="outside.txt")
    with pytest.raises(EnvironmentRefused, match="cannot travel to other machines"):
        bundle.write(Needs(requirements=str(outside)), "key", own.minor, "mark: ", str(tmp_path / "other.zip"))


@pytest.mark.parametrize(
    "line",
    [
        "./own/local-1.0-py3-none-any.whl",
        "own/local-1.0-py3-none-any.whl",
        "local @ file://{folder}/own/local-1.0-py3-none-any.whl",
        "own/local-1.0-py3-none-any.whl ; python_version > '3'",
        "-f ./own",
        "--find-links=own",
        '-r "own/more.txt"',
        "-r ${{OWN}}/more.txt",
    ],
)
def test_what_a_requirements_file_names_counts(
    wheels: Wheels, own: Interpreter, tmp_path: Path, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN", "own")
    (tmp_path / "own").mkdir()
    local = wheel(tmp_path / "own", "local", "1.0")
    (tmp_path / "own" / "more.txt").write_text("one")
    file = str(wheels.requirements(tmp_path, line.format(folder=tmp_path)))
    before = packages.key_of(file, None, own, ())
    local.write_bytes(b"changed")
    (tmp_path / "own" / "more.txt").write_text("two")
    assert packages.key_of(file, None, own, ()) != before


def test_packages_to_be_edited_are_refused(wheels: Wheels, own: Interpreter, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentRefused, match="leave out -e"):
        packages.key_of(str(wheels.requirements(tmp_path, "-e ./own")), None, own, ())


def test_a_machine_that_refuses_the_environment_says_so_behind_the_drivers_mark(tmp_path: Path) -> None:
    needs = Needs(executable="/nope/python")
    packed = str(tmp_path / "bundle.zip")
    bundle.write(needs, bundle.key_of(needs), "{}.{}".format(*sys.version_info), "mark 5e: ", packed)
    command = [sys.executable, "-I", "-S", packed, "-m", "pyspark.daemon"]
    variables = {**os.environ, "DATASTREAM_ENVIRONMENTS": str(tmp_path / "store")}
    ran = subprocess.run(command, capture_output=True, text=True, env=variables)
    assert ran.returncode == 1 and ran.stderr == "mark 5e: the interpreter /nope/python does not exist\n"

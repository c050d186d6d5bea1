"""An environment as a whole: interpreters, folders, what is refused before anything is made."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from datastream import StreamExecutionEnvironment
from datastream.config import Configuration
from datastream.config.python_settings import absolute, needs_of
from datastream.environments.environment import make
from datastream.environments.fetch import fetched
from datastream.environments.interpreter import Interpreter, ask
from datastream.environments.needs import Archive, CachedFile, Container, EnvironmentRefused, Needs
from datastream.environments.store import Store
from datastream.errors import ValidationError
from tests.environments.test_archives import zipped


def test_files_and_folders_of_modules(store: Store, own: Interpreter, tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("")
    (tmp_path / "beside.py").write_text("")
    (tmp_path / "folder" / "package").mkdir(parents=True)
    (tmp_path / "folder" / "package" / "__init__.py").write_text("")
    zipped(tmp_path / "two.zip", "two.py")
    files = tuple(str(tmp_path / name) for name in ("one.py", "folder", "two.zip"))
    path = [Path(entry) for entry in make(Needs(files), store, str(tmp_path / "job"), own).path]
    assert os.listdir(path[0]) == ["one.py"], "a module's file brings nothing that lies beside it"
    assert (path[1] / "package" / "__init__.py").exists()
    assert path[2].name == "two.zip"
    (tmp_path / "one.py").write_text("changed")
    changed = make(Needs(files), store, str(tmp_path / "job"), own).path
    assert changed[0] != str(path[0]) and changed[1:] == tuple(map(str, path[1:]))


def test_a_cached_file_that_can_be_run(store: Store, own: Interpreter, tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("#!/bin/sh\n")
    needs = Needs(cached=(CachedFile(str(tmp_path / "tool"), "t", True), CachedFile(str(tmp_path / "tool"), "u")))
    folder = make(needs, store, str(tmp_path / "job"), own).cache
    assert folder is not None
    assert os.access(f"{folder}/t", os.X_OK) and not os.access(f"{folder}/u", os.X_OK)


@pytest.mark.parametrize(
    ("needs", "says"),
    [
        (Needs(files=("/nowhere.py",)), "the Python file /nowhere.py does not exist"),
        (Needs(archives=(Archive("/nowhere.zip", "a"),)), "the archive /nowhere.zip does not exist"),
        (Needs(cached=(CachedFile("/nowhere", "n"),)), "the cached file /nowhere does not exist"),
        (Needs(cached=(CachedFile("/tmp", "a/b"),)), "cannot be called 'a/b'"),
        (Needs(cached=(CachedFile("/tmp", "a"), CachedFile("/usr", "a"))), "two cached files are called 'a'"),
        (Needs(executable="/nowhere/python"), "the interpreter /nowhere/python does not exist"),
        (Needs(executable="venv.zip/bin/python"), "does not exist, and no archive is unpacked there"),
        (Needs(executable="/bin/false"), "the interpreter /bin/false does not run"),
        (Needs(executable="/etc/passwd"), "is no program that can be run"),
    ],
)
def test_what_is_missing(store: Store, own: Interpreter, tmp_path: Path, needs: Needs, says: str) -> None:
    with pytest.raises(EnvironmentRefused, match=says):
        make(needs, store, str(tmp_path / "job"), own)


def test_archives_in_each_others_folders(store: Store, own: Interpreter, tmp_path: Path) -> None:
    path = str(zipped(tmp_path / "a.zip", "x"))
    for targets, says in ((("d", "d"), "two archives"), (("d", "d/e"), "inside of that of another")):
        needs = Needs(archives=tuple(Archive(path, target) for target in targets))
        with pytest.raises(EnvironmentRefused, match=says):
            make(needs, store, str(tmp_path / "job"), own)


def test_another_minor_version(store: Store, own: Interpreter, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentRefused, match=rf"the workers' Python is {own.minor} .*, the driver's is 3.1"):
        make(Needs(executable=sys.executable), store, str(tmp_path), replace(own, version=(3, 1, 0), executable="x"))


def test_an_interpreter_without_the_projects_packages_gets_them(store: Store, own: Interpreter, tmp_path: Path) -> None:
    bare = ask(sys._base_executable)
    environment = make(Needs(executable=bare.executable), store, str(tmp_path), own)
    assert not environment.same and environment.behind == own.packages


def test_files_from_the_web(tmp_path: Path) -> None:
    import http.server
    import threading

    (tmp_path / "model.txt").write_text("a model")

    class Files(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: object) -> None:
            super().__init__(*args, directory=str(tmp_path))  # type: ignore[arg-type]

        def log_message(self, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    uri = f"http://127.0.0.1:{server.server_port}"
    try:
        needs = fetched(Needs(cached=(CachedFile(f"{uri}/model.txt", "m"),)), str(tmp_path / "job"))
        assert Path(needs.cached[0].path).read_text() == "a model"
        with pytest.raises(EnvironmentRefused, match="cannot be fetched: HTTP Error 404"):
            fetched(Needs(files=(f"{uri}/nothing.py",)), str(tmp_path / "job"))
    finally:
        server.shutdown()
        server.server_close()
    with pytest.raises(EnvironmentRefused, match="cannot be fetched"):
        fetched(Needs(files=("nosuch://host/a.py",)), str(tmp_path / "job"))


def needs(**settings: str) -> Needs:
    return needs_of(Configuration.from_dict({key.replace("__", "."): value for key, value in settings.items()}))


def test_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    found = needs(
        **{
            "python.files": "a.py, b.zip,file:///c.py,s3://bucket/d.py",
            "python.requirements": "req.txt#wheels",
            "python.archives": "a.zip#data,v.tar.gz",
            "python.executable": "v.tar.gz/bin/python",
            "pipeline.cached-files": "name:m,path:file:///m.bin;name:x,path:/x,executable:true",
            "python.pythonpath": "/one:/two",
        }
    )
    assert found == Needs(
        files=(f"{tmp_path}/a.py", f"{tmp_path}/b.zip", "/c.py", "s3://bucket/d.py", "/one", "/two"),
        requirements=f"{tmp_path}/req.txt",
        wheels=f"{tmp_path}/wheels",
        archives=(Archive(f"{tmp_path}/a.zip", "data"), Archive(f"{tmp_path}/v.tar.gz", "v.tar.gz")),
        executable="v.tar.gz/bin/python",
        cached=(CachedFile("/m.bin", "m"), CachedFile("/x", "x", True)),
    )


def test_settings_of_containers() -> None:
    kind, of = "datastream.python.environment", "datastream.python.container."
    found = needs(**{kind: "docker", f"{of}image": "i", f"{of}memory": "2g", f"{of}mounts": "/a,/b:/c:ro"})
    assert found.container == Container("i", memory="2g", mounts=("/a", "/b:/c:ro"))
    assert needs(**{kind: "process"}).container is None
    for wrong, says in (
        ({kind: "vm"}, "must be process or docker"),
        ({kind: "docker"}, "no image is named"),
        ({f"{of}image": "i"}, "workers run as processes"),
        ({"python.archives": "a.zip#../b"}, "not inside"),
        ({"pipeline.cached-files": "m=/x"}, "must be like"),
    ):
        with pytest.raises(ValidationError, match=says):
            needs(**wrong)


def test_odd_things_in_a_folder_of_modules(store: Store, own: Interpreter, tmp_path: Path) -> None:
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "one.py").write_text("")
    (folder / ".#one.py").symlink_to("nobody@nowhere.1")
    (folder / "again").symlink_to(".")
    (folder / "above").symlink_to("..")
    os.mkfifo(folder / "pipe")
    (path,) = make(Needs((str(folder),)), store, str(tmp_path / "job"), own).path
    assert [found.name for found in Path(path).rglob("*")] == ["one.py"]
    with pytest.raises(EnvironmentRefused, match="pipe cannot be read: it is no file"):
        make(Needs(cached=(CachedFile(str(folder / "pipe"), "p"),)), store, str(tmp_path / "job"), own)


def test_settings_count_from_where_the_command_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "python").write_text("")
    given = {
        "python.files": "a.py,s3://b/c.py",
        "python.archives": "d.zip#e",
        "python.requirements": "f.txt#g",
        "python.pythonpath": "h:i",
        "python.executable": "./python",
        "pipeline.cached-files": "name:j,path:k",
        "other": "l",
    }
    fixed = {**given, **absolute(given)}
    before = needs_of(Configuration.from_dict(given))
    monkeypatch.chdir("/")
    assert needs_of(Configuration.from_dict(fixed)) == replace(before, executable=f"{tmp_path}/python")


def test_a_call_with_odd_characters_in_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "a b,c#d"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "requirements.txt").write_text("")
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_python_requirements("requirements.txt", ".")
    assert env._needs().requirements == f"{folder}/requirements.txt" and env._needs().wheels == str(folder)

"""Archives that jobs bring: unpacked whole, or refused with the member to blame."""

from __future__ import annotations

import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from datastream.environments import archives
from datastream.environments.archives import target_of, unpack
from datastream.environments.needs import EnvironmentRefused

Make = Callable[..., Path]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def zipped(path: Path, name: str, data: bytes = b"x", mode: int = 0o644) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = mode << 16
        archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return path


def tarred(path: Path, name: str, data: bytes = b"x", **about: object) -> Path:
    with tarfile.open(path, "w:gz" if path.name.endswith("gz") else "w") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(data) if not about.get("type") else 0
        for key, value in about.items():
            setattr(entry, key, value)
        archive.addfile(entry, io.BytesIO(data))
    return path


@pytest.mark.parametrize("name", ["a.zip", "a.jar", "a.tar", "a.tar.gz", "a.tgz"])
def test_kinds_of_archives(tmp_path: Path, out: Path, name: str) -> None:
    make = zipped if name.endswith(("zip", "jar")) else tarred
    unpack(str(make(tmp_path / name, "bin/tool", b"#!", mode=(stat.S_IFREG if make is zipped else 0) | 0o755)), out)
    assert (out / "bin" / "tool").read_bytes() == b"#!"
    assert os.access(out / "bin" / "tool", os.X_OK)


def test_links_inside_stay(tmp_path: Path, out: Path) -> None:
    unpack(str(tarred(tmp_path / "a.tar", "lib/new", type=tarfile.SYMTYPE, linkname="old")), out)
    assert os.readlink(out / "lib" / "new") == "old"
    (out.parent / "two").mkdir()
    unpack(str(zipped(tmp_path / "a.zip", "lib/new", b"../old", stat.S_IFLNK | 0o777)), out.parent / "two")
    assert os.readlink(out.parent / "two" / "lib" / "new") == "../old"


@pytest.mark.parametrize(
    ("name", "make", "member"),
    [
        ("a.zip", lambda path: zipped(path, "../evil"), "../evil"),
        ("a.zip", lambda path: zipped(path, "/etc/evil"), "/etc/evil"),
        ("a.zip", lambda path: zipped(path, "a\\..\\..\\evil"), "evil"),
        ("a.zip", lambda path: zipped(path, "link", b"/etc", stat.S_IFLNK | 0o777), "'link' is a link to /etc"),
        ("a.zip", lambda path: zipped(path, "d/link", b"../../x", stat.S_IFLNK | 0o777), "'d/link' is a link to"),
        ("a.tar", lambda path: tarred(path, "../evil"), "../evil"),
        ("a.tar", lambda path: tarred(path, "link", type=tarfile.SYMTYPE, linkname="/etc"), "a link to /etc"),
        ("a.tar", lambda path: tarred(path, "link", type=tarfile.LNKTYPE, linkname="../x"), "a link to ../x"),
        ("a.tar", lambda path: tarred(path, "null", type=tarfile.CHRTYPE), "null"),
    ],
)
def test_what_leads_out_is_refused(
    tmp_path: Path, out: Path, name: str, make: Callable[[Path], Path], member: str
) -> None:
    with pytest.raises(EnvironmentRefused, match="is refused: its member") as refused:
        unpack(str(make(tmp_path / name)), out)
    assert member in str(refused.value) and name in str(refused.value)


def test_the_interpreter_of_an_ordinary_venv_says_what_to_do(tmp_path: Path, out: Path) -> None:
    archive = tarred(tmp_path / "venv.tar", "bin/python3", type=tarfile.SYMTYPE, linkname="/usr/bin/python3")
    with pytest.raises(EnvironmentRefused, match="--copies"):
        unpack(str(archive), out)


@pytest.mark.parametrize("name", ["bomb.zip", "bomb.tar.gz"])
def test_bombs_are_refused(tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(archives, "_LEAST_LIMIT", 1 << 20)
    make = zipped if name.endswith("zip") else tarred
    bomb = make(tmp_path / name, "zeros", bytes(20 << 20))
    with pytest.raises(EnvironmentRefused, match=f"{name} is refused: it unpacks to more than"):
        unpack(str(bomb), out)
    assert sum(file.stat().st_size for file in out.rglob("*") if file.is_file()) < 4 << 20


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "a.rar"])
def test_what_is_no_archive_is_refused(tmp_path: Path, out: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"nothing of the kind")
    with pytest.raises(EnvironmentRefused, match=name):
        unpack(str(tmp_path / name), out)


def test_target_directories() -> None:
    assert target_of("data") == target_of("./data/") == "data"
    assert target_of("a/./b") == "a/b"
    for wrong in ("", ".", "/data", "..", "a/../../b"):
        with pytest.raises(EnvironmentRefused, match="not inside of the workers' own folder"):
            target_of(wrong)


def test_damaged_archives_are_refused(tmp_path: Path, out: Path) -> None:
    data = os.urandom(20_000)
    for path in (zipped(tmp_path / "a.zip", "x", data), tarred(tmp_path / "a.tar.gz", "x", data)):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 0xFF
        path.write_bytes(bytes(content))
        with pytest.raises(EnvironmentRefused, match=f"{path.name} cannot be read"):
            unpack(str(path), out)


def test_links_that_lead_out_by_way_of_each_other(tmp_path: Path, out: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name, link in (("s1/s2/s3/d", "../../.."), ("e", "s1/s2/s3/d/../../../..")):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(entry, link)
    with pytest.raises(EnvironmentRefused, match="leads out of it"):
        unpack(str(tmp_path / "a.zip"), out)

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
        ("a.tar", lambda path: tarred(path, "null", type=tarfile.CHRTYPE), "'null' is a special file"),
        ("a.tar", lambda path: tarred(path, "pipe", type=tarfile.FIFOTYPE), "'pipe' is a special file"),
        ("a.tar", lambda path: tarred(path, "d/link", type=tarfile.SYMTYPE, linkname="../.."), "a link to ../.."),
        ("a.tar", lambda path: tarred(path, "/etc/evil"), "/etc/evil"),
        ("a.tar", lambda path: tarred(path, "../evil", type=tarfile.DIRTYPE), "../evil"),
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
    links = (("s1/s2/s3/d", "../../.."), ("e", "s1/s2/s3/d/../../../.."))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zip_file:
        for name, link in links:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (stat.S_IFLNK | 0o777) << 16
            zip_file.writestr(entry, link)
    with tarfile.open(tmp_path / "a.tar", "w") as tar_file:
        for name, link in links:
            tar_file.addfile(linked(name, link))
    for name in ("a.zip", "a.tar"):
        with pytest.raises(EnvironmentRefused, match="leads out of it"):
            unpack(str(tmp_path / name), out)


def linked(name: str, to: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    link = tarfile.TarInfo(name)
    link.type, link.linkname = kind, to
    return link


def test_a_tar_file_as_tar_makes_it(tmp_path: Path, out: Path) -> None:
    """Folders, times, modes, hard and symbolic links, names that are no UTF-8, a file that comes twice."""
    made = tmp_path / "made"
    (made / "bin").mkdir(parents=True)
    (made / "bin" / "python").write_text("#!")
    (made / "bin" / "python").chmod(0o750)
    os.symlink("python", made / "bin" / "python3")
    os.symlink("bin", made / "also")
    os.link(made / "bin" / "python", made / "twin")
    Path(os.fsdecode(bytes(made) + b"/\xff\\x")).write_text("name")
    os.utime(made / "bin" / "python", (1_000_000_000, 1_000_000_000))
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as archive:
        archive.add(made, ".")
        archive.add(made / "bin" / "python", "./bin/python")
    unpack(str(tmp_path / "a.tgz"), out)
    assert sorted(os.listdir(os.fsencode(out))) == [b"also", b"bin", b"twin", b"\xff\\x"]
    assert (out / "also" / "python3").read_text() == (out / "twin").read_text() == "#!"
    assert os.access(out / "bin" / "python", os.X_OK)
    assert (out / "bin" / "python").stat().st_mtime == 1_000_000_000


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ((linked("twin", "gone", tarfile.LNKTYPE),), "is a link to gone, which is not a file in it"),
        ((linked("a", "x"), linked("twin", "..a/b", tarfile.LNKTYPE)), "which is not a file in it"),
        ((tarfile.TarInfo("a"), tarfile.TarInfo("a/b")), "cannot be read"),
        ((tarfile.TarInfo("a/b"), tarfile.TarInfo("a")), "cannot be read"),
        ((linked("d/x", "x"), linked("twin", "d", tarfile.LNKTYPE)), "is a link to d, which is not a file in it"),
        ((linked("l", ""),), "its member 'l' is a link to nothing"),
        ((tarfile.TarInfo("a" * 300),), "name or link is too long"),
        ((linked("l", "a" * 5000),), "name or link is too long"),
        ((linked("l", "../..", tarfile.LNKTYPE),), "leads out of it"),
        ((linked("d/l", "..", tarfile.SYMTYPE), linked("l", "d/l", tarfile.LNKTYPE)), "leads out of it"),
    ],
)
def test_members_that_do_not_fit_together(
    tmp_path: Path, out: Path, members: tuple[tarfile.TarInfo, ...], why: str
) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for member in members:
            archive.addfile(member)
    with pytest.raises(EnvironmentRefused, match=why):
        unpack(str(tmp_path / "a.tar"), out)


def test_nothing_is_written_through_a_link(tmp_path: Path, out: Path) -> None:
    outside = tmp_path / "outside"
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        archive.addfile(linked("d/up", ".."))
        archive.addfile(linked("d/up/up", ".."))
        archive.addfile(tarfile.TarInfo("d/up/up/outside"))
    unpack(str(tmp_path / "a.tar"), out)
    assert not outside.exists() and (out / "d" / "up" / "up" / "outside").is_file()

"""Archives, unpacked: nothing outside their folder, and no more than is bearable."""

from __future__ import annotations

import gzip
import lzma
import os
import shutil
import stat
import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from .content import content_of
from .needs import EnvironmentRefused

_TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_ZIPS = (".zip", ".jar", ".egg", ".whl")
#: An archive is refused if it unpacks to more than both of these: a folder of packages compresses to a quarter.
_LEAST_LIMIT = 1 << 30
_TIMES = 100
_MEMBERS = 500_000
_CHUNK = 1 << 20
#: What the readers raise for archives that are damaged, encrypted, or packed in ways that they do not know.
_DAMAGED = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    tarfile.TarError,
    gzip.BadGzipFile,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    RuntimeError,
)


def is_archive(path: str) -> bool:
    """Whether a file's name is that of an archive."""
    return path.lower().endswith((*_TARS, *_ZIPS))


def target_of(target: str) -> str:
    """The target folder, normalised.

    Raises:
        EnvironmentRefused: It is not below the workers' own folder.
    """
    path = PurePosixPath(target)
    parts = [part for part in path.parts if part != "."]
    if path.is_absolute() or ".." in parts or not parts or "\0" in target:
        raise EnvironmentRefused(
            f"the target directory {target!r} of an archive is not inside of the workers' own folder; give a relative "
            "path such as 'data'"
        )
    return "/".join(parts)


def unpack(path: str, folder: Path) -> None:
    """Unpack an archive into an empty folder.

    Raises:
        EnvironmentRefused: It is no archive, damaged, too large, or has members or links that lead out of it.
    """
    limit = max(_LEAST_LIMIT, _TIMES * os.path.getsize(path))
    try:
        if path.lower().endswith(_TARS):
            _unpack_tar(path, folder, limit)
        elif path.lower().endswith(_ZIPS) or zipfile.is_zipfile(path):
            _unpack_zip(path, folder, limit)
        elif tarfile.is_tarfile(path):
            _unpack_tar(path, folder, limit)
        else:
            raise EnvironmentRefused(f"{path} is no archive of a known kind: zip, jar, tar, tar.gz, tgz")
    except tarfile.FilterError as error:
        raise _leads_out(path, error.tarinfo.name) from error
    except _DAMAGED as error:
        raise EnvironmentRefused(f"the archive {path} cannot be read: {error}") from error


def _leads_out(path: str, member: str, link: str = "") -> EnvironmentRefused:
    how = f" is a link to {link}, which" if link else ""
    hint = ""
    if link.startswith("/") and PurePosixPath(member).name.startswith("python"):
        hint = "\n  make the environment with its own interpreter (python -m venv --copies), or pack it with venv-pack"
    return EnvironmentRefused(f"the archive {path} is refused: its member {member!r}{how} leads out of it{hint}")


def _too_large(path: str, limit: int) -> EnvironmentRefused:
    return EnvironmentRefused(f"the archive {path} is refused: it unpacks to more than {limit >> 20:,} MiB")


def _unpack_tar(path: str, folder: Path, limit: int) -> None:
    with tarfile.open(path) as archive:
        size = 0
        for number, member in enumerate(archive):
            size += max(0, member.size)
            if size > limit or number > _MEMBERS:
                raise _too_large(path, limit)
            if member.islnk() or member.issym():
                within = PurePosixPath(member.name).parent / member.linkname if member.issym() else member.linkname
                if os.path.isabs(member.linkname) or os.path.normpath(within).startswith(".."):
                    raise _leads_out(path, member.name, member.linkname)
            archive.extract(member, folder, filter="data")
            archive.members = []  # type: ignore[attr-defined]  # else all headers stay in memory
        while rest := len(archive.fileobj.read(_CHUNK)) if archive.fileobj else 0:  # to where the checksum is
            size += rest
            if size > limit:
                raise _too_large(path, limit)


def _unpack_zip(path: str, folder: Path, limit: int) -> None:
    links = []
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) > _MEMBERS:
            raise _too_large(path, limit)
        room = limit
        for member in members:
            target = _inside(path, folder, member.filename)
            mode = member.external_attr >> 16
            if member.is_dir():
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            if stat.S_ISLNK(mode):
                if member.file_size > 4096:
                    raise _leads_out(path, member.filename)
                links.append((member.filename, target, os.fsdecode(archive.read(member))))
                continue
            with archive.open(member) as source, open(target, "wb") as out:
                while chunk := source.read(_CHUNK):
                    room -= len(chunk)
                    if room < 0:
                        raise _too_large(path, limit)
                    out.write(chunk)
            if mode & 0o111:
                target.chmod(0o755)
    for name, target, link in links:  # behind all files, so that none is written through one
        if os.path.isabs(link) or os.path.normpath(PurePosixPath(name).parent / link).startswith(".."):
            raise _leads_out(path, name, link)
        if target.is_symlink() or target.exists():
            continue
        os.symlink(link, target)
    root = os.path.realpath(folder)
    for name, target, link in links:  # by way of each other, they may
        if not f"{os.path.realpath(target)}/".startswith(f"{root}/"):
            raise _leads_out(path, name, link)


def _inside(path: str, folder: Path, member: str) -> Path:
    """Where a member goes, if that is in the folder."""
    parts = PurePosixPath(member.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or "\0" in member:
        raise _leads_out(path, member)
    target = folder.joinpath(*parts.parts)
    if target == folder and not member.endswith("/"):
        raise _leads_out(path, member)
    return target


def copy(path: str, folder: Path) -> None:
    """Copy a file or folder into a folder, under its own name."""
    target = folder / os.path.basename(os.path.normpath(path))
    if os.path.isdir(path):
        target.mkdir()
        for name in content_of(path):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(os.path.join(path, name), target / name)
    else:
        shutil.copy2(path, target)

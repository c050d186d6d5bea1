"""Archives, unpacked: nothing outside their folder, and no more than is bearable."""

from __future__ import annotations

import contextlib
import errno
import gzip
import lzma
import os
import shutil
import stat
import tarfile
import zipfile
import zlib
from dataclasses import dataclass
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
    FileExistsError,
    IsADirectoryError,
    NotADirectoryError,
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
    except _DAMAGED as error:
        raise EnvironmentRefused(f"the archive {path} cannot be read: {error}") from error
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise EnvironmentRefused(f"the archive {path} is refused: a member's name or link is too long") from error


def _leads_out(path: str, member: str, link: str = "") -> EnvironmentRefused:
    how = f" is a link to {link}, which" if link else ""
    hint = ""
    if link.startswith("/") and PurePosixPath(member).name.startswith("python"):
        hint = "\n  make the environment with its own interpreter (python -m venv --copies), or pack it with venv-pack"
    return EnvironmentRefused(f"the archive {path} is refused: its member {member!r}{how} leads out of it{hint}")


def _too_large(path: str, limit: int) -> EnvironmentRefused:
    return EnvironmentRefused(f"the archive {path} is refused: it unpacks to more than {limit >> 20:,} MiB")


def _unpack_tar(path: str, folder: Path, limit: int) -> None:
    links = []
    with tarfile.open(path) as archive:
        size = 0
        for number, member in enumerate(archive):
            size += max(0, member.size)
            if size > limit or number > _MEMBERS:
                raise _too_large(path, limit)
            target = _inside(path, folder, f"{member.name}/" if member.isdir() else member.name)
            if member.isdir():
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            if member.islnk() or member.issym():
                links.append(_Link(member.name, target, member.linkname, is_hard=member.islnk()))
                continue
            source = archive.extractfile(member)
            if source is None:
                raise EnvironmentRefused(f"the archive {path} is refused: its member {member.name!r} is a special file")
            with source, open(target, "wb") as out:
                shutil.copyfileobj(source, out, _CHUNK)
            if member.mode & 0o111:
                target.chmod(0o755)
            with contextlib.suppress(OverflowError):  # compiled modules hold the time of their source
                os.utime(target, (member.mtime, member.mtime))
            archive.members = []  # type: ignore[attr-defined]  # else all headers stay in memory
        while rest := len(archive.fileobj.read(_CHUNK)) if archive.fileobj else 0:  # to where the checksum is
            size += rest
            if size > limit:
                raise _too_large(path, limit)
    _make_links(path, folder, links)


def _unpack_zip(path: str, folder: Path, limit: int) -> None:
    links = []
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) > _MEMBERS:
            raise _too_large(path, limit)
        room = limit
        for member in members:
            target = _inside(path, folder, member.filename.replace("\\", "/"))
            mode = member.external_attr >> 16
            if member.is_dir():
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            if stat.S_ISLNK(mode):
                if member.file_size > 4096:
                    raise _leads_out(path, member.filename)
                links.append(_Link(member.filename, target, os.fsdecode(archive.read(member))))
                continue
            with archive.open(member) as source, open(target, "wb") as out:
                while chunk := source.read(_CHUNK):
                    room -= len(chunk)
                    if room < 0:
                        raise _too_large(path, limit)
                    out.write(chunk)
            if mode & 0o111:
                target.chmod(0o755)
    _make_links(path, folder, links)


@dataclass(frozen=True)
class _Link:
    """A member that is a link; a hard one names another member of the archive."""

    name: str
    target: Path
    to: str
    is_hard: bool = False


def _make_links(path: str, folder: Path, links: list[_Link]) -> None:
    """Make the links, after all files and folders, so that nothing is written through one."""
    for link in links:
        if not link.to or "\0" in link.to:
            what = f"its member {link.name!r} is a link to nothing"
            raise EnvironmentRefused(f"the archive {path} cannot be read: {what}")
        within = link.to if link.is_hard else PurePosixPath(link.name).parent / link.to
        if os.path.isabs(link.to) or os.path.normpath(within).split("/")[0] == "..":
            raise _leads_out(path, link.name, link.to)
        if link.target.is_symlink() or link.target.exists():
            continue
        if link.is_hard:
            try:
                os.link(folder / link.to, link.target, follow_symlinks=False)
            except (FileNotFoundError, PermissionError) as error:  # there is none, or it is a folder
                what = f"its member {link.name!r} is a link to {link.to}, which is not a file in it"
                raise EnvironmentRefused(f"the archive {path} cannot be read: {what}") from error
        else:
            os.symlink(link.to, link.target)
    root = os.path.realpath(folder)
    for link in links:  # by way of each other, they may
        if not f"{os.path.realpath(link.target)}/".startswith(f"{root}/"):
            raise _leads_out(path, link.name, link.to)


def _inside(path: str, folder: Path, member: str) -> Path:
    """Where a member goes, if that is in the folder; a folder's name ends with a slash."""
    parts = PurePosixPath(member)
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

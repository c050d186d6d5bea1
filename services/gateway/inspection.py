"""A program of its own that looks into an uploaded file, within limits of memory and time.

``python inspection.py FILE NAME BYTES MEMBERS`` prints ``{"kind": ..., "entries": [...]}``, or
``{"status": 400, "refused": why}``. Parsers take far more memory than what they parse, some of it before anybody could
look at sizes; here that ends this process, and nothing else.
"""

from __future__ import annotations

import ast
import json
import os
import resource
import sys
import tarfile
import warnings
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

SCRIPT, ARCHIVE = "script", "archive"
#: Address space, processor time and open files of this process.
_MEMORY_BYTES, _CPU_S, _FILES = 512 << 20, 20, 64
#: A longer script is none: Python's parser would need a thousand times as much memory.
_SCRIPT_BYTES = 1 << 20
_TARS = (".tar.gz", ".tgz", ".tar")
#: Headers that tell about the next file, such as its long name, and bytes of one.
_ABOUT = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
_ABOUT_BYTES = 1 << 20
#: Modules of an archive that are reported, and characters of each one's name.
_ENTRIES, _ENTRY_CHARS = 1000, 200


class Harmful(Exception):
    """A file that is not taken.

    Args:
        status: HTTP's status code.
        text: Why.
    """

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


def main(file: Path, name: str, most_bytes: int, most_members: int) -> dict[str, Any]:
    """What is to be printed."""
    try:
        if name.lower().endswith(".py"):
            _check_script(file, name)
            return {"kind": SCRIPT, "entries": ["__main__"]}
        return {"kind": ARCHIVE, "entries": _entries(_members(file, name, most_bytes, most_members))}
    except Harmful as error:
        return {"status": error.status, "refused": error.text}
    except (MemoryError, OverflowError):
        return {"status": 413, "refused": f"{name} is refused: to look into it takes too much memory"}
    except Exception as error:  # zipfile, tarfile, zlib and lzma have no base class in common
        why = str(error).partition("\n")[0].rstrip(":")[:500] or type(error).__name__
        return {"status": 400, "refused": f"{name} is no archive that can be read: {why}"}


def _check_script(file: Path, name: str) -> None:
    if file.stat().st_size > _SCRIPT_BYTES:
        raise Harmful(413, f"{name} has more than {_SCRIPT_BYTES:,} bytes, too many for a script; upload an archive")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(file.read_bytes(), name)
    except SyntaxError as error:
        where = f", line {error.lineno}" if error.lineno else ""
        raise Harmful(400, f"{name} is no Python script{where}: {error.msg}") from error
    except (ValueError, RecursionError, SystemError) as error:
        raise Harmful(400, f"{name} is no Python script: {str(error) or type(error).__name__}") from error


def _members(file: Path, name: str, most_bytes: int, most_members: int) -> list[str]:
    """The names of an archive's files, each of them checked."""
    sizes = _Sizes(name, most_bytes, most_members)
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as packed:
            for info in packed.infolist():
                sizes.add(info.file_size)
                if info.external_attr >> 16 & 0o170000 == 0o120000:
                    raise Harmful(400, f"{name}: {info.filename[:200]!r} is a link; an archive holds files and folders")
                if info.flag_bits & 1:
                    raise Harmful(400, f"{name}: {info.filename[:200]!r} is encrypted")
            return [_inside(info.filename, name) for info in packed.infolist()]
    if not name.lower().endswith(_TARS):
        raise Harmful(400, f"{name} is no zip file")
    with file.open("rb") as raw:
        is_packed = raw.read(2) == b"\x1f\x8b"
    names = []
    with tarfile.open(file, "r:gz" if is_packed else "r:", tarinfo=_Header) as tar:
        for member in tar:
            sizes.add(member.size)
            path = _inside(member.name, name)
            if member.issym() or member.islnk():
                _check_link(member, name)
            elif member.isfile():
                names.append(path)
            elif not member.isdir():
                raise Harmful(
                    400, f"{name}: {member.name[:200]!r} is a special file; an archive holds files and folders"
                )
    if not sizes.members:
        raise ValueError("it has no member")
    return names


class _Header(tarfile.TarInfo):
    """A header of a tar file; one that tells about the next is looked at before it is read."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Header:
        header = super().frombuf(buf, encoding, errors)
        if header.size < 0:
            raise Harmful(400, f"it is no archive that can be read: a header claims {header.size} bytes")
        if header.type in _ABOUT and header.size > _ABOUT_BYTES:
            raise Harmful(413, f"it is refused: a header has more than {_ABOUT_BYTES:,} bytes")
        return header


class _Sizes:
    """Adds up what an archive holds, as it is read."""

    def __init__(self, name: str, most_bytes: int, most_members: int) -> None:
        self._name, self._most_bytes, self._most_members = name, most_bytes, most_members
        self._bytes = self.members = 0

    def add(self, size: int) -> None:
        if size < 0:
            raise Harmful(400, f"{self._name} is no archive that can be read: a file of it has {size} bytes")
        self._bytes += size
        self.members += 1
        if self._bytes > self._most_bytes:
            text = f"its files have more than {self._most_bytes:,} bytes when unpacked"
            raise Harmful(413, f"{self._name} is refused: {text}")
        if self.members > self._most_members:
            raise Harmful(413, f"{self._name} is refused: it holds more than {self._most_members:,} files")


def _check_link(member: tarfile.TarInfo, name: str) -> None:
    link = member.linkname
    within = link if member.islnk() else PurePosixPath(member.name).parent / link
    if os.path.isabs(link) or os.path.normpath(within).split("/")[0] == "..":
        what = "an absolute path" if os.path.isabs(link) else "what lies outside its folder"
        raise Harmful(400, f"{name}: {member.name[:200]!r} is a link to {what}")


def _inside(member: str, name: str) -> str:
    path = PurePosixPath(member.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or "\0" in member:
        raise Harmful(400, f"{name}: its file {member[:200]!r} would lie outside the folder it is unpacked to")
    return str(path)


def _entries(names: Iterable[str]) -> list[str]:
    """The modules that can be run."""
    found = []
    for name in names:
        parts = PurePosixPath(name).parts
        if parts[-1:] == ("__main__.py",) and len(parts) <= 2 and all(part.isidentifier() for part in parts[:-1]):
            found.append(".".join(parts[:-1]) or "__main__")
    short = [entry for entry in found if len(entry) <= _ENTRY_CHARS]
    return sorted(short, key=lambda entry: (entry != "__main__", entry))[:_ENTRIES]


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_FILES, _FILES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    _limit()
    answer = main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    sys.stdout.write(json.dumps(answer))
    sys.stdout.flush()
    os._exit(0)  # what was parsed is not worth being taken apart

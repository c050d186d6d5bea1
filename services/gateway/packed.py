"""Whether an uploaded file is what its name says, and can do no harm when it is unpacked."""

from __future__ import annotations

import ast
import re
import tarfile
import warnings
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .answers import Refused
from .archive_headers import TooMuch, check_tar, check_zip

SCRIPT, ARCHIVE = "script", "archive"
_ARCHIVES = (".zip", ".pyz", ".whl", ".tar.gz", ".tgz", ".tar")
#: A longer script is none: Python's parser would need a thousand times as much memory.
_SCRIPT_BYTES = 1 << 20
_NAME = re.compile(r"[\w][\w .+@=()-]{0,199}")
_NAME_BYTES = 200
_FOLDER = "/nowhere"


@dataclass(frozen=True)
class Contents:
    """What is in an artifact.

    Attributes:
        kind: ``script`` or ``archive``.
        entries: Modules that can be run: ``__main__`` and packages with one.
    """

    kind: str
    entries: tuple[str, ...]


@dataclass(frozen=True)
class UnpackLimits:
    """How large an archive may become.

    Attributes:
        bytes: Of all its files together.
        members: Files and folders.
    """

    bytes: int
    members: int = 20_000


def checked_name(name: str | None) -> str:
    """The name, if a file may have it.

    Raises:
        Refused: It has none, it would leave its folder, or it has no suffix of an artifact.
    """
    if not name:
        raise Refused(400, "the artifact has no name: give ?name=job.py, or upload it as a form with a file")
    if not _NAME.fullmatch(name) or ".." in name or len(name.encode("utf-8", "replace")) > _NAME_BYTES:
        raise Refused(
            400,
            "an artifact's name is a plain file name: letters, digits and . _ - + = @ ( ), up to 200 bytes, "
            f"without folders; got {name[:200]!r}",
        )
    if name.lower().endswith(".jar"):
        raise Refused(415, "a jar cannot be run here: jobs are Python scripts or archives, and need no connector jars")
    if not name.lower().endswith((".py", *_ARCHIVES)):
        raise Refused(415, f"{name!r}: an artifact is a .py script or an archive ({', '.join(_ARCHIVES)})")
    return name


def look_into(file: Path, name: str, limits: UnpackLimits) -> Contents:
    """Check an uploaded file.

    Raises:
        Refused: It is not what its name says, is damaged, or would do harm when it is unpacked.
    """
    if name.lower().endswith(".py"):
        _check_script(file, name)
        return Contents(SCRIPT, ("__main__",))
    try:
        names = _members(file, name, limits)
    except Refused:
        raise
    except TooMuch as error:
        raise Refused(413, f"{name} is refused: {error}") from error
    except Exception as error:  # zipfile, tarfile, zlib and lzma have no base class in common
        why = str(error).partition("\n")[0].rstrip(":") or type(error).__name__
        raise Refused(400, f"{name} is no archive that can be read: {why}") from error
    return Contents(ARCHIVE, _entries(names))


def _check_script(file: Path, name: str) -> None:
    if file.stat().st_size > _SCRIPT_BYTES:
        raise Refused(413, f"{name} has more than {_SCRIPT_BYTES:,} bytes, too many for a script; upload an archive")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(file.read_bytes(), name)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        where = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        what = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        raise Refused(400, f"{name} is no Python script{where}: {what}") from error


def _members(file: Path, name: str, limits: UnpackLimits) -> list[str]:
    """The names of an archive's files, each of them checked."""
    if zipfile.is_zipfile(file):
        check_zip(file)
        with zipfile.ZipFile(file) as packed:
            infos = packed.infolist()
            _check_size(name, [info.file_size for info in infos], limits)
            for info in infos:
                if info.external_attr >> 16 & 0o170000 == 0o120000:
                    raise Refused(400, f"{name}: {info.filename[:200]!r} is a link; an archive holds files and folders")
                if info.flag_bits & 1:
                    raise Refused(400, f"{name}: {info.filename[:200]!r} is encrypted")
            return [_inside(info.filename, name) for info in infos]
    if name.lower().endswith((".tar.gz", ".tgz", ".tar")):
        names = []
        check_tar(file, limits.bytes, limits.members)
        with tarfile.open(file, "r:*") as tar:
            for member in tar:
                try:
                    tarfile.data_filter(member, _FOLDER)
                except tarfile.FilterError as error:
                    raise Refused(400, f"{name}: {str(error).replace(_FOLDER, 'its folder')}") from error
                if member.isfile():
                    names.append(_inside(member.name, name))
        return names
    raise Refused(400, f"{name} is no zip file")


def _check_size(name: str, sizes: Sequence[int], limits: UnpackLimits) -> None:
    if sum(sizes) > limits.bytes:
        raise Refused(413, f"{name} is refused: its files have more than {limits.bytes:,} bytes when unpacked")
    if len(sizes) > limits.members:
        raise Refused(413, f"{name} is refused: it holds more than {limits.members:,} files")


def _inside(member: str, name: str) -> str:
    path = PurePosixPath(member.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or "\0" in member:
        raise Refused(400, f"{name}: its file {member[:200]!r} would lie outside the folder it is unpacked to")
    return str(path)


def _entries(names: Iterable[str]) -> tuple[str, ...]:
    """The modules that can be run."""
    found = []
    for name in names:
        parts = PurePosixPath(name).parts
        if parts[-1:] == ("__main__.py",) and len(parts) <= 2 and all(part.isidentifier() for part in parts[:-1]):
            found.append(".".join(parts[:-1]) or "__main__")
    return tuple(sorted(found, key=lambda entry: (entry != "__main__", entry)))

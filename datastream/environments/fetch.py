"""Files from other file systems and from the web, for a job that names them by a URI. Only drivers do this."""

from __future__ import annotations

import os
import shutil
import urllib.parse
from dataclasses import replace
from typing import Any

from .content import digest
from .needs import EnvironmentRefused, Needs, is_remote
from .secret_values import hide

_WEB = ("http", "https")
_LIMIT_S = 60


def local_path(path: str) -> str:
    """A path or a URI of this machine's file system as an absolute path; another URI as it is."""
    if is_remote(path):
        return path
    if path.lower().startswith("file:"):
        path = urllib.parse.unquote(urllib.parse.urlsplit(path).path)
    return os.path.abspath(path)


def fetched(needs: Needs, folder: str) -> Needs:
    """Needs with all files on this machine.

    Args:
        needs: What a job brings.
        folder: Where files from elsewhere go.

    Raises:
        EnvironmentRefused: A file cannot be had.
    """

    def here(path: str) -> str:
        return fetch(path, folder) if is_remote(path) else path

    return replace(
        needs,
        files=tuple(map(here, needs.files)),
        requirements=None if needs.requirements is None else here(needs.requirements),
        wheels=None if needs.wheels is None else here(needs.wheels),
        archives=tuple(replace(one, path=here(one.path)) for one in needs.archives),
        cached=tuple(replace(one, path=here(one.path)) for one in needs.cached),
    )


def fetch(uri: str, folder: str) -> str:
    """Copy a file, or all files of a folder, to this machine; where it is then.

    Args:
        uri: ``http``, ``https``, or of a file system that pyarrow knows, such as ``s3``, ``gs``, ``abfs`` and ``hdfs``.
        folder: Where it goes.

    Raises:
        EnvironmentRefused: It cannot be had.
    """
    name = os.path.basename(urllib.parse.unquote(urllib.parse.urlsplit(uri).path).rstrip("/"))
    target = os.path.join(folder, "fetched", digest(uri)[:8], name or "file")
    os.makedirs(os.path.dirname(target), exist_ok=True)
    try:
        if uri.partition("://")[0].lower() in _WEB:
            _download(uri, target)
        else:
            _copy(uri, target)
    except EnvironmentRefused:
        raise
    except Exception as error:  # file systems raise errors of many kinds
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise EnvironmentRefused(f"{hide(uri)} cannot be fetched: {hide(why)}") from None
    return target


def _download(uri: str, target: str) -> None:
    import urllib.request  # takes 30 ms, and few jobs want it

    parts = urllib.parse.urlsplit(uri)
    request = urllib.request.Request(urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])))
    if "@" in parts.netloc:
        import base64

        credentials = urllib.parse.unquote(parts.netloc.rpartition("@")[0])
        request.add_header("Authorization", f"Basic {base64.b64encode(credentials.encode()).decode()}")
    with urllib.request.urlopen(request, timeout=_LIMIT_S) as answer, open(target, "wb") as out:
        shutil.copyfileobj(answer, out, 1 << 20)


def _copy(uri: str, target: str) -> None:
    from pyarrow import fs

    system, path = fs.FileSystem.from_uri(uri)
    facts: Any = system.get_file_info(path)
    if facts.type == fs.FileType.NotFound:
        raise EnvironmentRefused(f"{hide(uri)} does not exist")
    fs.copy_files(path, target, source_filesystem=system, destination_filesystem=fs.LocalFileSystem())

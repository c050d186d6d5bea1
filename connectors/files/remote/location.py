"""What a URI names, and how it is reached."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote

from datastream.errors import ValidationError

_QUERY = re.compile(r"\?(?=[A-Za-z_][\w.-]*=)")
_REMOTE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


@dataclass(frozen=True)
class Location:
    """A file or folder on a remote file system.

    Attributes:
        uri: Without user, password and options, so that anybody may see it; without ``/`` at its end.
        access: What the URI said of user, password and options: never shown.
    """

    uri: str
    access: str = field(default="", repr=False)

    @property
    def scheme(self) -> str:
        """Such as ``s3``, in lower case."""
        return self.uri.partition("://")[0]

    @property
    def authority(self) -> str:
        """The bucket or the host with its port."""
        return self.uri.partition("://")[2].partition("/")[0]

    @property
    def root(self) -> str:
        """Scheme and authority, such as ``s3://bucket``."""
        return f"{self.scheme}://{self.authority}"

    @property
    def path(self) -> str:
        """What is behind the authority, without ``/`` at its start."""
        return self.uri[len(self.root) :].lstrip("/")

    @property
    def user(self) -> tuple[str, str]:
        """User and password of the URI; empty where it has none."""
        name, _, password = self.access.partition("@")[0].partition(":")
        return unquote(name), unquote(password)

    @property
    def query(self) -> str:
        """What was behind ``?``."""
        return self.access.partition("@")[2]

    @property
    def options(self) -> dict[str, str]:
        """The options after ``?``."""
        # A + stays one: keys of S3 may have it.
        return dict(parse_qsl(self.query.replace("+", "%2B"), keep_blank_values=True))

    @property
    def full_uri(self) -> str:
        """With user, password and options: for the library that reads it, not to be shown."""
        user, _, query = self.access.partition("@")
        address = self.uri.partition("://")[2]
        return f"{self.scheme}://{user + '@' if user else ''}{address}{'?' + query if query else ''}"

    def at(self, uri: str) -> Location:
        """Another file of the same file system."""
        return Location(uri, self.access)

    def below(self, path: str) -> Location:
        """A file below this one."""
        return Location(f"{self.uri}/{path}" if path else self.uri, self.access)


def is_remote(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a URI of a file system that is not mounted; ``file:`` URIs are local."""
    found = _REMOTE.match(os.fspath(path))
    return found is not None and found[1].lower() != "file"


def parse_location(uri: str) -> Location:
    """The location of a URI ``scheme://[user[:password]@]authority/path[?option=value&...]``.

    Raises:
        ValidationError: it has no authority.
    """
    found = _REMOTE.match(uri)
    assert found is not None, "is_remote says whether it is one"
    scheme, rest = found[1].lower(), uri[found.end() :]
    query = ""
    marks = [mark.start() for mark in _QUERY.finditer(rest)]
    if marks:
        rest, query = rest[: marks[0]], rest[marks[0] + 1 :]
    authority, slash, path = rest.partition("/")
    user, at, host = authority.rpartition("@")
    if scheme in ("abfs", "abfss"):
        user, at, host = "", "", authority  # container@account is no user
    if not host and scheme not in ("hdfs", "memory"):
        raise ValidationError(f"the URI {scheme}://{slash}{path} names no bucket or host")
    access = f"{user}@{query}" if at or query else ""
    return Location(f"{scheme}://{host}{slash}{path}".rstrip("/"), access)

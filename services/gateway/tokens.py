"""Bearer tokens. The database has their hashes; a token is shown once, when it is made."""

from __future__ import annotations

import hashlib
import re
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, delete, insert, select

from datastream.errors import ValidationError

from .database import Database, tokens

READ, WRITE = "read", "write"
SCOPES = (READ, WRITE)

#: So that a leaked one is found by scanners, and known by people.
_PREFIX = "dsg_"
_FORM = re.compile(_PREFIX + r"[A-Za-z0-9_-]{43}")
#: The scope of a token that may only fetch an artifact begins so; its id follows.
_ARTIFACT = "artifact:"
#: An expired token is deleted so much later, as a clock may jump.
_KEPT_MS = 24 * 3600 * 1000
#: A token that was revoked counts no longer than this.
_REMEMBERED_S = 5.0


@dataclass(frozen=True)
class Token:
    """What is known of a token.

    Attributes:
        id: For `revoke`.
        name: For people.
        scopes: ``read``, or ``read`` and ``write``; or the one artifact that it may fetch.
        created_ms: When it was made.
        expires_ms: Until when it counts; None: without end.
    """

    id: str
    name: str
    scopes: tuple[str, ...]
    created_ms: int = 0
    expires_ms: int | None = None

    def may(self, scope: str, path: str) -> bool:
        """Whether a request may be made.

        Args:
            scope: That it needs.
            path: Of its URL. A token for one artifact fetches that, and does nothing else.
        """
        return scope in self.scopes or (scope == READ and path in map(_content, self.scopes))


class Tokens:
    """The tokens of a gateway.

    Args:
        database: Where they are.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database, self._clock = database, clock
        self._known: dict[str, tuple[float, Token | None]] = {}
        self._lock = threading.Lock()

    def make(self, name: str, scopes: tuple[str, ...], lasts_s: float | None = None) -> str:
        """A new token.

        Args:
            name: For people.
            scopes: What it allows.
            lasts_s: It expires after this number of seconds; None: never.

        Raises:
            ValidationError: There is no such scope, or the name does not do.
        """
        if not scopes or set(scopes) - set(SCOPES):
            raise ValidationError(f"scopes of a token: {' or '.join(SCOPES)}; got {', '.join(scopes) or 'none'}")
        if not 0 < len(name) <= 100 or not name.isprintable():
            raise ValidationError("the name of a token has 1 to 100 characters that can be printed")
        return self._make(name, sorted({READ, *scopes}), lasts_s)

    def make_for_artifact(self, name: str, artifact: str, lasts_s: float) -> str:
        """A new token that may fetch one artifact, and nothing else.

        Args:
            name: For people.
            artifact: The artifact's id.
            lasts_s: It expires after this number of seconds.
        """
        return self._make(name, [_ARTIFACT + artifact], lasts_s)

    def _make(self, name: str, scopes: list[str], lasts_s: float | None) -> str:
        text = _PREFIX + secrets.token_urlsafe(32)
        now = int(self._clock() * 1000)
        with self._database.write() as connection:
            connection.execute(delete(tokens).where(tokens.c.expires_ms < now - _KEPT_MS))
            connection.execute(
                insert(tokens).values(
                    id=secrets.token_hex(8),
                    name=name,
                    hash=_hash(text),
                    scopes=scopes,
                    created_ms=now,
                    expires_ms=None if lasts_s is None else now + int(lasts_s * 1000),
                )
            )
        return text

    def remembers(self, text: str) -> bool:
        """Whether `find` knows of a token without the database; also of what can be none."""
        if not _FORM.fullmatch(text):
            return True
        with self._lock:
            until, _ = self._known.get(_hash(text), (0.0, None))
        return time.monotonic() < until

    def find(self, text: str) -> Token | None:
        """The token, if it counts."""
        if not _FORM.fullmatch(text):
            return None
        hashed, now = _hash(text), time.monotonic()
        with self._lock:
            until, found = self._known.get(hashed, (0.0, None))
        if now >= until:
            with self._database.read() as connection:
                row = connection.execute(select(tokens).where(tokens.c.hash == hashed)).first()
            found = None if row is None else _token(row)
            with self._lock:
                if len(self._known) > 10_000:
                    self._known.clear()
                self._known[hashed] = now + _REMEMBERED_S, found
        if found is not None and found.expires_ms is not None and found.expires_ms <= self._clock() * 1000:
            return None
        return found

    def list(self) -> list[Token]:
        """All tokens, those that were made first come first."""
        with self._database.read() as connection:
            return [_token(row) for row in connection.execute(select(tokens).order_by(tokens.c.created_ms))]

    def revoke(self, token: str) -> bool:
        """Delete the tokens of an id or name; whether there was one."""
        with self._database.write() as connection:
            found = connection.execute(delete(tokens).where((tokens.c.id == token) | (tokens.c.name == token)))
        with self._lock:
            self._known.clear()
        return found.rowcount > 0


def _content(scope: str) -> str:
    """The path of the artifact that a token may fetch."""
    return f"/artifacts/{scope.removeprefix(_ARTIFACT)}/content" if scope.startswith(_ARTIFACT) else ""


def _hash(text: str) -> str:
    # 256 random bits cannot be guessed, so no salt and no slow hash is needed.
    return hashlib.sha256(text.encode()).hexdigest()


def _token(row: Row[Any]) -> Token:
    r = row._asdict()
    return Token(r["id"], r["name"], tuple(r["scopes"]), r["created_ms"], r["expires_ms"])

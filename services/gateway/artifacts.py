"""Uploaded scripts and archives: a row in the database, and a file in a folder of its own."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from anyio import to_thread
from sqlalchemy import Row, delete, func, insert, select

from datastream.services.runner.wall_clock import now_ms

from .answers import Refused
from .database import Database, artifacts, jobs
from .job_states import ACTIVE
from .packed import Contents, UnpackLimits, checked_name, look_into

_PART = ".part-"


class Artifacts:
    """The artifacts of a gateway.

    Args:
        database: Where it notes them.
        folder: Where their files are.
        limits: How large they may be when unpacked.
        most_bytes: Of all of them together; None: as many as the disk holds.
    """

    def __init__(self, database: Database, folder: Path, limits: UnpackLimits, most_bytes: int | None = None) -> None:
        self._database, self._folder, self._limits, self._most_bytes = database, folder, limits, most_bytes
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for left in folder.glob(f"{_PART}*"):  # of uploads that were cut off by the end of the gateway
            left.unlink(missing_ok=True)

    async def receive(self, name: str | None, chunks: AsyncIterator[bytes]) -> Row[Any]:
        """Take an upload; its row. The same content under the same name again is the same artifact.

        Raises:
            Refused: It is not what its name says, or harmful.
        """
        name = checked_name(name)
        left = None if self._most_bytes is None else self._most_bytes - await to_thread.run_sync(self._bytes)
        part = self._folder / f"{_PART}{secrets.token_hex(8)}"
        digest, size = hashlib.sha256(), 0
        try:
            with part.open("xb") as out:
                async for chunk in chunks:
                    size += len(chunk)
                    if left is not None and size > left:
                        raise Refused(507, f"artifacts may have {self._most_bytes:,} bytes together; delete some first")
                    digest.update(chunk)
                    await to_thread.run_sync(out.write, chunk)
            return await to_thread.run_sync(self._add, part, name, digest.hexdigest(), size)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise Refused(507, "the disk of the gateway is full; nothing was kept") from error
            raise
        finally:
            part.unlink(missing_ok=True)

    def _add(self, part: Path, name: str, sha256: str, size: int) -> Row[Any]:
        if size == 0:
            raise Refused(400, f"{name} is empty")
        contents = look_into(part, name, self._limits)
        with self._database.write() as connection:
            same = select(artifacts).where(artifacts.c.sha256 == sha256, artifacts.c.name == name)
            known = connection.execute(same).first()
            if known is not None and self.file(known).exists():
                return known
            id = known.id if known is not None else f"{secrets.token_hex(16)}_{name}"
            folder = self._folder / id
            folder.mkdir(exist_ok=True)
            _sync(part)
            os.replace(part, folder / name)
            if known is None:
                connection.execute(insert(artifacts).values(_row(id, name, contents, sha256, size)))
            return connection.execute(select(artifacts).where(artifacts.c.id == id)).one()

    def _bytes(self) -> int:
        with self._database.read() as connection:
            return int(connection.execute(select(func.coalesce(func.sum(artifacts.c.size), 0))).scalar_one())

    def all(self) -> list[Row[Any]]:
        """The artifacts, those that came last first."""
        with self._database.read() as connection:
            newest = select(artifacts).order_by(artifacts.c.uploaded_ms.desc(), artifacts.c.id)
            return list(connection.execute(newest))

    def get(self, id: str) -> Row[Any]:
        """An artifact.

        Raises:
            Refused: There is none of that id.
        """
        with self._database.read() as connection:
            row = connection.execute(select(artifacts).where(artifacts.c.id == id)).first()
        if row is None:
            raise Refused(404, f"there is no artifact {id[:200]!r}")
        return row

    def file(self, artifact: Row[Any]) -> Path:
        """Where an artifact's file is."""
        return self._folder / str(artifact.id) / str(artifact.name)

    def delete(self, id: str) -> None:
        """Delete an artifact.

        Raises:
            Refused: There is none of that id, or an active job uses it.
        """
        with self._database.write() as connection:
            user = connection.execute(
                select(jobs.c.id).where(jobs.c.artifact_id == id, jobs.c.state.in_(ACTIVE)).limit(1)
            ).scalar()
            if user is not None:
                raise Refused(409, f"the job {user} runs from this artifact; cancel or stop it first")
            if connection.execute(delete(artifacts).where(artifacts.c.id == id)).rowcount == 0:
                raise Refused(404, f"there is no artifact {id[:200]!r}")
        shutil.rmtree(self._folder / id, ignore_errors=True)


def _row(id: str, name: str, contents: Contents, sha256: str, size: int) -> dict[str, Any]:
    return {
        "id": id,
        "name": name,
        "kind": contents.kind,
        "entries": list(contents.entries),
        "size": size,
        "sha256": sha256,
        "uploaded_ms": now_ms(),
    }


def _sync(file: Path) -> None:
    with file.open("rb") as written:
        os.fsync(written.fileno())

"""Files in a store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.chaos.systems.system import System, parsed


class S3(System):
    """FileSource and FileSink. The server keeps its objects in memory, so it is not killed."""

    name = "s3"
    victims = ("driver", "worker", "committer")
    epoch_records = 1_000

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from tests.support.servers.s3 import KEYS, OwnS3

        self.environment = KEYS
        self._server = OwnS3()
        self._bucket = self._server.bucket()
        step = -(-count // 8)
        for file in range(8):
            lines = "".join(f"{n},n{n}\n" for n in range(file * step, min(count, file * step + step)))
            self._bucket.put(f"in/{file}.csv", lines.encode())
        return {"in": self._bucket.uri("in"), "out": self._bucket.uri("out")}

    def results(self) -> list[tuple[int, str]]:
        return list(parsed(self._bucket.lines("out/")))

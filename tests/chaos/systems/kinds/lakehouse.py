"""Tables of Delta Lake and of Apache Iceberg."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.chaos.systems.system import Following, Local, System


def _rows(numbers: range) -> pa.Table:
    return pa.table({"id": pa.array(numbers, pa.int64()), "name": pa.array([f"n{n}" for n in numbers], pa.string())})


class DeltaSink(Local):
    """DeltaSink, whose rows have no key."""

    name = "delta-sink"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        self._out = f"{folder}/results"
        return {"out": self._out, "count": count}

    def results(self) -> list[tuple[int, str]]:
        from deltalake import DeltaTable

        rows = DeltaTable(self._out).to_pyarrow_table()
        return list(zip(rows["id"].to_pylist(), rows["name"].to_pylist(), strict=True))

    def written(self) -> int:
        from deltalake import DeltaTable

        if not DeltaTable.is_deltatable(self._out):
            return 0
        files = pa.table(DeltaTable(self._out).get_add_actions(flatten=True))
        return sum(files["num_records"].to_pylist())


class DeltaSource(Following, Local):
    """DeltaSource that follows a table, into files."""

    name = "delta-source"

    def _make(self, folder: Path, numbers: range) -> dict[str, Any]:
        self._in = f"{folder}/numbers"
        self._append(numbers)
        return {"in": self._in}

    def _append(self, numbers: range) -> None:
        from deltalake import write_deltalake

        write_deltalake(self._in, _rows(numbers), mode="append")


class _Iceberg(System):
    """Files in a folder, and a catalog in PostgreSQL, which is the server that is killed."""

    def _begin(self, folder: Path) -> dict[str, Any]:
        from tests.support.servers.postgres import OwnPostgres

        self._server = OwnPostgres()
        uri = self._server.url.replace("postgresql://", "postgresql+psycopg://")
        self._catalog = {"type": "sql", "uri": uri, "warehouse": f"file://{folder}/warehouse"}
        with self._opened() as catalog:
            catalog.create_namespace("db")
        return {"catalog": self._catalog}

    def _opened(self) -> Any:
        from pyiceberg.catalog import load_catalog

        return load_catalog("lake", **self._catalog)


class IcebergSink(_Iceberg):
    """IcebergSink, whose rows have no key."""

    name = "iceberg-sink"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = self._begin(folder)
        with self._opened() as catalog:
            catalog.create_table("db.results", _rows(range(0)).schema)
        return {**where, "out": "db.results", "count": count}

    def results(self) -> list[tuple[int, str]]:
        with self._opened() as catalog:
            rows = catalog.load_table("db.results").scan().to_arrow()
        return list(zip(rows["id"].to_pylist(), rows["name"].to_pylist(), strict=True))

    def written(self) -> int:
        with self._opened() as catalog:
            snapshot = catalog.load_table("db.results").current_snapshot()
        return int(snapshot.summary["total-records"]) if snapshot else 0


class IcebergSource(Following, _Iceberg):
    """IcebergSource that follows a table, into files."""

    name = "iceberg-source"

    def _make(self, folder: Path, numbers: range) -> dict[str, Any]:
        where = self._begin(folder)
        with self._opened() as catalog:
            catalog.create_table("db.numbers", _rows(range(0)).schema)
        self._append(numbers)
        return {**where, "in": "db.numbers"}

    def _append(self, numbers: range) -> None:
        with self._opened() as catalog:
            catalog.load_table("db.numbers").append(_rows(numbers))

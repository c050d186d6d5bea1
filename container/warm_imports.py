"""Imports what jobs import, beside what `datastream warm` has run: Python keeps the bytecode of it.

Names that an image was built without are left out.
"""

from __future__ import annotations

import importlib
import pkgutil
from contextlib import suppress

import datastream
from datastream.compat import install

#: Packages of which a job may import any module.
WHOLE = ("datastream", "msgspec", "structlog", "rich", "click")
#: Modules behind connectors and formats.
NAMES = (
    "confluent_kafka.admin",
    "confluent_kafka.schema_registry.avro",
    "pyarrow.csv",
    "pyarrow.orc",
    "pyarrow.parquet",
    "prometheus_client",
    "pyspark.daemon",
    "pyspark.java_gateway",
    "pyspark.sql.streaming.stateful_processor_api_client",
    "pyspark.worker",
)


def main() -> None:
    install()  # pyflink's names
    for package in WHOLE:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not module.name.endswith("__main__"):
                with suppress(Exception):  # needs an extra, or another system
                    importlib.import_module(module.name)
    for name in NAMES:
        with suppress(ImportError):
            importlib.import_module(name)
    print(f"bytecode of datastream {getattr(datastream, '__version__', '')} and of what it imports is kept")


if __name__ == "__main__":
    main()

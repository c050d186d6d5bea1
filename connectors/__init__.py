"""Connectors: the systems that a job reads from and writes to.

One module or package a system. Each implements the contract of `datastream.io` in plain Python, so every
connector runs on the local executor and on Spark alike. Bounded sources of values: `CollectionSource`,
`NumberSequenceSource`, `DataGeneratorSource`. Files: `datastream.connectors.files`. Sinks for looking at a stream:
`PrintSink`, `CollectSink`; for measuring it: `DiscardingSink`; for anything else: `FunctionSink`. Packages that are
installed may bring more names, by entry points of the group ``datastream.connectors``.
"""

from importlib import import_module
from typing import Any

from .collect_sink import CollectSink
from .collection import CollectionSource
from .datagen import DataGeneratorSource
from .delivery_guarantee import DeliveryGuarantee
from .discard_sink import DiscardingSink
from .function_sink import FunctionSink
from .input_format import InputFormat
from .number_seq import NumberSequenceSource
from .print_sink import PrintSink

__all__ = [
    "CollectSink",
    "CollectionSource",
    "DataGeneratorSource",
    "DeliveryGuarantee",
    "DiscardingSink",
    "FunctionSink",
    "InputFormat",
    "NumberSequenceSource",
    "PrintSink",
]


def __getattr__(name: str) -> Any:
    if name[:1].isupper():  # a class; submodules are asked for here, too
        try:
            return import_module(f"{__name__}.plugins").load(name)
        except KeyError:
            pass
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *import_module(f"{__name__}.plugins").names()})

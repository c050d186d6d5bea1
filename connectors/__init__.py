"""Connectors: the systems that a job reads from and writes to.

One module or package a system. Each implements the contract of `datastream.io` in plain Python, so every
connector runs on the local executor and on Spark alike. Bounded sources of values: `CollectionSource`,
`NumberSequenceSource`, `DataGeneratorSource`. Files: `datastream.connectors.files`. Sinks for looking at a stream:
`PrintSink`, `CollectSink`; for measuring it: `DiscardingSink`; for anything else: `FunctionSink`.
"""

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

"""The public names."""

from datastream import connectors
from datastream.connectors import files


def test_names_are_pinned():
    assert connectors.__all__ == [
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
    assert all(hasattr(files, name) for name in files.__all__)

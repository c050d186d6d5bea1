"""The public names."""

import connectors
import connectors.files


def test_names_are_pinned():
    assert connectors.__all__ == [
        "CollectSink",
        "CollectionSource",
        "DataGeneratorSource",
        "DeliveryGuarantee",
        "DiscardingSink",
        "FunctionSink",
        "NumberSequenceSource",
        "PrintSink",
    ]
    assert all(hasattr(connectors.files, name) for name in connectors.files.__all__)

"""Apache NiFi as a source and a sink, by the names of Flink's connector for Java: site-to-site over HTTP, with httpx.

`NiFiSource` stores flow files beside the checkpoint and then confirms their transaction: exactly once. `NiFiSink` sends
the packets of an epoch when it is committed, and confirms their transaction: at least once, with an id in each.
"""

from .client_config import SiteToSiteClient, SiteToSiteClientConfig
from .data_packet import NiFiDataPacket, NiFiDataPacketBuilder, StandardNiFiDataPacket
from .sink import NiFiSink
from .source import NiFiSource

__all__ = [
    "NiFiDataPacket",
    "NiFiDataPacketBuilder",
    "NiFiSink",
    "NiFiSource",
    "SiteToSiteClient",
    "SiteToSiteClientConfig",
    "StandardNiFiDataPacket",
]

"""RabbitMQ as a source and a sink, by PyFlink's names (``pyflink.datastream.connectors.rabbitmq``), over pika.

`RMQSource` spools and acknowledges: exactly once with correlation ids. `RMQSink` waits for the server's confirmations:
at least once. Needs pika (``pip install '.[rabbitmq]'``).
"""

from .connection_config import RMQConnectionConfig, RMQTls
from .publish_options import RMQSinkPublishOptions
from .sink import RMQSink
from .source import RMQSource

__all__ = ["RMQConnectionConfig", "RMQSink", "RMQSinkPublishOptions", "RMQSource", "RMQTls"]

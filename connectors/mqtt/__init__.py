"""MQTT 5 as a source and a sink, over paho-mqtt.

`MqttSource` spools and acknowledges: at least once, and exactly once where each message has an id. `MqttSink` waits
until the server has confirmed what it sent: at least once. Needs paho-mqtt (``pip install '.[mqtt]'``).
"""

from .connection import MqttConnection, MqttTls
from .message import MqttMessage
from .sink import MqttSink, MqttSinkBuilder
from .source import MqttSource, MqttSourceBuilder

__all__ = [
    "MqttConnection",
    "MqttMessage",
    "MqttSink",
    "MqttSinkBuilder",
    "MqttSource",
    "MqttSourceBuilder",
    "MqttTls",
]

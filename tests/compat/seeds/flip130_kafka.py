"""FLIP-130, "Source" and "Sink": what reads from Kafka and writes to it; nothing is started."""

import json

from pyflink.common import SimpleStringSchema, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors import FlinkKafkaConsumer010, FlinkKafkaProducer010
from pyflink.datastream.formats.json import JsonRowDeserializationSchema, JsonRowSerializationSchema

env = StreamExecutionEnvironment.get_execution_environment()
properties = {}
properties["bootstrap.servers"] = "localhost:9092"
properties["group.id"] = "test"
ds = env.add_source(FlinkKafkaConsumer010("my_topic", SimpleStringSchema(), properties))
ds.print()

row_schema = Types.ROW_NAMED(
    ["f1", "f2", "f3", "f4", "f5"], [Types.INT, Types.BOOLEAN, Types.STRING, Types.SQL_TIMESTAMP, Types.LOCAL_DATE_TIME]
)

deserialization_schema = JsonRowDeserializationSchema.Builder(row_schema).build()
ds = env.add_source(FlinkKafkaConsumer010("topic", deserialization_schema, properties))

serialization_schema = JsonRowSerializationSchema.Builder(row_schema).build()
ds.add_sink(FlinkKafkaProducer010("topic", serialization_schema, properties))
print([node["type"] for node in json.loads(env.get_execution_plan())["nodes"]])

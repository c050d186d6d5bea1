"""The connector classes that Flink had before `KafkaSource` and `KafkaSink`."""

"""Sessions of SQL, by the REST interface of Flink's SQL gateway. Each runs in a process of its own."""

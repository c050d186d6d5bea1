"""Random small programs, run on Apache Flink and on this project: ``scripts/parity --fuzz N --seed S``."""

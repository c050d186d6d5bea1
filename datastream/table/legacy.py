"""What ``pyflink.table`` had besides its present names."""

from datastream.table.api.batch_table_environment import BatchTableEnvironment
from datastream.table.api.legacy.sources_and_sinks import CsvTableSink, CsvTableSource, WriteMode

__all__ = ["BatchTableEnvironment", "CsvTableSink", "CsvTableSource", "WriteMode"]

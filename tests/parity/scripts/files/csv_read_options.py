import os
from pathlib import Path

from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSource
from pyflink.datastream.formats.csv import CsvReaderFormat, CsvSchema

Path("in.csv").write_text("name|tags\n# a comment\nann|a;b\nbob|c\n'x|y'|d e\n")
schema = (
    CsvSchema.builder()
    .add_string_column("name")
    .add_string_column("tags")
    .set_column_separator("|")
    .set_allow_comments()
    .set_use_header()
    .set_quote_char("'")
    .build()
)
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
source = FileSource.for_record_stream_format(CsvReaderFormat.for_schema(schema), os.path.abspath("in.csv")).build()
rows = env.from_source(source, WatermarkStrategy.no_watermarks(), "csv")
rows.map(lambda row: f"{row.name} {row.tags}", Types.STRING()).print()
env.execute()

import os
from pathlib import Path

from pyflink.common import WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSource
from pyflink.datastream.formats.csv import CsvReaderFormat, CsvSchema
from pyflink.table import DataTypes

Path("in.csv").write_text('1,"to, be",2.5,true\n2,or,0.1,false\n')
schema = (
    CsvSchema.builder()
    .add_number_column("id", number_type=DataTypes.BIGINT())
    .add_string_column("text")
    .add_number_column("price", number_type=DataTypes.DOUBLE())
    .add_boolean_column("done")
    .build()
)
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
source = FileSource.for_record_stream_format(CsvReaderFormat.for_schema(schema), os.path.abspath("in.csv")).build()
rows = env.from_source(source, WatermarkStrategy.no_watermarks(), "csv")
rows.print()
env.execute()

import os

from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import BucketAssigner, FileSink
from pyflink.datastream.formats.csv import CsvBulkWriters, CsvSchema
from pyflink.table import DataTypes

schema = (
    CsvSchema.builder()
    .add_number_column("id", number_type=DataTypes.BIGINT())
    .add_string_column("text")
    .add_number_column("price", number_type=DataTypes.DOUBLE())
    .build()
)
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
sink = FileSink.for_bulk_format(os.path.abspath("out"), CsvBulkWriters.for_schema(schema))
sink = sink.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build()
row = Types.ROW_NAMED(["id", "text", "price"], [Types.LONG(), Types.STRING(), Types.DOUBLE()])
rows = [Row(1, "plain", 2.5), Row(2, "with, comma", 100.0), Row(3, 'a "quote"', 0.001), Row(4, "two words", 1e10)]
env.from_collection(rows, type_info=row).map(lambda r: r, output_type=row).sink_to(sink)
env.execute()

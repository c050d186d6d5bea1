import os

from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import BucketAssigner, FileSink
from pyflink.datastream.formats.csv import CsvBulkWriters, CsvSchema

schema = (
    CsvSchema.builder()
    .add_string_column("name")
    .add_boolean_column("done")
    .set_column_separator(";")
    .set_quote_char("'")
    .set_null_value("-")
    .build()
)
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
sink = FileSink.for_bulk_format(os.path.abspath("out"), CsvBulkWriters.for_schema(schema))
sink = sink.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build()
row = Types.ROW_NAMED(["name", "done"], [Types.STRING(), Types.BOOLEAN()])
rows = [Row("ann", True), Row("a;b", False), Row("it's", True), Row(None, None), Row("", False), Row(" x ", True)]
env.from_collection(rows, type_info=row).map(lambda r: r, output_type=row).sink_to(sink)
env.execute()

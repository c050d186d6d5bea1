import decimal
import os

from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import BucketAssigner, FileSink
from pyflink.datastream.formats.csv import CsvBulkWriters, CsvSchema
from pyflink.table import DataTypes

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
TEXTS = [
    "-0.0", "-0", "0", "0.00", "-0.00", "0E+3", "0E-7", "-0E-10", "1.50", "100", "100.00", "1E+3", "1E+30", "1.0E-7", "0.000001",
    "-0.05", "12345678.90", "-1E-30", "123456789012345678901234567890.5",
]  # fmt: skip
NUMBERS = [decimal.Decimal(text) for text in TEXTS]
given = env.from_collection(NUMBERS, type_info=Types.BIG_DEC())
given.print()
given.map(lambda number: number, output_type=Types.BIG_DEC()).print()
given.map(
    lambda number: (number, [number]), output_type=Types.TUPLE([Types.BIG_DEC(), Types.LIST(Types.BIG_DEC())])
).print()
given.map(lambda number: Row(number), output_type=Types.ROW([Types.BIG_DEC()])).print()
given.map(lambda number: {"a": number}, output_type=Types.MAP(Types.STRING(), Types.BIG_DEC())).print()
given.map(lambda number: str(number), output_type=Types.STRING()).print()
env.execute()

schema = CsvSchema.builder().add_number_column("a", number_type=DataTypes.DECIMAL(38, 10)).build()
bulk = FileSink.for_bulk_format(os.path.abspath("out"), CsvBulkWriters.for_schema(schema))
bulk = bulk.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build()
kind = Types.ROW_NAMED(["a"], [Types.BIG_DEC()])
given.filter(lambda number: abs(number) < 10**28).map(lambda number: Row(number), output_type=kind).sink_to(bulk)
env.execute()

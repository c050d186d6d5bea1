from pyflink.common import Row, RowKind, Types
from pyflink.datastream import StreamExecutionEnvironment


def deleted(row):
    row.set_row_kind(RowKind.DELETE)
    return row


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
row = Types.ROW([Types.INT(), Types.STRING()])
env.from_collection([Row(1, "a")], type_info=row).map(deleted, output_type=row).print()
env.execute()

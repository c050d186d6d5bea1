import datetime
from decimal import Decimal

from pyflink.common import Row, Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor

ROW = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.FLOAT()])
VALUES = [
    (Types.FLOAT(), 0.1),
    (Types.DOUBLE(), 3),
    (Types.TUPLE([Types.INT(), Types.FLOAT()]), (1, 0.1)),
    (ROW, Row(1, 0.1)),
    (ROW, Row(b=0.1, a=1)),
    (Types.SQL_TIMESTAMP(), datetime.datetime(2024, 2, 29, 1, 2, 3, 456789)),
    (Types.BIG_DEC(), Decimal("1.1234567890123456789012345678901234567890")),
    (Types.LIST(Types.FLOAT()), [0.1, 0.2]),
    (Types.PRIMITIVE_ARRAY(Types.FLOAT()), [0.1, 0.2]),
]


class Keep(KeyedProcessFunction):
    def open(self, runtime_context):
        get = runtime_context
        self.states = [
            (
                get.get_state(ValueStateDescriptor(f"value {i}", kind)),
                get.get_list_state(ListStateDescriptor(f"list {i}", kind)),
                get.get_map_state(MapStateDescriptor(f"map {i}", Types.FLOAT(), kind)),
            )
            for i, (kind, _) in enumerate(VALUES)
        ]

    def process_element(self, value, ctx):
        for (one, several, entries), (_, kept) in zip(self.states, VALUES, strict=True):
            if value == 0:
                one.update(kept)
                several.add(kept)
                entries.put(0.1, kept)
            yield f"{value} {one.value()} {list(several.get())} {list(entries.items())}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([0, 1]).key_by(lambda d: 0).process(Keep(), output_type=Types.STRING()).print()
env.execute()

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor


class Try(KeyedProcessFunction):
    def open(self, runtime_context):
        self.maps = [
            runtime_context.get_map_state(MapStateDescriptor(f"map{i}", Types.STRING(), Types.INT())) for i in range(9)
        ]

    def process_element(self, value, ctx):
        untouched, cleared, filled, removed, refilled, put_all, read, twice, emptied = self.maps
        yield f"{value} begin {[m.is_empty() for m in self.maps]}"
        cleared.clear()
        filled.put("a", 1)
        filled.clear()
        removed.put("a", 1)
        removed.remove("a")
        refilled.put("a", 1)
        refilled.clear()
        refilled.put("b", 2)
        put_all.clear()
        put_all.put_all([])
        read.clear()
        list(read.keys())
        twice.put("a", 1)
        twice.clear()
        twice.clear()
        emptied.put("a", 1)
        emptied.is_empty()
        emptied.clear()
        yield f"{value} then {[m.is_empty() for m in self.maps]}"
        yield f"{value} items {[list(m.items()) for m in self.maps]}"
        yield f"{value} again {[m.is_empty() for m in self.maps]}"
        yield f"{value} has {['a' in m for m in self.maps]} {[m.get('a') for m in self.maps]}"
        yield f"{value} at last {[m.is_empty() for m in self.maps]}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1, 2, 3]).key_by(lambda d: 0).process(Try(), output_type=Types.STRING()).print()
env.execute()

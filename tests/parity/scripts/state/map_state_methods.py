from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor


class Try(KeyedProcessFunction):
    def open(self, runtime_context):
        self.map = runtime_context.get_map_state(MapStateDescriptor("map", Types.STRING(), Types.INT()))

    def process_element(self, value, ctx):
        for i, key in enumerate("abc", 1):
            self.map.put(key, i)
        self.map.remove("b")
        yield f"{sorted(self.map.keys())} {sorted(self.map.values())} {self.map.get('b')}"
        yield f"{'a' in self.map} {self.map['a']}"
        self.map["d"] = 4
        del self.map["a"]
        yield f"{sorted(self.map.items())}"
        self.map.clear()
        yield f"{self.map.is_empty()} {list(self.map.items())}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1]).key_by(lambda d: 0).process(Try(), output_type=Types.STRING()).print()
env.execute()

import pyflink
from pyflink.common import Types
from pyflink.common.serializer import VoidNamespaceSerializer
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import DefaultRollingPolicy, OnCheckpointRollingPolicy, RollingPolicy
from pyflink.datastream.functions import IN, IN1, IN2, KEY, OUT, W2, MapFunction, ProcessFunction, W
from pyflink.table.catalog import JdbcCatalog
from pyflink.table.types import AtomicType, FractionalType, IntegralType, NumericType
from pyflink.table.udf import ACC, T
from pyflink.version import __version__

print([repr(each) for each in (IN, IN1, IN2, KEY, OUT, W, W2, ACC, T)])
print(pyflink.__version__, __version__)
print(isinstance(RollingPolicy.default_rolling_policy(), DefaultRollingPolicy))
print(issubclass(OnCheckpointRollingPolicy, RollingPolicy))
print(VoidNamespaceSerializer.__name__, JdbcCatalog.__name__)
print([issubclass(each, NumericType) for each in (IntegralType, FractionalType, AtomicType)])


class Doubled(MapFunction):
    def map(self, value: IN) -> OUT:
        return value * 2


class Kept(ProcessFunction):
    def process_element(self, value: IN, ctx: "ProcessFunction.Context") -> OUT:
        yield value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1, 2], Types.INT()).map(Doubled(), Types.INT()).process(Kept(), Types.INT()).print()
env.execute()

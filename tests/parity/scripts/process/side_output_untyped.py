from pyflink.datastream import OutputTag, ProcessFunction, StreamExecutionEnvironment

BAD = OutputTag("bad")


class Parse(ProcessFunction):
    def process_element(self, value, ctx):
        try:
            yield int(value)
        except ValueError as error:
            yield BAD, (value, str(error))


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection(["1", "x", "3"]).process(Parse())
numbers.get_side_output(BAD).print()
env.execute()

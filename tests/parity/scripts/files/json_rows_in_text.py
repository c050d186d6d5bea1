import json
import os
from pathlib import Path

from pyflink.common import Row, Types, WatermarkStrategy
from pyflink.datastream import FlatMapFunction, StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSource, StreamFormat

Path("in.jsonl").write_text('{"id": 1, "tags": ["a"]}\n{"id": 2, "tags": []}\n')


class Parse(FlatMapFunction):
    def flat_map(self, value):
        record = json.loads(value)
        for tag in record["tags"] or ["none"]:
            yield Row(record["id"], tag)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), os.path.abspath("in.jsonl")).build()
lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "json")
lines.flat_map(Parse(), Types.ROW_NAMED(["id", "tag"], [Types.INT(), Types.STRING()])).print()
env.execute()

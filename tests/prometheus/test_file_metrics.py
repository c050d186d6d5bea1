"""Bytes and dead letters of files, as Prometheus is shown them."""

from datastream import OutputTag, StreamExecutionEnvironment, WatermarkStrategy
from datastream.config.settings import settings
from datastream.connectors.files import FileSink, FileSource, StreamFormat
from datastream.formats import Encoder, JsonRowDeserializationSchema
from datastream.types import Types
from tests.prometheus.scrapes import measured, samples


def test_bytes_and_dead_letters(tmp_path, monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")
    lines = ['{"n": 1}', "poison", '{"n": 2}']
    (tmp_path / "in.txt").write_text("\n".join(lines) + "\n")
    dead = OutputTag("dead")
    schema = JsonRowDeserializationSchema(Types.ROW_NAMED(["n"], [Types.INT()])).with_dead_letters(dead)
    source = FileSource.for_record_stream_format(StreamFormat.lines(schema), str(tmp_path / "in.txt")).build()
    sink = FileSink.for_row_format(str(tmp_path / "out"), Encoder.simple_string_encoder()).build()
    env = measured(StreamExecutionEnvironment.get_execution_environment())
    env.set_parallelism(1)
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "in")
    stream.get_side_output(dead).print()
    stream.map(lambda row: str(row.n)).sink_to(sink)
    env.execute("file-metrics")
    found = {name: value for (name, _), value in samples("file-metrics").items()}
    assert found["datastream_source_bytes_total"] == (tmp_path / "in.txt").stat().st_size
    assert found["datastream_source_dead_letters_total"] == 1
    assert found["datastream_sink_bytes_total"] == len("1\n2\n")

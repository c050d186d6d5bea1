"""A job from a subscription into files, which kills itself once: ``killed_job.py FOLDER POINT VICTIM ADDRESS NAME``."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from datastream import StreamExecutionEnvironment, Types
from datastream.connectors.files import FileSink, RollingPolicy
from datastream.connectors.pubsub import PubSubSource
from datastream.connectors.pubsub.pulling import Pulling
from datastream.formats import Encoder, SimpleStringSchema
from datastream.io import Message

#: The acknowledgement that it happens at.
AT = 3


class KillingSource(PubSubSource):
    folder: str
    point: str
    victim: str

    def connect(self) -> Pulling:
        found = KillingPulling(self.settings, self.wait_ms / 1000)
        found.source = self
        return found


class KillingPulling(Pulling):
    source: KillingSource
    acknowledged = 0

    def acknowledge(self, messages: list[Message]) -> None:
        self.acknowledged += bool(messages)
        if self.source.point == "stored":
            self.die()
        super().acknowledge(messages)
        if self.source.point == "acknowledged":
            self.die()

    def die(self) -> None:
        """Kill the driver or this worker, unless that has happened."""
        if self.acknowledged != AT:
            return
        folder = Path(self.source.folder)
        try:
            (folder / "died").touch(exist_ok=False)
        except FileExistsError:
            return
        if self.source.victim == "driver":
            os.kill(int((folder / "driver").read_text()), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    folder, point, victim, address, name = sys.argv[1:]
    (Path(folder) / "driver").write_text(str(os.getpid()))
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    builder = PubSubSource.new_builder().with_deserialization_schema(SimpleStringSchema()).with_project_name("tests")
    made = builder.with_subscription_name(name).with_host_and_port_for_emulator(address).build()
    source = KillingSource(replace(made.settings, deadline_s=2, extension_s=3, max_messages=50))
    source.folder, source.point, source.victim = folder, point, victim
    sink = FileSink.for_row_format(f"{folder}/out", Encoder.simple_string_encoder())
    sink = sink.with_rolling_policy(RollingPolicy.on_checkpoint_rolling_policy()).build()
    lines = env.add_source(source).uid("in")
    lines.map(str.upper, Types.STRING()).sink_to(sink).uid("out")
    env.execute("copy")

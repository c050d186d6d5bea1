"""NiFi's ports as a source and a sink, on a real NiFi: a crash before and after every call, and whatever goes wrong."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from datastream import JobError, StreamExecutionEnvironment
from datastream.connectors.nifi import (
    NiFiDataPacket,
    NiFiDataPacketBuilder,
    NiFiSink,
    NiFiSource,
    SiteToSiteClient,
    SiteToSiteClientConfig,
    StandardNiFiDataPacket,
)
from datastream.connectors.nifi.packets import packet_as_bytes, packets_in
from datastream.connectors.nifi.site import Direction, Site
from datastream.connectors.nifi.source import _Receiver
from datastream.connectors.nifi.transaction import Transaction
from datastream.errors import UnsupportedOperation, ValidationError, WrongType
from datastream.io import (
    Backoff,
    Batch,
    CommitterContext,
    Message,
    QueueConnection,
    ReaderContext,
    SourceReader,
    WriterContext,
)
from datastream.io.queues import QueueReader, QueueSplit
from datastream.io.spool import Spool
from datastream.metrics import MetricRegistry
from datastream.testing.conformance import SinkConformance, SourceConformance
from tests.support.servers.nifi import Flow, NiFiServer, OwnNiFi

pytestmark = pytest.mark.usefixtures("in_this_process", "without_fsync")


def packet(text: str, **attributes: str) -> NiFiDataPacket:
    return StandardNiFiDataPacket(text.encode(), attributes)


def packet_of(record: str, ctx: WriterContext) -> NiFiDataPacket:
    return packet(record, subtask=str(ctx.subtask))


def contents(packets: Iterable[NiFiDataPacket]) -> list[str]:
    return [each.get_content().decode() for each in packets]


def away() -> SiteToSiteClientConfig:
    """Nobody listens there."""
    return SiteToSiteClient.Builder().url("http://127.0.0.1:9/nifi").port_name("p").build_config()


def quick_sink(config: SiteToSiteClientConfig, **settings: Any) -> NiFiSink:
    sink = NiFiSink(config, packet_of)
    sink.backoff = Backoff(retries=20, initial_ms=10)
    for name, value in settings.items():
        setattr(sink, name, value)
    return sink


class ContentSource(NiFiSource):
    """The contents alone, as attributes name the client's connection; it does not wait for what may come."""

    poll_ms = 0

    def records(self, bodies: list[Any]) -> list[Any]:
        return contents(super().records(bodies))

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return QueueReader(self, context.spool)

    def connect(self) -> QueueConnection:
        return Noticed(Site(self.client_config, Direction.RECEIVE), self)


class Noticed(_Receiver):
    """One that gives its flow files back when nobody uses it any more: a worker that is killed cannot."""

    def __del__(self) -> None:
        self.close()


class LastFlow:
    """Flows of a suite's trials, one at a time."""

    def __init__(self, nifi: NiFiServer) -> None:
        self._nifi = nifi
        self._last: Flow | None = None

    def next(self) -> Flow:
        """A new flow; the one before ends."""
        if self._last is not None:
            self._nifi.end(self._last)
        self._last = self._nifi.flow()
        return self._last


class TestNiFiSource(SourceConformance):
    expected = [f"text {number}" for number in range(3)]
    budget = most = 2
    parallelism = 1
    ordered = False

    @pytest.fixture(autouse=True)
    def _server(self, nifi: NiFiServer) -> None:
        self.nifi, self.flows = nifi, LastFlow(nifi)

    @pytest.mark.timeout(900)
    def test_it_loses_and_doubles_nothing_in_crashes(self, tmp_path: Path) -> None:
        super().test_it_loses_and_doubles_nothing_in_crashes(tmp_path)

    def create(self, folder: Path) -> NiFiSource:
        flow = self.flows.next()
        self.nifi.put(flow.input, [packet(text) for text in self.expected])
        self.nifi.wait_for(flow, len(list(self.expected)))
        return ContentSource(self.nifi.config(flow.output))

    def unreachable(self) -> NiFiSource:
        return NiFiSource(away())


class TestNiFiSink(SinkConformance):
    @pytest.fixture(autouse=True)
    def _server(self, nifi: NiFiServer) -> None:
        self.nifi, self.flows = nifi, LastFlow(nifi)
        self.flow_of: dict[Path, Flow] = {}

    @pytest.mark.timeout(900)
    def test_it_loses_and_doubles_nothing_in_crashes(self, tmp_path: Path) -> None:
        super().test_it_loses_and_doubles_nothing_in_crashes(tmp_path)

    def create(self, folder: Path) -> NiFiSink:
        if folder not in self.flow_of:
            self.flow_of[folder] = self.flows.next()
        return quick_sink(self.nifi.config(self.flow_of[folder].input))

    def record(self, number: int) -> str:
        return f"r{number}"

    def written(self, folder: Path) -> list[str]:
        return contents(self.nifi.take(self.flow_of[folder].output))

    def unreachable(self) -> NiFiSink:
        return quick_sink(away(), backoff=Backoff(retries=1, initial_ms=10))


def records_of(source: NiFiSource, count: int) -> list[NiFiDataPacket]:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    with env.add_source(source).execute_and_collect() as results:
        return [next(results) for _ in range(count)]


def run_sink(sink: NiFiSink, records: list[Any]) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    env.from_collection(records).sink_to(sink)
    env.execute()


def test_jobs_as_in_flinks_documentation(nifi: NiFiServer) -> None:
    flow = nifi.flow()

    class Builder(NiFiDataPacketBuilder):
        def create_nifi_data_packet(self, record: str, ctx: WriterContext) -> NiFiDataPacket:
            return StandardNiFiDataPacket(record.encode(), {"kind": "t\u00e9xt"})

    client_config = SiteToSiteClient.Builder().url(nifi.url).port_name(flow.input).build_config()
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([f"text {n}" for n in range(100)]).add_sink(NiFiSink(client_config, Builder()))
    env.execute()

    client_config = (
        SiteToSiteClient.Builder().url(nifi.url).port_name(flow.output).request_batch_count(5).build_config()
    )
    found = records_of(NiFiSource(client_config), 100)
    assert sorted(contents(found)) == sorted(f"text {n}" for n in range(100))
    assert {each.get_attributes()["kind"] for each in found} == {"t\u00e9xt"}
    ids = {each.get_attributes()["datastream.id"] for each in found}
    assert len(ids) == 100 and all("uuid" in each.get_attributes() for each in found)


def test_ports_by_id_large_contents_and_several_transactions(nifi: NiFiServer) -> None:
    flow = nifi.flow()
    config = SiteToSiteClient.Builder().url(f"http://{nifi.address}/nifi-api").port_identifier(flow.ids[0])
    sink = quick_sink(config.build_config(), transaction_packets=40, id_attribute=None)
    run_sink(sink, ["x" * 1_000_000, *(f"{n}" for n in range(100))])
    found = nifi.take(flow.output)
    assert Counter(map(len, contents(found))) == {1_000_000: 1, 1: 10, 2: 90}
    assert all("datastream.id" not in each.get_attributes() for each in found)


@pytest.fixture
def metrics() -> Any:
    return MetricRegistry("job", "source", "uid", 0).group


def reader_of(source: NiFiSource, folder: Path, metrics: Any) -> SourceReader:
    spool = Spool(str(folder), "uid")
    return source.create_reader(ReaderContext("job", "uid", 1, True, metrics, logging.getLogger("test"), spool))


def read(reader: SourceReader, epoch: int) -> list[str]:
    return [text for batch in reader.read(QueueSplit(epoch, 0, 10)) for text in contents(batch.records)]


def test_flow_files_that_come_again_are_dropped(
    nifi: NiFiServer, tmp_path: Path, metrics: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = nifi.flow()
    nifi.put(flow.input, [packet("a"), packet("b")])
    nifi.wait_for(flow, 2)
    source = NiFiSource(nifi.config(flow.output))

    def lost(self: _Receiver, messages: list[Message]) -> None:
        raise ConnectionError("the answer is lost")

    reader = reader_of(source, tmp_path, metrics)
    with monkeypatch.context() as patched, pytest.raises(ConnectionError):
        patched.setattr(_Receiver, "acknowledge", lost)
        read(reader, 1)
    reader.close()
    again = reader_of(source, tmp_path, metrics)
    assert read(again, 1) == ["a", "b"], "they were stored"
    nifi.wait_for(flow, 2)
    nifi.put(flow.input, [packet("c")])
    nifi.wait_for(flow, 3)
    assert read(again, 2) == ["c"]
    again.close()
    assert nifi.take(flow.output) == []


def test_flow_files_whose_transaction_has_ended_are_left_to_others(
    nifi: NiFiServer, tmp_path: Path, metrics: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = nifi.flow()
    nifi.put(flow.input, [packet("a")])
    nifi.wait_for(flow, 1)
    extend = Transaction.extend

    def too_late(transaction: Transaction) -> None:
        transaction.cancel()
        extend(transaction)

    with closing(reader_of(NiFiSource(nifi.config(flow.output)), tmp_path, metrics)) as reader:
        with monkeypatch.context() as patched:
            patched.setattr(Transaction, "extend", too_late)
            assert read(reader, 1) == []
        nifi.wait_for(flow, 1)
        assert read(reader, 2) == ["a"]


def test_a_transaction_of_too_many_bytes_fails_and_stays_in_nifi(
    nifi: NiFiServer, tmp_path: Path, metrics: Any
) -> None:
    flow = nifi.flow()
    nifi.put(flow.input, [packet("x" * 2_000)])
    nifi.wait_for(flow, 1)
    source = NiFiSource(nifi.config(flow.output))
    source.transaction_bytes = 1_000
    words = "sends more than 1,000 bytes in one transaction; set request_batch_size lower"
    with closing(reader_of(source, tmp_path, metrics)) as reader, pytest.raises(ValidationError, match=words):
        read(reader, 1)
    nifi.wait_for(flow, 1)


def test_a_nifi_that_is_killed_keeps_what_is_confirmed_and_gives_the_rest_again(
    own_nifi: OwnNiFi, tmp_path: Path, metrics: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = own_nifi.flow()
    own_nifi.put(flow.input, [packet("a"), packet("b")])
    own_nifi.wait_for(flow, 2)
    source = NiFiSource(own_nifi.config(flow.output))
    confirm = _Receiver.acknowledge

    def restart(receiver: _Receiver, messages: list[Message]) -> None:
        own_nifi.kill()
        own_nifi.start()
        confirm(receiver, messages)

    reader = reader_of(source, tmp_path, metrics)
    with monkeypatch.context() as patched, pytest.raises(ConnectionError, match="Transaction was not found"):
        patched.setattr(_Receiver, "acknowledge", restart)
        read(reader, 1)
    reader.close()
    again = reader_of(source, tmp_path, metrics)
    assert read(again, 1) == ["a", "b"]
    own_nifi.wait_for(flow, 2)
    assert read(again, 2) == [], "they came again, and are dropped"
    again.close()
    assert own_nifi.take(flow.output) == []

    # And a sink whose packets are lost before they are confirmed.
    end = Transaction.confirm_sent
    killed: list[bool] = []

    def killed_once(transaction: Transaction) -> None:
        if not killed:
            killed.append(True)
            own_nifi.kill()
            own_nifi.start()
        end(transaction)

    monkeypatch.setattr(Transaction, "confirm_sent", killed_once)
    run_sink(quick_sink(own_nifi.config(flow.input)), ["c", "d"])
    assert contents(own_nifi.take(flow.output)) == ["c", "d"] and killed


def test_packets_whose_confirmation_is_lost_come_twice_with_the_same_id(
    nifi: NiFiServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    flow = nifi.flow()
    end = Transaction.confirm_sent
    answers: Iterator[bool] = iter([False])

    def lost(transaction: Transaction) -> None:
        end(transaction)
        if not next(answers, True):
            raise ConnectionError("the answer is lost")

    monkeypatch.setattr(Transaction, "confirm_sent", lost)
    run_sink(quick_sink(nifi.config(flow.input)), ["a", "b"])
    ids = Counter(each.get_attributes()["datastream.id"] for each in nifi.take(flow.output))
    assert sorted(ids.values()) == [2, 2]
    assert "it is not known whether NiFi has taken 2 packets of epoch" in caplog.text


def written(sink: NiFiSink, spool: Spool, metrics: Any, *records: str) -> Any:
    """What a subtask prepares in epoch 0."""
    writer = sink.create_writer(WriterContext("job", "uid", 0, 1, metrics, logging.getLogger("test"), spool))
    writer.begin(0, 0)
    writer.write(Batch(list(records)))
    return writer.prepare_commit()


def test_an_epoch_that_was_committed_in_part_goes_on_where_it_was(
    nifi: NiFiServer, tmp_path: Path, metrics: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = nifi.flow()
    sink = quick_sink(nifi.config(flow.input), transaction_packets=2, backoff=Backoff(retries=0))
    spool = Spool(str(tmp_path), "uid")
    notes = written(sink, spool, metrics, "a", "b", "c", "d")
    context = CommitterContext("job", "uid", 1, logging.getLogger("test"), spool)
    begin, begun = Site.begin, iter(range(100))

    def breaks_at_the_second(site: Site) -> Transaction:
        if next(begun) == 1:
            raise ConnectionError("it breaks")
        return begin(site)

    monkeypatch.setattr(Site, "begin", breaks_at_the_second)
    with closing(sink.create_committer(context)) as committer, pytest.raises(ConnectionError):
        committer.commit(0, [notes], False)
    # The job starts again with other settings, and the epoch has other packets.
    sink.transaction_packets = 10_000
    other = written(sink, spool, metrics, "A", "B", "C", "D")
    with closing(sink.create_committer(context)) as committer:
        committer.commit(0, [other], False)
    assert contents(nifi.take(flow.output)) == ["a", "b", "c", "d"], "the first try counts"


def test_a_port_that_is_stopped_or_full_is_waited_for(nifi: NiFiServer) -> None:
    flow = nifi.flow(limit=2)
    config = nifi.config(flow.input)
    run_sink(quick_sink(config), ["a", "b", "c"])
    impatient = {"backoff": Backoff(retries=1, initial_ms=1)}
    with pytest.raises(JobError, match="status 503") as failed:
        run_sink(quick_sink(config, **impatient), ["d"])
    assert failed.value.transient
    assert contents(nifi.take(flow.output)) == ["a", "b", "c"]
    nifi.stop_port("input-ports", flow.ids[0])
    with pytest.raises(JobError, match="status 503") as failed:
        run_sink(quick_sink(config, **impatient), ["d"])
    assert failed.value.transient


def test_ports_that_are_missing_are_named(nifi: NiFiServer) -> None:
    nifi.flow()
    wrong = nifi.config("nowhere")
    with pytest.raises(JobError, match="has no output port 'nowhere' .*there are: 'out-") as failed:
        records_of(NiFiSource(wrong), 1)
    assert not failed.value.transient
    with pytest.raises(JobError, match="has no input port 'nowhere'"):
        run_sink(quick_sink(wrong), ["a"])
    elsewhere = SiteToSiteClient.Builder().url(f"http://{nifi.address}/other").port_name("p").build_config()
    with pytest.raises(JobError, match="/other/nifi-api/site-to-site/peers does not answer as a NiFi does") as failed:
        run_sink(quick_sink(elsewhere), ["a"])
    assert not failed.value.transient
    closed = SiteToSiteClient.Builder().url(f"http://{nifi.address}/nifi-api/x").port_name("p").build_config()
    with pytest.raises(JobError, match=r"status 404: .*check that the URL .*/x/nifi-api/.* is that of a NiFi's API"):
        run_sink(quick_sink(closed), ["a"])
    by_id = SiteToSiteClient.Builder().url(nifi.url).port_identifier("nowhere").build_config()
    with pytest.raises(JobError, match=r"status 404: .*check the port's name or id"):
        run_sink(quick_sink(by_id), ["a"])


def test_a_record_that_is_no_packet_is_named() -> None:
    sink = NiFiSink(away(), lambda record, ctx: record)
    with pytest.raises(JobError, match="cannot make a packet of the record 'a': TypeError: the builder returned 'a'"):
        run_sink(sink, ["a"])
    sink = NiFiSink(away(), lambda record, ctx: StandardNiFiDataPacket(record, {}))
    with pytest.raises(JobError, match="WrongType: StandardNiFiDataPacket: the content must be bytes, got 'a'"):
        run_sink(sink, ["a"])


def test_packets_are_as_site_to_site_has_them() -> None:
    packets = [StandardNiFiDataPacket(b"hello", {"a": "\u00fc", "b": ""}), StandardNiFiDataPacket(b"", {})]
    data = b"".join(packet_as_bytes(each.content, each.attributes) for each in packets)
    assert data[:15] == b"\0\0\0\2\0\0\0\1a\0\0\0\2\xc3\xbc"
    assert list(packets_in(data)) == packets
    for end in range(1, len(data) - 12):
        with pytest.raises(ValueError, match="amid a packet"):
            list(packets_in(data[:end]))
    for wrong in (b"\xff" * 4, b"\0\0\0\1" + b"\xff" * 4, b"\0\0\0\0" + b"\xff" * 8):
        with pytest.raises(ValueError, match="-1"):
            list(packets_in(wrong))
    for huge in (b"\x7f" + b"\xff" * 3, b"\0\0\0\1\x7f" + b"\xff" * 3, b"\0\0\0\0\x7f" + b"\xff" * 7):
        with pytest.raises(ValueError, match="amid"):
            list(packets_in(huge))
    with pytest.raises(WrongType, match="attributes are texts by their names, got 'n': 1"):
        StandardNiFiDataPacket(b"", {"n": 1})  # type: ignore[dict-item]


def test_settings_that_are_not_possible() -> None:
    builder = SiteToSiteClient.Builder
    with pytest.raises(ValidationError, match="call url"):
        builder().port_name("p").build_config()
    with pytest.raises(ValidationError, match="call either port_name or port_identifier"):
        builder().url("http://localhost:8080/nifi").build_config()
    with pytest.raises(ValidationError, match="expected a URL such as"):
        builder().url("localhost:8080/nifi")
    with pytest.raises(ValidationError, match="with a user is not supported") as failed:
        builder().url("http://me:s3cret@localhost:8080/nifi")
    assert "s3cret" not in str(failed.value)
    with pytest.raises(ValidationError, match="request_batch_count needs a whole number of at least 1, got 0"):
        builder().request_batch_count(0)
    with pytest.raises(UnsupportedOperation, match="only HTTP is supported"):
        builder().transport_protocol("RAW")
    with pytest.raises(UnsupportedOperation, match="compressed transfer"):
        builder().use_compression(True)
    with pytest.raises(ValidationError, match=r"call .build_config\(\)"):
        NiFiSource(builder())  # type: ignore[arg-type]
    config = builder().urls(["http://a/nifi", "https://b/nifi/"]).port_name("p").timeout(5).request_batch_size(7)
    made = config.request_batch_duration(9).transport_protocol("HTTP").use_compression(False).build_config()
    assert made.get_urls() == ["http://a/nifi", "https://b/nifi"] and made.get_url() == "http://a/nifi"
    assert (made.get_timeout(), made.get_preferred_batch_size(), made.get_preferred_batch_duration()) == (5, 7, 9)
    assert (made.get_port_name(), made.get_port_identifier(), made.get_preferred_batch_count()) == ("p", None, None)

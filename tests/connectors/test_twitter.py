"""X's streams as a source, against a server of the documented protocol: whatever goes wrong, and what is told of it."""

from __future__ import annotations

import itertools
import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from datastream import JobError, StreamExecutionEnvironment
from datastream.connectors.twitter import (
    EndpointInitializer,
    FilteredStreamEndpoint,
    Reconnects,
    SampleStreamEndpoint,
    StreamingEndpoint,
    StreamRule,
    TwitterSource,
)
from datastream.connectors.twitter.notes import posts_in
from datastream.connectors.twitter.posts import StreamBroken, lines_of
from datastream.errors import ValidationError
from datastream.io import EnumeratorContext, SplitEnumerator, Spool
from datastream.testing.conformance import SourceConformance
from datastream.time import WatermarkStrategy
from tests.support.servers.twitter import KEY, SECRET, TOKEN, TwitterServer, in_seconds
from tests.support.waiting import wait_until

_QUICK = Reconnects(
    network_step_ms=10,
    server_first_ms=10,
    limit_first_ms=10,
    stall_ms=5_000,
    patience_ms=20_000,
    first_patience_ms=20_000,
)
#: The text of the last post that the trials read.
_LAST = "text 4"
#: Nobody listens there.
_AWAY = "http://127.0.0.1:9"


class QuickSource(TwitterSource):
    """One that does not wait as long as X asks for."""

    reconnects = _QUICK


pytestmark = pytest.mark.usefixtures("in_this_process")


@pytest.fixture
def twitter() -> Iterator[TwitterServer]:
    with TwitterServer() as server:
        yield server


def properties(url: str, **others: str) -> dict[str, str]:
    return {TwitterSource.BEARER_TOKEN: TOKEN, TwitterSource.CLIENT_HOSTS: url, **others}


def quick(twitter: TwitterServer, endpoint: StreamingEndpoint | None = None, **reconnects: float) -> TwitterSource:
    source = QuickSource(properties(twitter.url), endpoint)
    source.reconnects = Reconnects(**{**vars(_QUICK), **reconnects})
    return source


class Followed:
    """A source that is followed as the engine does, without a job."""

    def __init__(self, source: TwitterSource, folder: Path) -> None:
        self.spool = Spool(str(folder / "spool"), "uid")
        context = EnumeratorContext("job", "uid", 1, logging.getLogger("test"), self.spool)
        self.enumerator = source.create_enumerator(context)
        self.offset = self.enumerator.initial_offset()
        notes = self.spool.notes()
        if notes:
            self.offset = {"note": notes[-1][0], "count": 0}
        self.records: list[str] = []

    def look(self, budget: int = 1000) -> bool:
        """Plan and read an epoch; whether there was something."""
        end = self.enumerator.latest_offset(self.offset, budget)
        for split in self.enumerator.splits(self.offset, end, 2):
            posts = posts_in(self.spool, split.note)[split.first : split.end]
            self.records += [post.text.decode() for post in posts]
        found, self.offset = end != self.offset, end
        return found

    def until(self, count: int) -> list[str]:
        """All records so far, when there are so many."""

        def look() -> bool:
            self.look()
            return len(self.records) >= count

        wait_until(look, f"{count} records", 30, 0.005, lambda: self.records)
        return self.records


@contextmanager
def followed(source: TwitterSource, folder: Path) -> Iterator[Followed]:
    made = Followed(source, folder)
    made.look()
    try:
        yield made
    finally:
        made.enumerator.close()


def connected(twitter: TwitterServer, count: int = 1) -> None:
    """Wait until so many requests for a stream were answered with one."""
    wait_until(lambda: twitter.connections > 0 and len(twitter.asked) >= count, f"{count} connections", 30, 0.005)


class _Patient(SplitEnumerator):
    """Waits for posts until the last one is read, as the trials take three empty looks for the end."""

    def __init__(self, enumerator: SplitEnumerator, spool: Spool) -> None:
        self._enumerator, self._spool = enumerator, spool
        self.initial_offset, self.splits = enumerator.initial_offset, enumerator.splits
        self.commit, self.close = enumerator.commit, enumerator.close

    def initial_offset(self) -> Any: ...

    def splits(self, start: Any, end: Any, parallelism: int) -> Any: ...

    def latest_offset(self, start: Any, budget: int) -> Any:
        def look() -> Any:
            end = self._enumerator.latest_offset(start, budget)
            return None if end == start else end

        if start["count"] and _LAST in posts_in(self._spool, start["note"])[-1].text.decode():
            return start
        return wait_until(look, "posts", 30, 0.001)


class PatientSource(QuickSource):
    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return _Patient(super().create_enumerator(context), context.spool)


class TestTwitterSource(SourceConformance):
    secrets = (TOKEN,)

    @pytest.fixture(autouse=True)
    def _server(self, twitter: TwitterServer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("os.fsync", lambda file: None)  # no machine goes down here
        self.twitter = twitter
        self.expected = twitter.post(*(f"text {number}" for number in range(5)))
        assert _LAST in self.expected[-1]

    def create(self, folder: Path) -> TwitterSource:
        return PatientSource(properties(self.twitter.url), SampleStreamEndpoint(backfill_minutes=5))

    def unreachable(self) -> TwitterSource:
        source = QuickSource(properties(_AWAY))
        source.reconnects = Reconnects(first_patience_ms=200, network_step_ms=10)
        return source


def first(source: TwitterSource, count: int, twitter: TwitterServer, *texts: str) -> list[str]:
    """The first records of a job that reads a source, which get posted when it is connected."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    with env.add_source(source).execute_and_collect() as results:
        connected(twitter)
        twitter.post(*texts)
        return [json.loads(next(results))["data"]["text"] for _ in range(count)]


def test_a_job_as_in_flinks_documentation(twitter: TwitterServer) -> None:
    props = {}
    props[TwitterSource.CONSUMER_KEY] = KEY
    props[TwitterSource.CONSUMER_SECRET] = SECRET
    props[TwitterSource.CLIENT_HOSTS] = twitter.url
    props[TwitterSource.CLIENT_NAME] = "my job"
    assert first(TwitterSource(props), 2, twitter, "to be", "oder \u2028 nicht: \U0001f600") == [
        "to be",
        "oder \u2028 nicht: \U0001f600",
    ]
    assert twitter.asked == [("/2/tweets/sample/stream", {})]
    assert twitter.user_agents == {"my job"}


class Spark(EndpointInitializer):
    def create_endpoint(self) -> StreamingEndpoint:
        rules = [StreamRule("spark lang:en", "spark"), "flink"]
        return FilteredStreamEndpoint(rules, {"tweet.fields": ["created_at", "lang"]}, backfill_minutes=2)


def test_a_custom_endpoint_has_its_rules_and_parameters(twitter: TwitterServer) -> None:
    source = quick(twitter)
    source.set_custom_endpoint_initializer(Spark())
    assert first(source, 1, twitter, "a") == ["a"]
    parameters = {"tweet.fields": "created_at,lang", "backfill_minutes": "2"}
    assert twitter.asked == [("/2/tweets/search/stream", parameters)]
    assert sorted(rule["value"] for rule in twitter.rules.values()) == ["flink", "spark lang:en"]
    assert {rule.get("tag") for rule in twitter.rules.values()} == {"spark", None}


def test_records_have_the_time_of_their_posts(twitter: TwitterServer) -> None:
    from datastream.functions import ProcessFunction

    class Times(ProcessFunction):
        def process_element(self, value: str, ctx: Any) -> Iterator[int]:
            yield ctx.timestamp()

    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    strategy = WatermarkStrategy.for_monotonous_timestamps()
    stream = env.from_source(quick(twitter), strategy, "posts").process(Times())
    with stream.execute_and_collect() as results:
        connected(twitter)
        twitter.post("a", "b")
        assert [next(results), next(results)] == [1_767_225_600_000, 1_767_225_600_001]  # 2026-01-01


def break_by_disconnecting(twitter: TwitterServer) -> None:
    twitter.disconnect()


def break_by_a_notice(twitter: TwitterServer) -> None:
    twitter.send(json.dumps({"errors": [{"title": "operational-disconnect", "detail": "please come again"}]}).encode())
    twitter.disconnect()


def break_by_no_json(twitter: TwitterServer) -> None:
    twitter.send(b'<html>"oh no')


def break_by_silence(twitter: TwitterServer) -> None:
    twitter.silent = True


def break_with_503(twitter: TwitterServer) -> None:
    twitter.refuse(503, times=3)
    twitter.disconnect()


def break_with_429(twitter: TwitterServer) -> None:
    twitter.refuse(429, x_rate_limit_reset=in_seconds(-5))
    twitter.refuse(429)
    twitter.disconnect()


BREAKS = {
    break_by_disconnecting: "has ended the stream",
    break_by_a_notice: "X ends the stream: please come again",
    break_by_no_json: "a line that is not JSON",
    break_by_silence: "has sent nothing for 0.3 s, no empty line either",
    break_with_503: "refuses the stream /2/tweets/sample/stream with status 503: Trouble",
    break_with_429: "with status 429: Trouble",
}


@pytest.mark.parametrize("how", BREAKS, ids=lambda how: how.__name__)
def test_a_stream_that_breaks_is_connected_again_and_its_gap_filled(
    twitter: TwitterServer, tmp_path: Path, how: Callable[[TwitterServer], None], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    stall_ms = 300 if how is break_by_silence else _QUICK.stall_ms
    source = quick(twitter, SampleStreamEndpoint(backfill_minutes=5), stall_ms=stall_ms)
    with followed(source, tmp_path) as job:
        connected(twitter)
        posts = twitter.post("a", "b")
        job.until(2)
        how(twitter)
        wait_until(lambda: len(twitter.asked) > 1, "another connection", 30, 0.005)
        twitter.silent = False
        posts += twitter.post("c")
        connected(twitter, 2)
        posts += twitter.post("d")
        assert job.until(4) == posts, "each once, in order"
        assert not job.look()
    wait_until(lambda: not twitter.connections, "end of the connection", 10)
    told = "\n".join(record.getMessage() for record in caplog.records)
    assert BREAKS[how] in told and TOKEN not in told


def test_what_is_no_post_is_a_record_too(twitter: TwitterServer, tmp_path: Path) -> None:
    with followed(quick(twitter), tmp_path) as job:
        connected(twitter)
        twitter.send(b'{"data": 1}')
        twitter.send(b'{"notice": "x"}')
        assert job.until(2) == ['{"data": 1}', '{"notice": "x"}']


def test_a_job_that_starts_again_fills_the_gap_and_repeats_nothing(twitter: TwitterServer, tmp_path: Path) -> None:
    source = quick(twitter, SampleStreamEndpoint(backfill_minutes=5))
    with followed(source, tmp_path) as job:
        posts = twitter.post("a", "b")
        assert job.until(2) == posts
    missed = twitter.post("c")
    with followed(source, tmp_path) as job:
        assert job.until(1) == missed
        assert not job.look()


def test_an_offset_that_was_not_logged_is_handed_out_again(twitter: TwitterServer, tmp_path: Path) -> None:
    with followed(quick(twitter), tmp_path) as job:
        connected(twitter)
        twitter.post("a")
        wait_until(lambda: job.enumerator.backlog(job.offset) == {"stream": 1}, "a post", 30)
        end = job.enumerator.latest_offset(job.offset, 10)
        twitter.post("b")
        wait_until(lambda: job.enumerator.backlog(job.offset) == {"stream": 1}, "another post", 30)
        assert job.enumerator.latest_offset(job.offset, 10) == end
        assert [json.loads(text)["data"]["text"] for text in job.until(2)] == ["a", "b"]


def test_stored_posts_are_dropped_when_they_cannot_come_again(
    twitter: TwitterServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = time.monotonic()
    with followed(quick(twitter, SampleStreamEndpoint(backfill_minutes=1)), tmp_path) as job:
        connected(twitter)
        for text in "abc":
            twitter.post(text)
            job.until("abc".index(text) + 1)
        with monkeypatch.context() as patched:
            for number, after_s in ((1, 0), (2, 110), (3, 130)):
                patched.setattr("time.monotonic", lambda after_s=after_s: moment + after_s)
                job.enumerator.commit({"note": number, "count": 1})
        assert job.spool.notes() == [(2, 0), (3, 0)]
        with monkeypatch.context() as patched:
            patched.setattr("time.monotonic", lambda: moment + 250)
            job.enumerator.commit({"note": 3, "count": 1})
        assert job.spool.notes() == [(3, 0)]


def test_gaps_that_are_not_filled_are_told(
    twitter: TwitterServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with followed(quick(twitter, server_first_ms=1100), tmp_path) as job:
        connected(twitter)
        twitter.post("a")
        job.until(1)
        twitter.refuse(500)
        twitter.disconnect()
        connected(twitter, 3)
        wait_until(lambda: "posts may be lost" in caplog.text, "a warning", 30)
    assert "backfill_minutes of its endpoint is 0" in caplog.text


def test_a_line_that_does_not_end_is_not_kept() -> None:
    with pytest.raises(StreamBroken, match="a line of more than 4,194,304 bytes: b'xxx"):
        list(lines_of(itertools.repeat(b"x" * 2**16, 100)))


def test_a_slow_job_does_not_fill_the_memory(twitter: TwitterServer, tmp_path: Path) -> None:
    source = QuickSource(properties(twitter.url, **{TwitterSource.CLIENT_BUFFER_SIZE: "1000"}))
    with followed(source, tmp_path) as job:
        connected(twitter)
        posts = twitter.post(*("x" * 400 for _ in range(10)))
        wait_until(lambda: job.enumerator.backlog(job.offset) == {"stream": 3}, "a full buffer", 30)
        assert job.until(10) == posts


def failure_of(source: TwitterSource, folder: Path) -> str:
    with pytest.raises(Exception) as failed, followed(source, folder) as job:
        job.until(1)
    return f"{failed.type.__name__}: {failed.value}"


def test_a_wrong_token_is_told_and_never_shown(
    twitter: TwitterServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    source = QuickSource({**properties(twitter.url), TwitterSource.BEARER_TOKEN: "s3cret"})
    text = failure_of(source, tmp_path / "1")
    assert "ValidationError: X at http://127.0.0.1" in text and "with status 401: Unauthorized" in text
    assert "no such token: Bearer <secret>" in text
    keyed = QuickSource(
        {
            TwitterSource.CONSUMER_KEY: KEY,
            TwitterSource.CONSUMER_SECRET: f"{SECRET}!",
            TwitterSource.CLIENT_HOSTS: twitter.url,
        }
    )
    text += failure_of(keyed, tmp_path / "2")
    assert "refuses /oauth2/token with status 403" in text
    with pytest.raises(JobError) as failed:
        run(source)
    assert not failed.value.transient
    shown = [text, str(failed.value), caplog.text, repr(source), repr(vars(source)), repr(keyed), repr(vars(keyed))]
    for secret in ("s3cret", f"{SECRET}!", KEY):
        assert all(secret not in each for each in shown), secret


def run(source: TwitterSource) -> list[Any]:
    return list(StreamExecutionEnvironment.get_execution_environment().add_source(source).execute_and_collect(limit=1))


def test_a_source_gives_up_when_x_is_away_for_too_long(twitter: TwitterServer, tmp_path: Path) -> None:
    twitter.refuse(503, times=1000)
    text = failure_of(quick(twitter, first_patience_ms=100), tmp_path)
    assert text.startswith("ConnectionError: X at ") and "no connection came about for" in text


def test_limits_are_waited_for_with_patience(
    twitter: TwitterServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    twitter.refuse(429, x_rate_limit_reset=in_seconds(1))
    with followed(quick(twitter, first_patience_ms=0), tmp_path) as job:
        connected(twitter, 2)
        assert job.until(0) == []
        twitter.post("a")
        job.until(1)
    assert "connected again in" in caplog.text


def test_one_connection_too_many_is_tried_again_soon(tmp_path: Path) -> None:
    with TwitterServer(most_connections=1) as twitter, followed(quick(twitter), tmp_path / "1") as old:
        connected(twitter)
        with followed(quick(twitter, limit_first_ms=10**6), tmp_path / "2") as job:
            wait_until(lambda: len(twitter.asked) > 2, "refusals", 30)
            old.enumerator.close()
            wait_until(lambda: twitter.post("a") and job.look(), "a post", 30)


def test_rules_are_completed_replaced_or_an_error(twitter: TwitterServer, tmp_path: Path) -> None:
    twitter.rules = {"1": {"value": "flink"}, "2": {"value": "spark", "tag": "old"}}
    twitter.page = 1
    text = failure_of(quick(twitter, FilteredStreamEndpoint(["flink"])), tmp_path / "1")
    assert "the app has 1 other rules" in text and ": 'spark'; use replace_rules=True" in text
    wanted = [StreamRule("spark", "new"), "flink"]
    with followed(quick(twitter, FilteredStreamEndpoint(wanted, replace_rules=True)), tmp_path / "2"):
        connected(twitter)
    found = {rule["value"]: rule.get("tag") for rule in twitter.rules.values()}
    assert found == {"flink": None, "spark": "new"} and "1" in twitter.rules
    with followed(quick(twitter, FilteredStreamEndpoint(wanted)), tmp_path / "3"):
        connected(twitter, 2)
    twitter.invalid_rules = {"oh:no"}
    text = failure_of(quick(twitter, FilteredStreamEndpoint([*wanted, "oh:no"])), tmp_path / "4")
    assert "refuses rules: 'oh:no': Invalid Rule: no such operator" in text


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "needs the property 'twitter-source.bearerToken', or both"),
        ({TwitterSource.CONSUMER_KEY: "s3cret"}, "needs the property"),
        ({TwitterSource.TOKEN: "s3cret"}, "'twitter-source.token' is of OAuth 1.0a, and the streams of API v1.1"),
        ({TwitterSource.BEARER_TOKEN: "a", TwitterSource.TOKEN_SECRET: "s3cret"}, "tokenSecret' is of OAuth 1.0a"),
        ({TwitterSource.BEARER_TOKEN: "s3cret\n."}, "must be a text of printable ASCII"),
        ({TwitterSource.BEARER_TOKEN: 7}, "must be a str, got int"),
        ({TwitterSource.BEARER_TOKEN: "a", "twitter-source.hots": "x"}, "unknown property 'twitter-source.hots'"),
        ({TwitterSource.BEARER_TOKEN: "a", TwitterSource.CLIENT_HOSTS: "http://x.com"}, "in plain text; use https"),
        ({TwitterSource.BEARER_TOKEN: "a", TwitterSource.CLIENT_HOSTS: "https://a:s3cret@x.com"}, "without a user"),
        ({TwitterSource.BEARER_TOKEN: "a", TwitterSource.CLIENT_BUFFER_SIZE: "0"}, "must be a number of bytes"),
    ],
)
def test_properties_that_are_not_possible(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError, match=says.replace("(", r"\(")) as failed:
        TwitterSource(given)
    assert "s3cret" not in str(failed.value)


def test_endpoints_that_are_not_possible() -> None:
    with pytest.raises(ValidationError, match="backfill_minutes must be a whole number from 0 to 5, got 6"):
        SampleStreamEndpoint(backfill_minutes=6)
    with pytest.raises(ValidationError, match="the parameter 'backfill_minutes' cannot be set here"):
        SampleStreamEndpoint({"backfill_minutes": "5"})
    with pytest.raises(ValidationError, match="at least one rule"):
        FilteredStreamEndpoint([])
    with pytest.raises(ValidationError, match="the rule 'a' is there twice"):
        FilteredStreamEndpoint(["a", StreamRule("a", "b")])
    with pytest.raises(ValidationError, match="replace_rules=True needs the rules"):
        FilteredStreamEndpoint(replace_rules=True)
    source = TwitterSource({TwitterSource.BEARER_TOKEN: "a"})
    with pytest.raises(ValidationError, match="needs an EndpointInitializer"):
        source.set_custom_endpoint_initializer(SampleStreamEndpoint())  # type: ignore[arg-type]

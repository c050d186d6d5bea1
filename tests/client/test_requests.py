"""Which requests are sent again, and which errors answers are."""

from __future__ import annotations

import socket

import pytest

from datastream.client import GatewayAway, GatewayClient, GatewayError, NotAllowed, NotFound
from tests.client.jobs_json import ARTIFACT, JID, job_json
from tests.client.scripted_server import Answer, ScriptedServer, refusal

JOBS = "GET /jobs/overview"
RUN = "POST /artifacts/a/run"


def test_the_token_is_sent(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(JOBS, {"jobs": []})
    assert client.jobs() == []
    assert server.seen[0].headers["Authorization"] == "Bearer secret-token"


def test_a_read_is_repeated_when_the_connection_breaks(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(JOBS, Answer(silent=True), Answer(silent=True), {"jobs": [job_json()]})
    assert [job.id for job in client.jobs()] == [JID]
    assert len(server.seen) == 3


def test_a_read_is_not_repeated_for_ever(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(JOBS, Answer(silent=True))
    with pytest.raises(GatewayAway, match=f"the connection to the gateway at {server.url} broke"):
        client.jobs()
    assert len(server.seen) == 4


def test_a_write_is_not_repeated_when_the_connection_breaks(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(RUN, Answer(silent=True), {"jobid": JID})
    with pytest.raises(GatewayAway, match="broke"):
        client.run("a")
    assert len(server.seen) == 1


@pytest.mark.parametrize("status", [429, 503])
def test_a_read_waits_for_a_busy_gateway(client: GatewayClient, server: ScriptedServer, status: int) -> None:
    server.on(JOBS, refusal(status, "busy", Retry_After="0"), {"jobs": []})
    assert client.jobs() == []
    assert len(server.seen) == 2


def test_a_read_does_not_wait_where_the_gateway_does_not_say_how_long(
    client: GatewayClient, server: ScriptedServer
) -> None:
    for later in ({}, {"Retry_After": "3600"}, {"Retry_After": "soon"}):
        server.on(JOBS, refusal(503, "the launcher is away", **later))
        with pytest.raises(GatewayError, match="the launcher is away") as caught:
            client.jobs()
        assert caught.value.status == 503
    assert len(server.seen) == 3


def test_retry_after_may_be_a_date(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(JOBS, refusal(503, "busy", Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"), {"jobs": []})
    assert client.jobs() == []


@pytest.mark.parametrize("status", [429, 503])
def test_a_write_to_a_busy_gateway_is_an_error(client: GatewayClient, server: ScriptedServer, status: int) -> None:
    server.on(RUN, refusal(status, "too many jobs: 20", Retry_After="0"))
    with pytest.raises(GatewayError, match="too many jobs: 20") as caught:
        client.run("a")
    assert (caught.value.status, caught.value.errors) == (status, ("too many jobs: 20",))
    assert len(server.seen) == 1


def test_without_a_gateway_the_error_says_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with GatewayClient(url, "secret-token") as client:
        for call in (client.jobs, lambda: client.run("a")):
            with pytest.raises(GatewayAway) as caught:
                call()
            assert url in str(caught.value) and "datastream-gateway serve" in str(caught.value)
            assert isinstance(caught.value, ConnectionError)
            assert "secret-token" not in str(caught.value)


def test_a_gateway_that_says_nothing_is_away() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        GatewayClient(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout_s=0.2) as client,
        pytest.raises(GatewayAway, match=r"did not answer within 0.2 s"),
    ):
        client.jobs()


def test_401_and_403_tell_how_to_make_a_token(server: ScriptedServer) -> None:
    server.on(JOBS, refusal(401, "no token"), refusal(401, "it has expired"), refusal(403, "it needs the scope write"))
    for token, message in ((None, "wants a token: no token"), ("secret", "this token: it has expired"),
                           ("secret", "may not do that: it needs the scope write")):  # fmt: skip
        with GatewayClient(server.url, token) as client, pytest.raises(NotAllowed, match=message) as caught:
            client.jobs()
        assert "datastream-gateway token create" in str(caught.value)
        assert "secret" not in str(caught.value)


def test_other_refusals_bring_the_gateways_words(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(f"PATCH /jobs/{JID}", refusal(409, "the job has ended", "long ago"))
    with pytest.raises(GatewayError) as caught:
        client.cancel(JID)
    assert str(caught.value) == "the job has ended; long ago (status 409)"
    assert caught.value.errors == ("the job has ended", "long ago")
    with pytest.raises(NotFound, match="nothing at /jobs/x") as caught:
        client.job("x")
    assert caught.value.status == 404


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"<html>Welcome</html>", headers={"Content-Type": "text/html"}),
        Answer([]),
        Answer({"jobs": [{"name": "without an id"}]}),
        Answer({"jobs": [{"jid": "a", "artifact": 3}]}),
        Answer({"jobs": 3}),
        Answer(b"", 302, {"Location": "https://elsewhere/"}),
        Answer(b"<html>" * 1000, 502, {"Content-Type": "text/html"}),
        Answer({"errors": []}, 500),
    ],
)
def test_another_server_is_an_error_of_one_line(client: GatewayClient, server: ScriptedServer, answer: Answer) -> None:
    server.on(JOBS, answer)
    with pytest.raises(GatewayError) as caught:
        client.jobs()
    assert len(str(caught.value)) < 300 and "<html>" not in str(caught.value)


def test_a_redirect_is_not_followed(client: GatewayClient, server: ScriptedServer) -> None:
    with ScriptedServer() as other:
        other.on(JOBS, {"jobs": []})
        server.on(JOBS, Answer(b"", 307, {"Location": f"{other.url}/jobs/overview"}))
        with pytest.raises(GatewayError, match="leads to"):
            client.jobs()
        assert other.seen == []


def test_an_id_stays_in_its_place_of_the_path(client: GatewayClient, server: ScriptedServer) -> None:
    with pytest.raises(NotFound):
        client.job("../artifacts?x=1")
    assert server.seen[0].path == "/jobs/..%2Fartifacts%3Fx%3D1"
    with pytest.raises(GatewayError, match="expected an id"):
        client.forget("..")
    assert len(server.seen) == 1


def test_a_read_whose_answer_is_cut_is_repeated(client: GatewayClient, server: ScriptedServer) -> None:
    whole = Answer({"files": [ARTIFACT]})
    server.on("GET /artifacts", Answer(whole.content[:20], announced=len(whole.content)), whole)
    assert [artifact.id for artifact in client.artifacts()] == ["a1b2c3"]


def test_a_write_whose_answer_is_cut_is_an_error(client: GatewayClient, server: ScriptedServer) -> None:
    server.on(RUN, Answer({"jobid": JID}, announced=100_000))
    with pytest.raises(GatewayAway, match="broke"):
        client.run("a")
    assert len(server.seen) == 1

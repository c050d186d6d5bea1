"""What may be uploaded, and what is refused."""

from __future__ import annotations

import gzip
import http.client
import io
import os
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import httpx
import psutil
import pytest

from tests.services.gateway.conftest import WORDS, GatewayServer


def zipped(files: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def tarred(*members: tarfile.TarInfo) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for member in members:
            archive.addfile(member, io.BytesIO(b"x" * member.size))
    return out.getvalue()


def member(name: str, size: int = 1, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = (size if kind == tarfile.REGTYPE else 0), kind, link
    return info


def linked_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("secrets")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return out.getvalue()


def refused(gateway: GatewayServer, name: str, content: bytes, status: int) -> str:
    answer = gateway.client.post("/artifacts/upload", params={"name": name}, content=content)
    assert answer.status_code == status, answer.text
    return str(answer.json()["errors"][0])


def test_a_script_is_kept(gateway: GatewayServer) -> None:
    answer = gateway.client.post(
        "/artifacts/upload", params={"name": "words.py"}, content=WORDS, headers={"Content-Type": "text/x-python"}
    ).json()
    assert (answer["status"], answer["filename"], answer["type"]) == ("success", "words.py", "script")
    assert answer["entry"] == [{"name": "__main__", "description": None}]
    there = gateway.client.get("/artifacts").json()["files"]
    assert answer["id"] in [file["id"] for file in there]
    assert gateway.client.get(f"/artifacts/{answer['id']}/content").text == WORDS


def test_the_same_file_is_kept_once(gateway: GatewayServer) -> None:
    assert gateway.upload("same.py", "x = 1\n") == gateway.upload("same.py", "x = 1\n")
    assert gateway.upload("same.py", "x = 1\n") != gateway.upload("same.py", "x = 2\n")


def test_a_form_is_taken_as_flink_takes_it(gateway: GatewayServer) -> None:
    files = {"jarfile": ("form.py", b"x = 3\n", "application/octet-stream")}
    answer = gateway.client.post("/artifacts/upload", files=files)
    assert answer.json()["filename"] == "form.py"
    assert gateway.client.post("/artifacts/upload", files={"a": ("../../x.py", b"")}).status_code == 400


def test_the_modules_of_an_archive_are_told(gateway: GatewayServer) -> None:
    content = zipped({"flights/__main__.py": "", "flights/job.py": "", "__main__.py": "", "a-b/__main__.py": ""})
    answer = gateway.client.post("/artifacts/upload", params={"name": "flights.zip"}, content=content).json()
    assert [entry["name"] for entry in answer["entry"]] == ["__main__", "flights"]
    packed = tarred(member("job/__main__.py"))
    answer = gateway.client.post("/artifacts/upload", params={"name": "flights.tar.gz"}, content=packed).json()
    assert (answer["type"], answer["entry"][0]["name"]) == ("archive", "job")


@pytest.mark.parametrize("name", ["../x.py", "/etc/x.py", "a/b.py", "..\\x.py", ".hidden.py", "x\0.py", "", "x" * 300])
def test_a_name_cannot_leave_its_folder(gateway: GatewayServer, name: str) -> None:
    assert gateway.client.post("/artifacts/upload", params={"name": name}, content=b"x").status_code in (400, 422)


def test_a_jar_and_other_files_are_no_artifacts(gateway: GatewayServer) -> None:
    assert "no connector jars" in refused(gateway, "kafka.jar", b"PK", 415)
    assert "an artifact is a .py script or an archive" in refused(gateway, "notes.txt", b"hello", 415)
    answer = gateway.client.post(
        "/artifacts/upload", params={"name": "x.zip"}, headers={"Content-Type": "application/x-java-archive"}
    )
    assert answer.status_code == 415


def test_what_is_no_script_is_refused_with_its_line(gateway: GatewayServer) -> None:
    assert "wrong.py is no Python script, line 2: " in refused(gateway, "wrong.py", b"x = 1\ndef :\n", 400)
    assert "is empty" in refused(gateway, "empty.py", b"", 400)
    assert "is no Python script" in refused(gateway, "binary.py", b"\xff\xfe\0\0", 400)
    assert "is no Python script" in refused(gateway, "deep.py", b"(" * 100_000, 400)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.zip", b"no zip at all", "no zip file"),
        ("b.zip", zipped({"x": b"1" * 5000})[:-60], "no zip file"),
        ("c.zip", zipped({"../evil.py": "x"}), "outside the folder"),
        ("d.zip", zipped({"/etc/cron.d/evil": "x"}), "outside the folder"),
        ("e.zip", linked_zip(), "is a link"),
        ("f.tar.gz", tarred(member("../evil.py")), "outside"),
        ("g.tar.gz", tarred(member("a", kind=tarfile.SYMTYPE, link="/etc/passwd")), "absolute"),
        ("h.tar.gz", tarred(member("a", kind=tarfile.CHRTYPE)), "special file"),
        ("i.tar.gz", b"\x1f\x8b no gzip", "no archive that can be read"),
        ("j.whl", b"", "empty"),
    ],
    ids=list("abcdefghij"),  # contents hold the time, which is not the same in all processes that collect the tests
)
def test_a_harmful_or_damaged_archive_is_refused(gateway: GatewayServer, name: str, content: bytes, why: str) -> None:
    assert why in refused(gateway, name, content, 400)


@pytest.mark.long
def test_bombs_are_refused_before_they_are_unpacked(gateway: GatewayServer) -> None:
    bomb = zipped({f"{n}": bytes(200 << 20) for n in range(6)})
    assert len(bomb) < 2 << 20
    assert "more than 1,073,741,824 bytes when unpacked" in refused(gateway, "bomb.zip", bomb, 413)
    many = zipped({f"{n}": "" for n in range(20_001)})
    assert "more than 20,000 files" in refused(gateway, "many.zip", many, 413)
    huge = member("zeros")
    huge.size = 8 << 30
    head = huge.tobuf(tarfile.GNU_FORMAT)
    assert "when unpacked" in refused(gateway, "bomb.tar", head + bytes(10240), 413)


@pytest.mark.long
def test_headers_do_not_take_the_memory_that_they_say(gateway: GatewayServer) -> None:
    """A name of 300 MB in a tar file of 300 kB."""
    process = psutil.Process(gateway.run.process.pid)
    before = process.memory_info().rss
    name = member("x", size=300 << 20)
    for kind in (tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE):
        name.type = kind
        bomb = gzip.compress(name.tobuf(tarfile.GNU_FORMAT) + bytes(300 << 20), 1)
        assert "a header has more than" in refused(gateway, "bomb.tgz", bomb, 413)
    many = zipped({f"{n:0>200}": "" for n in range(70_000)})
    assert "more than 20,000 files" in refused(gateway, "many.zip", many, 413)
    assert process.memory_info().rss - before < 150 << 20


@pytest.mark.parametrize("name", ["作" * 90 + ".py", "é" * 130 + ".py"])
def test_a_name_is_counted_in_bytes(gateway: GatewayServer, name: str) -> None:
    assert "up to 200 bytes" in refused(gateway, name, b"x = 1", 400)


def test_an_upload_that_is_too_large_is_refused_before_it_has_come(gateway: GatewayServer) -> None:
    """By the length that it says; without one as soon as too much has come."""
    with closing(http.client.HTTPConnection("127.0.0.1", int(gateway.url.rpartition(":")[2]), timeout=60)) as client:
        client.putrequest("POST", "/artifacts/upload?name=x.py")
        client.putheader("Authorization", f"Bearer {gateway.token}")
        client.putheader("Content-Length", str(10 << 30))
        client.endheaders()
        assert client.getresponse().status == 413


@pytest.mark.long
def test_a_stream_without_end_is_cut(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway("--max-upload", "4MiB")
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while sent < 200 << 20:
            sent += 1 << 20
            yield bytes(1 << 20)

    with suppress(httpx.HTTPError):  # the connection may end while we still send
        answer = gateway.client.post("/artifacts/upload", params={"name": "x.py"}, content=endless())
        assert answer.status_code == 413
    assert sent < 200 << 20
    assert os.listdir(gateway.data / "artifacts") == []


def test_a_large_body_elsewhere_is_refused(gateway: GatewayServer) -> None:
    id = gateway.upload("x.py", "x = 1\n")
    with closing(http.client.HTTPConnection("127.0.0.1", int(gateway.url.rpartition(":")[2]), timeout=60)) as client:
        client.putrequest("POST", f"/artifacts/{id}/run")
        client.putheader("Authorization", f"Bearer {gateway.token}")
        client.putheader("Content-Length", str(2 << 20))
        client.endheaders()
        assert client.getresponse().status == 413


@pytest.mark.long
def test_an_upload_that_was_cut_off_leaves_nothing(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway("--max-upload", "1KiB")
    assert "1,024 bytes are allowed" in refused(gateway, "x.py", b"#" * 2000, 413)
    (gateway.data / "artifacts" / ".part-left").write_bytes(b"x")
    gateway.run.process.kill()
    gateway.run.wait()
    gateway.start()
    assert os.listdir(gateway.data / "artifacts") == []


def test_an_artifact_is_deleted(gateway: GatewayServer) -> None:
    id = gateway.upload("gone.py", "x = 99\n")
    assert gateway.client.delete(f"/artifacts/{id}").json() == {}
    assert gateway.client.delete(f"/artifacts/{id}").status_code == 404
    assert gateway.client.get(f"/artifacts/{id}/content").status_code == 404
    assert not Path(gateway.data, "artifacts", id).exists()
    for path in ("../..", "%2e%2e", "..%2f..%2fgateway.db"):
        assert gateway.client.delete(f"/artifacts/{path}").status_code in (404, 405)


def zip_with_a_directory(members: int) -> bytes:
    """A zip file whose list of files takes far more memory than the file has bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("__main__.py", "")
    one = packed.getvalue()
    begin = one.index(b"PK\x01\x02")
    entry, end = one[begin : one.index(b"PK\x05\x06")], one[one.index(b"PK\x05\x06") :]
    size = len(entry) * members
    # "PK\5\6" in the comment: who looks for the end of the directory by that finds the wrong one.
    tail = end[:8] + struct.pack("<HHII", 65535, 65535, size, begin) + struct.pack("<H", 0)
    return one[:begin] + entry * members + tail


def tar_header(size: bytes, kind: bytes = b"0") -> bytes:
    """One header of a tar file with its checksum."""
    block = bytearray(tarfile.TarInfo("__main__.py").tobuf())
    block[124:136], block[156:157], block[148:156] = size, kind, b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


MINUS_512 = b"\xff" * 10 + (-512 & 0xFFFF).to_bytes(2, "big")


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("many.zip", zip_with_a_directory(400_000)),
        ("back.tar", tar_header(MINUS_512) * 4),
        ("back_by_name.tar", tar_header(MINUS_512, b"L") * 4),
        ("back_by_pax.tar", tar_header(MINUS_512, b"x") * 4),
        ("back_in_gzip.tgz", gzip.compress(tar_header(MINUS_512) * 4)),
        ("commas.py", b"a," * 500_000),
        ("deep.py", b"(" * 500_000),
        ("minus.py", b"-" * 900_000 + b"1"),
        ("nested.py", b"\n".join(b" " * depth + b"if x:" for depth in range(900))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_takes_too_much_to_look_into_is_refused(gateway: GatewayServer, name: str, content: bytes) -> None:
    process = psutil.Process(gateway.run.process.pid)
    before = process.memory_info().rss
    answers = [gateway.client.post("/artifacts/upload", params={"name": name}, content=content) for _ in range(2)]
    assert {answer.status_code for answer in answers} <= {400, 413}, answers[0].text
    assert process.memory_info().rss - before < 50 << 20
    assert (
        gateway.client.get("/jobs").status_code == 200
        and gateway.client.post("/artifacts/upload", params={"name": "fine.py"}, content=b"x = 1").is_success
    )
    assert "Traceback" not in gateway.run.err


def test_the_module_of_a_script_is_checked(gateway: GatewayServer) -> None:
    id = gateway.upload("words.py", WORDS)
    answer = gateway.client.post(f"/artifacts/{id}/run", json={"pythonEntryModule": "os;x"})
    assert answer.status_code == 400 and "no module's name" in answer.text

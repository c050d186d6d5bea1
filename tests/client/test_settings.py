"""Where the gateway's URL and token come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from datastream.client import GatewayClient, SettingsError, find_settings


def write(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "datastream" / "gateway.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


FILE = 'url = "http://file:1"\ntoken = "of-file"\n'


def environ(folder: Path, **more: str) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(folder), **more}


def test_without_settings_it_is_the_default_and_no_token(no_settings: Path) -> None:
    found = find_settings(environ=environ(no_settings))
    assert (found.url, found.token) == ("http://127.0.0.1:8081", None)
    assert "--token-file" in found.token_from and "DATASTREAM_GATEWAY_TOKEN" in found.token_from


def test_flag_before_environment_before_file(no_settings: Path, tmp_path: Path) -> None:
    path = write(no_settings, FILE)
    found = find_settings(environ=environ(no_settings))
    assert (found.url, found.token, found.url_from, found.token_from) == (
        "http://file:1", "of-file", str(path), str(path),
    )  # fmt: skip
    variables = environ(
        no_settings, DATASTREAM_GATEWAY_URL="http://variable:2/", DATASTREAM_GATEWAY_TOKEN="of-variable"
    )
    found = find_settings(environ=variables)
    assert (found.url, found.token) == ("http://variable:2", "of-variable")
    token = tmp_path / "token"
    token.write_text("of-flag\n")
    found = find_settings("https://flag:3/sub/", token, variables)
    assert (found.url, found.token) == ("https://flag:3/sub", "of-flag")


def test_home_has_the_file_where_nothing_else_is_said(tmp_path: Path) -> None:
    (tmp_path / ".config").mkdir()
    write(tmp_path / ".config", FILE)
    assert find_settings(environ={"HOME": str(tmp_path)}).token == "of-file"


def test_the_token_of_the_file_goes_to_the_url_of_the_file_only(no_settings: Path) -> None:
    path = write(no_settings, FILE)
    found = find_settings("http://other:1", environ=environ(no_settings))
    assert found.token is None
    assert found.token_from == f"the one in {path} is for http://file:1, and is not sent to http://other:1"
    write(no_settings, 'token = "of-file"\n')
    assert find_settings(environ=environ(no_settings)).token == "of-file"
    assert find_settings("http://other:1", environ=environ(no_settings)).token is None


def test_a_token_never_shows(no_settings: Path) -> None:
    write(no_settings, FILE)
    assert "of-file" not in repr(find_settings(environ=environ(no_settings)))
    with GatewayClient("http://127.0.0.1:1", "of-file") as client:
        assert repr(client) == "GatewayClient('http://127.0.0.1:1')"
        assert "of-file" not in repr(vars(client))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("url = ", "is not valid TOML"),
        ("url = 8081\n", "url: expected a text in quotes"),
        ('url = "localhost:8081"\n', "url: expected a URL such as http://127.0.0.1:8081, got 'localhost:8081'"),
        ('token = "two words"\n', "token: the token has blanks"),
        ('token = ""\n', "token: the token is empty"),
    ],
)
def test_an_error_in_the_file_names_it(no_settings: Path, text: str, message: str) -> None:
    path = write(no_settings, text)
    with pytest.raises(SettingsError) as caught:
        find_settings(environ=environ(no_settings))
    assert str(path) in str(caught.value) and message in str(caught.value)
    assert "two words" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["", "8081", "ftp://x", "http://", "http://h:port", "http://h:99999", "http://u:p@h", "http://h?x=1"]
)
def test_an_error_in_the_url_names_where_it_is_from(no_settings: Path, url: str) -> None:
    with pytest.raises(SettingsError, match="^--gateway: "):
        find_settings(url, environ=environ(no_settings))
    if url:
        with pytest.raises(SettingsError, match="^DATASTREAM_GATEWAY_URL: "):
            find_settings(environ=environ(no_settings, DATASTREAM_GATEWAY_URL=url))
    with pytest.raises(SettingsError, match="^url: "):
        GatewayClient(url)


def test_an_error_in_the_token_names_where_it_is_from(no_settings: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"^--token-file .*none cannot be read: No such file"):
        find_settings(token_file=tmp_path / "none", environ=environ(no_settings))
    (tmp_path / "binary").write_bytes(b"\xff")
    with pytest.raises(SettingsError, match=r"^--token-file .*binary cannot be read: not UTF-8"):
        find_settings(token_file=tmp_path / "binary", environ=environ(no_settings))
    with pytest.raises(SettingsError, match="^DATASTREAM_GATEWAY_TOKEN: the token has") as caught:
        find_settings(environ=environ(no_settings, DATASTREAM_GATEWAY_TOKEN="größe"))
    assert "größe" not in str(caught.value)


def test_a_file_that_others_may_read_is_warned_of(no_settings: Path) -> None:
    path = write(no_settings, FILE, 0o644)
    assert find_settings(environ=environ(no_settings)).warnings == (
        f"other users may read the token in {path}: chmod 600 {path}",
    )
    write(no_settings, FILE)
    assert find_settings(environ=environ(no_settings)).warnings == ()

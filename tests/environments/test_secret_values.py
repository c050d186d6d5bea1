"""Secrets stay out of texts, in whatever form they stand there."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datastream.environments.secret_values import (
    HIDDEN,
    hide,
    hide_arguments,
    hide_in,
    is_secret,
    secrets_of,
    shown,
)

#: Begin and end of each secret, so that a part of it that is left is found.
HEAD, TAIL = "Zq7x", "Wx9y"
NAMES = (
    *("password", "db.password", "DB_PASS", "userPwd", "passwd", "ssl.key.password", "trust.Password", "passphrase"),
    *("secret", "client_secret", "fs.azure.account.key", "apikey", "api-key", "auth-params", "service-key", "token"),
    *("accessToken", "basic-auth", "properties.sasl.jaas.config", "http-headers", "s3.secret-key", "AccountKey"),
    *("passwrd", "pasword", "passwod", "passwoord"),
    *("authorization", "credentials", "private_key", "basic.auth.user.info", "signature", "sig", "cookie"),
)
FORMS = {
    "argument": lambda name, secret: f"job.py --{name}={secret} --verbose",
    "option": lambda name, secret: f"job.py --{name} {secret} --verbose",
    "quoted option": lambda name, secret: f"job.py --{name} {json.dumps(secret)} --verbose",
    "list": lambda name, secret: f"started {['job.py', '--' + name, secret, '--verbose']!r}",
    "java": lambda name, secret: f"-Xmx1g -D{name}={secret} -ea",
    "properties": lambda name, secret: f"a = b\n{name} = {secret}\nc = d",
    "yaml": lambda name, secret: f"a: b\n{name}: {secret}\nc: d",
    "quoted yaml": lambda name, secret: f"a: b\n  {name}: {json.dumps(secret)}\nc: d",
    "json": lambda name, secret: json.dumps({"a": "b", name: secret, "c": 1}),
    "compact json": lambda name, secret: json.dumps({"a": "b", name: secret, "c": 1}, separators=(",", ":")),
    "json within json": lambda name, secret: json.dumps({"a": json.dumps({name: secret})}),
    "repr": lambda name, secret: f"settings { ({'a': 'b', name: secret})!r}",
    "sql": lambda name, secret: f"WITH ('connector' = 'x', '{name}' = {sql(secret)}, 'topic' = 't')",
    "jaas": lambda name, secret: f'org.Plain required user="me" {name}={json.dumps(secret)};',
    "query": lambda name, secret: f"cannot open https://host/db?a=1&{name}={quote(secret, safe='')}&b=2: refused",
    "jdbc": lambda name, secret: f"jdbc:postgresql://host:5432/db?user=me&{name}={quote(secret)}",
    "odbc": lambda name, secret: f"Server=host;Database=db;{name}={secret}",
    "python": lambda name, secret: f'  File "job.py", line 3\n    connect({name.replace(".", "_")}={secret!r}, port=1)',
    "arrow": lambda name, secret: f"{{{name} => {secret}}}",
    "cut": lambda name, secret: f"WITH ('{name}' = {sql(secret)}"[:-1],
}
#: What needs no name that tells it.
NAMELESS = {
    "user in URL": lambda secret: f"postgresql+psycopg://me:{secret}@host:5432/db is away",
    "quoted user in URL": lambda secret: f"'amqp://me:{quote(secret, safe='')}@host/%2F'",
    "user alone": lambda secret: f"https://{secret}@host/simple",
    "bearer": lambda secret: f"curl -H 'Authorization: Bearer {secret}' http://host",
    "bearer alone": lambda secret: f"got Bearer {quote(secret, safe='')}",
    "key in URL": lambda secret: f"https://host/v1?key={quote(secret, safe='')}&page=2",
    "private key": lambda secret: f"-----BEGIN PRIVATE KEY-----\n{secret}\n-----END PRIVATE KEY-----",
}
IN_QUOTES = ("quoted option", "list", "quoted yaml", "json", "compact json", "json within json", "repr", "sql", "jaas")

words = st.text(st.characters(exclude_categories=("Cs", "Cc", "Z"), exclude_characters="\\"), max_size=12)
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)


def sql(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def assert_hidden(text: str) -> None:
    assert HEAD not in text and TAIL not in text, text
    assert HIDDEN in text


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=30)
@given(name=st.sampled_from(NAMES), middle=words)
def test_what_is_assigned_to_a_secret_name_is_hidden(form: str, name: str, middle: str) -> None:
    assert_hidden(hide(FORMS[form](name, HEAD + middle + TAIL)))


@pytest.mark.parametrize("form", IN_QUOTES)
@settings(max_examples=30)
@given(name=st.sampled_from(NAMES), middle=texts)
def test_secrets_in_quotes_may_hold_whatever_they_like(form: str, name: str, middle: str) -> None:
    if form == "sql":
        middle = middle.replace("\\", "")  # which SQL takes as it is, and JSON and Python do not
    assert_hidden(hide(FORMS[form](name, HEAD + middle + TAIL)))


@pytest.mark.parametrize("form", NAMELESS)
@settings(max_examples=30)
@given(middle=words)
def test_secrets_without_a_name_are_hidden(form: str, middle: str) -> None:
    assert_hidden(hide(NAMELESS[form](HEAD + middle + TAIL)))


@given(name=st.sampled_from(NAMES), middle=texts)
def test_secrets_of_settings_and_arguments_are_hidden_wherever_a_text_has_them(name: str, middle: str) -> None:
    secret = HEAD + middle + TAIL
    said = f"login as me with {secret} failed ({secret})"
    assert_hidden(hide(said, secrets_of({name: secret})))
    assert_hidden(hide(said, secrets_of({}, ["job.py", f"--{name}={secret}"])))
    assert_hidden(hide(said, secrets_of({}, ["job.py", f"--{name}", secret, "rest"])))
    assert_hidden(hide(said, secrets_of({"url": f"http://me:{quote(secret, safe='')}@host/x"})))


@given(name=st.sampled_from(NAMES), middle=texts)
def test_arguments_and_settings_are_shown_without_secrets(name: str, middle: str) -> None:
    secret = HEAD + middle + TAIL
    assert hide_arguments([f"--{name}", secret, "x"]) == [f"--{name}", HIDDEN, "x"]
    assert hide_arguments([f"--{name}={secret}", "x"]) == [f"--{name}={HIDDEN}", "x"]
    assert hide_arguments([f"-D{name}={secret}"]) == [f"-D{name}={HIDDEN}"]
    assert shown({name: secret, "port": "9"}) == {name: HIDDEN, "port": "9"}
    assert hide_in({"list": [{name: secret}], "n": 1}) == {"list": [{name: HIDDEN}], "n": 1}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("--password -x --token --secret abc", "--password [hidden] --token [hidden] [hidden]"),
        ("postgresql://me:a/b@c@host/db", "postgresql://[hidden]@host/db"),
        ("-Dtrust.password=hunter2 -Xmx1g", "-Dtrust.password=[hidden] -Xmx1g"),
    ],
)
def test_what_stands_around_secrets_stays(text: str, shown: str) -> None:
    if text.startswith("--"):
        assert " ".join(hide_arguments(text.split())) == shown
    else:
        assert hide(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "SQL parse failed: unexpected token: FROM",
        "argument --token: expected one argument",
        "the password is wrong",
        "password authentication failed for user me",
        "abfss://container@account.dfs.core.windows.net/checkpoints",
        "sasl.oauthbearer.token.endpoint.url=https://host/token",
        "key = 5, value: 7, keys: [1, 2]",
        "http://host:8081/jobs and me@host.example",
        "https://host/x?page=2",
        "C:\\path or 12:30:05",
        "",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert hide(text) == text


@given(texts)
def test_hiding_twice_changes_nothing_more(text: str) -> None:
    once = hide(f"password='{text}")
    assert hide(once) == once


def test_a_short_secret_is_a_word_of_its_own() -> None:
    assert hide("test the latest: test", secrets_of({"password": "test"})) == "[hidden] the latest: [hidden]"


@pytest.mark.parametrize("part", ["token=", "password:\\'", "a=", "://", '\\"', "--password '", "api ", "x", "Bearer "])
def test_long_texts_take_time_by_their_length(part: str) -> None:
    hide(part * (300_000 // len(part)))  # by its square, this would take hours


@pytest.mark.parametrize("name", NAMES)
def test_names_of_secrets(name: str) -> None:
    assert is_secret(name) and is_secret(name.upper() if name != "userPwd" else name)


@pytest.mark.parametrize(
    "name", ["topic", "user", "key.fields", "compass", "parallelism", "key.deserializer", "passing"]
)
def test_names_of_others(name: str) -> None:
    assert not is_secret(name)

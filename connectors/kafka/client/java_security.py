"""Java's settings of TLS and SASL, as librdkafka's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from datastream.errors import ValidationError

_MODULE = re.compile(r"\s*([\w.$]+)\s+(required|requisite|sufficient|optional)\b")
_OPTION = re.compile(r'([\w.]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))')
_PEM, _JKS = b"-----BEGIN", b"\xfe\xed\xfe\xed"

#: What `translate_security` reads.
READ = frozenset(
    {
        "sasl.jaas.config",
        "ssl.keystore.certificate.chain",
        "ssl.keystore.key",
        "ssl.keystore.location",
        "ssl.keystore.type",
        "ssl.truststore.certificates",
        "ssl.truststore.location",
        "ssl.truststore.password",
        "ssl.truststore.type",
    }
)


def translate_security(properties: Mapping[str, Any]) -> dict[str, Any]:
    """librdkafka's properties for those in `READ`.

    Raises:
        ValidationError: a JAAS configuration or a key store that has no form in librdkafka; says what to do.
    """
    found: dict[str, Any] = {}
    if jaas := properties.get("sasl.jaas.config"):
        found |= _jaas(str(jaas))
    if location := properties.get("ssl.truststore.location"):
        _check_store(str(location), "ssl.truststore", properties)
        found["ssl.ca.location"] = location
    if pem := properties.get("ssl.truststore.certificates"):
        found["ssl.ca.pem"] = pem
    if location := properties.get("ssl.keystore.location"):
        if _check_store(str(location), "ssl.keystore", properties) == "PEM":
            found |= {"ssl.certificate.location": location, "ssl.key.location": location}
        else:
            found["ssl.keystore.location"] = location
    if pem := properties.get("ssl.keystore.certificate.chain"):
        found["ssl.certificate.pem"] = pem
    if pem := properties.get("ssl.keystore.key"):
        found["ssl.key.pem"] = pem
    return found


def _jaas(text: str) -> dict[str, Any]:
    module = _MODULE.match(text)
    if module is None:
        raise ValidationError(
            "sasl.jaas.config must be '<login module> required name=\"value\" ...;', got something else "
            "(not shown, as it may hold a password); or set sasl.username and sasl.password instead"
        )
    options = {
        name: re.sub(r"\\(.)", r"\1", quoted) if bare == "" else bare
        for name, quoted, bare in _OPTION.findall(text[module.end() :])
    }
    name = module.group(1).rpartition(".")[2]
    if name in ("PlainLoginModule", "ScramLoginModule"):
        if "username" not in options or "password" not in options:
            raise ValidationError(f"{name} of sasl.jaas.config needs username and password, found {sorted(options)}")
        return {"sasl.username": options["username"], "sasl.password": options["password"]}
    if name == "Krb5LoginModule":
        names = {"keyTab": "sasl.kerberos.keytab", "principal": "sasl.kerberos.principal"}
        return {ours: options[theirs] for theirs, ours in names.items() if theirs in options}
    if name == "OAuthBearerLoginModule" and "clientId" in options:
        found = {"sasl.oauthbearer.method": "oidc", "sasl.oauthbearer.client.id": options["clientId"]}
        if "clientSecret" in options:
            found["sasl.oauthbearer.client.secret"] = options["clientSecret"]
        if "scope" in options:
            found["sasl.oauthbearer.scope"] = options["scope"]
        return found
    raise ValidationError(
        f"{module.group(1)} of sasl.jaas.config has no counterpart here; known are PlainLoginModule, ScramLoginModule, "
        "Krb5LoginModule and OAuthBearerLoginModule with a clientId. For tokens of another kind set "
        "sasl.mechanism=OAUTHBEARER, and oauth_cb to a function that returns (token, expiry in s since 1970)"
    )


def _check_store(location: str, prefix: str, properties: Mapping[str, Any]) -> str:
    """``PEM`` or ``PKCS12``, by what the file holds; its declared type counts only where that cannot be seen."""
    declared = str(properties.get(f"{prefix}.type", "")).upper()
    try:
        with open(location, "rb") as file:
            head = file.read(65_536)
    except OSError as error:
        raise ValidationError(f"{prefix}.location: cannot read {location}: {error.strerror}") from None
    if _PEM in head:
        return "PEM"
    what = "JKS" if head.startswith(_JKS) or declared == "JKS" else "PKCS12"
    if prefix == "ssl.keystore" and what == "PKCS12":
        return "PKCS12"
    if prefix == "ssl.keystore":
        how = f"keytool -importkeystore -srckeystore {location} -destkeystore keystore.p12 -deststoretype PKCS12"
        wanted = "a PKCS12 or PEM file"
    else:
        how = f"keytool -list -rfc -keystore {location} > truststore.pem"
        wanted = "a PEM file of certificates"
    raise ValidationError(
        f"{prefix}.location: {location} is a {what} key store of Java, expected {wanted}; convert it by '{how}' "
        f"and give {prefix}.location the new file"
    )

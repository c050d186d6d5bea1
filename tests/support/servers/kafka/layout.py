"""The listeners and users of a test broker: what the broker is told, and what its clients have to know.

Listeners:
    plain      PLAINTEXT. A client without a name is a super user here.
    sasl       SASL_PLAINTEXT, user and password by PLAIN.
    tls        TLS without a user; the client is a super user as on plain.
    sasl_tls   TLS, user and password by PLAIN.
    internal   the broker to itself. In a container its other addresses hold outside only.
    control    KRaft's controller.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tests.support.servers.kafka.certificate import Certificate

#: May do everything.
ADMIN = "admin"
#: May do nothing, until a test allows it (`Broker.allow`).
ALICE = "alice"
PASSWORDS = {ADMIN: "sesame-of-admin-7391", ALICE: "sesame-of-alice-2846"}

PROTOCOLS = {
    "plain": "PLAINTEXT",
    "sasl": "SASL_PLAINTEXT",
    "tls": "SSL",
    "sasl_tls": "SASL_SSL",
    "internal": "PLAINTEXT",
    "control": "PLAINTEXT",
}
#: Those that clients use.
PUBLIC = ("plain", "sasl", "tls", "sasl_tls")

#: After kill -9 the controller takes the broker for alive until its session ends: 9 s, if nothing is said.
SESSION_MS = 3_000

# Small and quick to start: one broker, internal topics of one partition, no waiting for more members of a group.
# Records stay unless a topic says otherwise: tests write timestamps of long ago, and expiry goes by them.
_SETTINGS = """\
process.roles=broker,controller
node.id=1
controller.listener.names=CONTROL
inter.broker.listener.name=INTERNAL
auto.create.topics.enable=false
num.partitions=1
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.share.min.heartbeat.interval.ms=100
group.share.heartbeat.interval.ms=100
group.share.min.record.lock.duration.ms=1000
group.share.min.assignment.interval.ms=0
group.share.assignment.interval.ms=0
broker.heartbeat.interval.ms=500
group.min.session.timeout.ms=1000
log.retention.ms=-1
log.retention.check.interval.ms=1000
log.initial.task.delay.ms=1000
log.segment.delete.delay.ms=1000
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS;User:admin
"""


@dataclass(frozen=True)
class Listener:
    """Where a listener listens, and the address that clients are told."""

    bind: str
    advertised: str


@dataclass(frozen=True)
class Secured:
    """A listener that wants a password or TLS, or both.

    Attributes:
        bootstrap: host:port.
        protocol: SASL_PLAINTEXT, SSL or SASL_SSL.
        certificate: PEM text of the authority to trust; None without TLS.
    """

    bootstrap: str
    protocol: str
    certificate: str | None = field(default=None, repr=False)

    def password(self, user: str) -> str:
        """A user's right password."""
        return PASSWORDS[user]

    def client_config(self, user: str | None = None, password: str | None = None) -> dict[str, str]:
        """Settings of a confluent-kafka client.

        Args:
            user: None for a listener that wants TLS only.
            password: None for the right one.
        """
        config = {"bootstrap.servers": self.bootstrap, "security.protocol": self.protocol}
        if user is not None:
            config |= {"sasl.mechanism": "PLAIN", "sasl.username": user}
            config["sasl.password"] = self.password(user) if password is None else password
        if self.certificate is not None:
            config["ssl.ca.pem"] = self.certificate
        return config

    def java_properties(
        self, user: str | None = None, password: str | None = None, trust: Path | None = None
    ) -> dict[str, str]:
        """Settings of a Java client, as Flink's users write them; without the bootstrap servers.

        Args:
            user: None for a listener that wants TLS only.
            password: None for the right one.
            trust: With TLS: a file to write the certificate to (a PEM truststore).
        """
        properties = {"security.protocol": self.protocol}
        if user is not None:
            secret = self.password(user) if password is None else password
            properties["sasl.mechanism"] = "PLAIN"
            properties["sasl.jaas.config"] = (
                "org.apache.kafka.common.security.plain.PlainLoginModule required "
                f'username="{user}" password="{secret}";'
            )
        if self.certificate is not None and trust is not None:
            trust.write_text(self.certificate)
            properties |= {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(trust)}
        return properties


def server_properties(
    listeners: dict[str, Listener], data: str, certificate: Certificate, session_ms: int = SESSION_MS
) -> str:
    """The text of server.properties."""
    lines = [
        _SETTINGS.rstrip(),
        f"broker.session.timeout.ms={session_ms}",
        f"controller.quorum.voters=1@{listeners['control'].advertised}",
        "listeners=" + ",".join(f"{name.upper()}://{where.bind}" for name, where in listeners.items()),
        "advertised.listeners="
        + ",".join(f"{name.upper()}://{where.advertised}" for name, where in listeners.items() if name != "control"),
        "listener.security.protocol.map=" + ",".join(f"{name.upper()}:{PROTOCOLS[name]}" for name in listeners),
        f"log.dirs={data}",
    ]
    for name in listeners:
        if "SASL" in PROTOCOLS[name]:
            users = " ".join(f'user_{user}="{password}"' for user, password in PASSWORDS.items())
            lines += [
                f"listener.name.{name}.sasl.enabled.mechanisms=PLAIN",
                f"listener.name.{name}.plain.sasl.jaas.config="
                f"org.apache.kafka.common.security.plain.PlainLoginModule required {users};",
            ]
        if "SSL" in PROTOCOLS[name]:
            lines += [
                f"listener.name.{name}.ssl.keystore.type=PEM",
                f"listener.name.{name}.ssl.keystore.certificate.chain={_one_line(certificate.chain)}",
                f"listener.name.{name}.ssl.keystore.key={_one_line(certificate.key)}",
            ]
    return "\n".join(lines) + "\n"


def _one_line(pem: str) -> str:
    """PEM in a properties file: lines that go on."""
    return " \\\n".join(pem.strip().splitlines())

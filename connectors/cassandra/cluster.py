"""How a cluster is reached."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from datastream.errors import UnsupportedOperation, ValidationError, cut

from .consistency_level import ConsistencyLevel
from .library import cassandra


@dataclass(frozen=True)
class CassandraSettings:
    """How a cluster is reached.

    Attributes:
        hosts: Some of its nodes; the others are found through them.
        port: Of all nodes.
        user: None: the cluster lets everybody in.
        password: Of the user. Never shown.
        keyspace: Of tables that are named without one.
        datacenter: The data center to talk to. None: that of the first node that answers.
        consistency: How many replicas must take a write or answer a read.
        ca_file: Certificates to check the nodes' ones by, as a PEM file: connects by TLS. None: no TLS.
        protocol_version: Of Cassandra's protocol: 5 since Cassandra 4, 4 before.
        connect_timeout_ms: How long a node may take to accept a connection.
        request_timeout_ms: How long a request may take.

    Raises:
        ValidationError: No host, a port that is none, a password without a user.
    """

    hosts: tuple[str, ...]
    port: int = 9042
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    keyspace: str | None = None
    datacenter: str | None = None
    consistency: ConsistencyLevel = ConsistencyLevel.LOCAL_QUORUM
    ca_file: str | None = None
    protocol_version: int = 5
    connect_timeout_ms: int = 5_000
    request_timeout_ms: int = 20_000

    def __post_init__(self) -> None:
        given: Any = self.hosts
        hosts = (given,) if isinstance(given, str) else tuple(given)
        if not hosts or not all(isinstance(host, str) and host for host in hosts):
            raise ValidationError(f"CassandraSettings: hosts must be names or addresses of nodes, got {cut(given)}")
        object.__setattr__(self, "hosts", hosts)
        if isinstance(self.port, bool) or not isinstance(self.port, int) or not 0 < self.port < 65_536:
            raise ValidationError(f"CassandraSettings: the port must be between 1 and 65535, got {cut(self.port)}")
        if (self.user is None) != (self.password is None):
            raise ValidationError("CassandraSettings: user and password go together; give both or none")

    def build_cluster(self) -> Any:
        """A `cassandra.cluster.Cluster` that is not connected yet."""
        driver = cassandra()
        policies, cluster = driver.policies, driver.cluster
        profile = cluster.ExecutionProfile(
            load_balancing_policy=policies.TokenAwarePolicy(policies.DCAwareRoundRobinPolicy(self.datacenter or "")),
            consistency_level=self.consistency.value,
            request_timeout=self.request_timeout_ms / 1000,
        )
        login = None if self.user is None else driver.auth.PlainTextAuthProvider(self.user, self.password)
        return cluster.Cluster(
            self.hosts,
            port=self.port,
            protocol_version=self.protocol_version,
            auth_provider=login,
            execution_profiles={cluster.EXEC_PROFILE_DEFAULT: profile},
            reconnection_policy=policies.ExponentialReconnectionPolicy(0.5, 10.0),
            ssl_context=None if self.ca_file is None else ssl.create_default_context(cafile=self.ca_file),
            connect_timeout=self.connect_timeout_ms / 1000,
            control_connection_timeout=self.connect_timeout_ms / 1000,
            schema_metadata_enabled=False,  # reading all tables of a cluster takes most of the time of connecting
        )


class ClusterBuilder:
    """Makes the driver's `Cluster`, where `CassandraSettings` has not what is needed.

    Args:
        j_cluster_builder: A function that returns a `cassandra.cluster.Cluster`; it is called in the workers. None: a
            subclass has its own `build_cluster`.

    Raises:
        UnsupportedOperation: An object of Java is given.
    """

    def __init__(self, j_cluster_builder: Callable[[], Any] | None = None) -> None:
        if j_cluster_builder is None and type(self) is ClusterBuilder:
            raise ValidationError("ClusterBuilder needs a function that returns a cassandra.cluster.Cluster")
        if j_cluster_builder is not None and not callable(j_cluster_builder):
            raise UnsupportedOperation(
                f"ClusterBuilder({cut(j_cluster_builder)}): objects of Java cannot be used; give a function that "
                "returns a cassandra.cluster.Cluster, or use CassandraSettings"
            )
        self._build = j_cluster_builder

    def build_cluster(self) -> Any:
        """A `cassandra.cluster.Cluster` that is not connected yet."""
        assert self._build is not None, f"{type(self).__name__} has no build_cluster"
        return self._build()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"  # what it refers to may be secret


Reach = CassandraSettings | ClusterBuilder
"""What a connection is made by."""


def checked_reach(call: str, given: Any) -> Reach:
    """What a connection is made by.

    Raises:
        ValidationError: It is something else.
    """
    if not isinstance(given, (CassandraSettings, ClusterBuilder)):
        raise ValidationError(f"{call} needs CassandraSettings or a ClusterBuilder, got {cut(given)}")
    return given

"""Where the service is and who asks it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from datastream.connectors.server_settings import check_package
from datastream.errors import ValidationError, cut

EMULATOR = "PUBSUB_EMULATOR_HOST"
"""The environment variable by which Google's clients find an emulator."""

_SCOPES = ["https://www.googleapis.com/auth/pubsub"]

# Read when gRPC is imported. Its handlers of forks may abort a child before it becomes another program: Java, pip.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")


@dataclass(frozen=True)
class Service:
    """A project of Google Pub/Sub, or of an emulator, and the credentials to use.

    Attributes:
        project: Id of the project.
        emulator: ``host:port`` of an emulator, which takes neither TLS nor credentials; None: Google's service.
        endpoint: Address of the service, such as ``europe-west1-pubsub.googleapis.com:443``; None: the global one.
        credentials: Of google-auth; None: of the file, else the application default credentials of each machine.
        credentials_file: JSON file with a service account's key, on each machine of the job.
    """

    project: str
    emulator: str | None = None
    endpoint: str | None = None
    credentials: Any = field(default=None, repr=False)
    credentials_file: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"Pub/Sub of the project {self.project!r}" + (f" at {self.emulator}" if self.emulator else "")

    def validate(self) -> None:
        """See that the library and the credentials are there.

        Raises:
            ValidationError: They are not.
        """
        check_package("Pub/Sub", "google.cloud.pubsub_v1", "google-cloud-pubsub>=2.30")
        if self.emulator is None:
            self._credentials()

    def subscriber(self) -> Any:
        """A client of subscriptions."""
        from google.pubsub_v1 import SubscriberClient
        from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport

        return SubscriberClient(**self._place(SubscriberGrpcTransport))

    def publisher(self, **options: Any) -> Any:
        """A client that publishes.

        Args:
            options: Of google-cloud-pubsub's ``PublisherClient``.
        """
        from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport

        from .client import Publisher

        return Publisher(**self._place(PublisherGrpcTransport), **options)

    def _place(self, transport: Any) -> dict[str, Any]:
        """The arguments of a client that say where the service is."""
        if self.emulator is not None:
            import grpc

            unlimited = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]
            return {"transport": transport(channel=grpc.insecure_channel(self.emulator, options=unlimited))}
        found: dict[str, Any] = {"credentials": self._credentials()}
        if self.endpoint is not None:
            found["client_options"] = {"api_endpoint": self.endpoint}
        return found

    def _credentials(self) -> Any:
        """The credentials.

        Raises:
            ValidationError: There are none.
        """
        import google.auth
        from google.auth.exceptions import GoogleAuthError

        if self.credentials is not None:
            return self.credentials
        try:
            if self.credentials_file is None:
                return google.auth.default(scopes=_SCOPES)[0]
            from google.oauth2.service_account import Credentials

            load: Any = Credentials.from_service_account_file
            return load(self.credentials_file, scopes=_SCOPES)
        except (GoogleAuthError, OSError, ValueError) as error:
            where = "the credentials file" if self.credentials_file else "application default credentials"
            raise ValidationError(
                f"{self}: {where} cannot be used ({type(error).__name__}); use with_credentials_file(path), "
                "with_credentials(...), or set GOOGLE_APPLICATION_CREDENTIALS"
            ) from None


class ServiceBuilder:
    """The part of the builders of sources and sinks that says where the service is."""

    _built: str

    def __init__(self) -> None:
        self._project: Any = None
        self._emulator: Any = None
        self._endpoint: Any = None
        self._credentials: Any = None
        self._credentials_file: Any = None

    def _service(self) -> Service:
        """The service.

        Raises:
            ValidationError: There is no project, or a part is of the wrong type.
        """
        texts = {
            "with_project_name": self._project,
            "with_host_and_port_for_emulator": self._emulator,
            "with_endpoint": self._endpoint,
            "with_credentials_file": self._credentials_file,
        }
        for name, value in texts.items():
            if value is not None and (not isinstance(value, str) or not value):
                shown = cut(value) if name != "with_credentials_file" else type(value).__name__
                raise ValidationError(f"{self._built}: {name} needs a text that is not empty, got {shown}")
        if self._project is None:
            raise ValidationError(f"{self._built}: with_project_name was not called")
        if self._credentials is not None and not hasattr(self._credentials, "before_request"):
            raise ValidationError(
                f"{self._built}: with_credentials needs google.auth's Credentials, got "
                f"{type(self._credentials).__name__}"
            )
        emulator = self._emulator or os.environ.get(EMULATOR) or None
        return Service(self._project, emulator, self._endpoint, self._credentials, self._credentials_file)


def checked_name(value: Any, built: str, what: str) -> str:
    """The name of a topic or subscription.

    Raises:
        ValidationError: It is none.
    """
    if not isinstance(value, str) or not value:
        raise ValidationError(f"{built}: {what} needs a name, got {cut(value)}")
    return value


def path_of(project: str, kind: str, name: str) -> str:
    """The full name of a topic, subscription or snapshot; a full name stays as it is."""
    return name if name.startswith("projects/") else f"projects/{project}/{kind}/{name}"

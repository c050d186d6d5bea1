"""What boto3 reports, as errors of ours: those that pass by waiting are ConnectionErrors."""

from __future__ import annotations

from datastream.errors import ValidationError, cut

from .service import Service

_PASSING = frozenset(
    (
        "InternalFailure",
        "InternalServerError",
        "KMSThrottlingException",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestTimeout",
        "RequestTimeoutException",
        "ResourceInUseException",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "Throttling",
        "ThrottlingException",
    )
)
_CREDENTIALS = frozenset(
    (
        "AccessDeniedException",
        "ExpiredTokenException",
        "IncompleteSignature",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationTokenException",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    )
)


class Expired(Exception):
    """An iterator is too old, or the service does not know it: another one is needed."""


def failure(error: Exception, service: Service, what: str) -> Exception:
    """The error to raise for one of boto3's.

    Args:
        error: What the client raised.
        service: The service.
        what: What was used, such as ``the stream 'a'``.

    Returns:
        A ConnectionError if it may pass; `Expired` for an iterator; a ValidationError if something has to be changed.
    """
    from botocore.exceptions import (
        ClientError,
        CredentialRetrievalError,
        HTTPClientError,
        NoCredentialsError,
        PartialCredentialsError,
    )
    from botocore.exceptions import (
        ConnectionError as NoConnection,
    )

    if isinstance(error, ClientError):
        found = error.response.get("Error", {})
        code, text = found.get("Code", ""), found.get("Message", "")
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        if code == "ExpiredIteratorException":
            return Expired(f"{service} takes no iterator of {what}: {cut(text)}")
        if code in _CREDENTIALS:  # the text may show what was signed
            return ValidationError(
                f"{service} refuses {what} to these credentials ({code}); check them and their rights"
            )
        if code in _PASSING or status >= 500:
            return ConnectionError(f"{service} has no room or is away for {what}: {code}: {cut(text)}")
        if code == "ResourceNotFoundException":
            return ValidationError(f"{service}: {what} is not there: {cut(text)}; create it first")
        return ValidationError(f"{service}: {what}: {code}: {cut(text)}")
    if isinstance(error, (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError)):
        return ValidationError(
            f"{service}: there are no credentials ({type(error).__name__}); set aws.credentials.provider"
        )
    if isinstance(error, (HTTPClientError, NoConnection, OSError)):  # no connection, timeouts, what a proxy sends
        return ConnectionError(f"{service} is away for {what}: {type(error).__name__}")
    return ValidationError(f"{service}: {what}: {type(error).__name__}: {cut(str(error))}")

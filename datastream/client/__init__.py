"""A client of the gateway: upload artifacts, run them as jobs, watch and end the jobs."""

from .artifact import Artifact
from .checkpoints import Checkpoints, Savepoint
from .client import GatewayClient
from .errors import (
    AmbiguousName,
    GatewayAway,
    GatewayError,
    GatewayTimeout,
    NotAllowed,
    NotFound,
    SavepointFailed,
    SettingsError,
)
from .job import Job, JobDetails
from .job_exception import JobException
from .metrics import Bottleneck, JobMetrics, OperatorFigures, Sample
from .overview import LauncherInfo, Overview
from .plan import ArtifactPlan
from .settings import GatewaySettings, find_settings

__all__ = [
    "AmbiguousName",
    "Artifact",
    "ArtifactPlan",
    "Bottleneck",
    "Checkpoints",
    "GatewayAway",
    "GatewayClient",
    "GatewayError",
    "GatewaySettings",
    "GatewayTimeout",
    "Job",
    "JobDetails",
    "JobException",
    "JobMetrics",
    "LauncherInfo",
    "NotAllowed",
    "NotFound",
    "OperatorFigures",
    "Overview",
    "Sample",
    "Savepoint",
    "SavepointFailed",
    "SettingsError",
    "find_settings",
]

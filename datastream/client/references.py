"""Jobs and artifacts by what people type: an id, the beginning of one, or a name."""

from __future__ import annotations

from collections.abc import Sequence

from .artifact import Artifact
from .errors import AmbiguousName, NotFound
from .job import Job


def pick_job(jobs: Sequence[Job], text: str) -> Job:
    """The job that a text means.

    An id, or else the name of a job: the active one, or else the one that was started last; or else the beginning of
    an id.

    Args:
        jobs: All jobs, newest first.
        text: The text.

    Raises:
        NotFound: No job fits.
        AmbiguousName: Several do.
    """
    exact = [job for job in jobs if job.id == text]
    named = [job for job in jobs if job.name == text]
    active = [job for job in named if not job.ended]
    found = exact or active or named[:1] or [job for job in jobs if text and job.id.startswith(text.lower())]
    if len(found) == 1:
        return found[0]
    if found:
        fit = ", ".join(f"{job.id[:12]} ({job.name}, {job.state})" for job in found[:5])
        raise AmbiguousName(f"{len(found)} jobs fit '{text}': {fit}; name one by its id")
    raise NotFound(f"the gateway has no job '{text}': neither a name nor the beginning of an id", 404)


def pick_artifact(artifacts: Sequence[Artifact], text: str) -> Artifact:
    """The artifact that a text means: an id, or else the newest of a name, or else the beginning of an id.

    Args:
        artifacts: All artifacts, newest first.
        text: The text.

    Raises:
        NotFound: No artifact fits.
        AmbiguousName: Several do.
    """
    exact = [artifact for artifact in artifacts if artifact.id == text]
    named = [artifact for artifact in artifacts if artifact.name == text]
    found = exact or named[:1] or [artifact for artifact in artifacts if text and artifact.id.startswith(text)]
    if len(found) == 1:
        return found[0]
    if found:
        fit = ", ".join(f"{artifact.id[:12]} ({artifact.name})" for artifact in found[:5])
        raise AmbiguousName(f"{len(found)} artifacts fit '{text}': {fit}; give more of the id")
    raise NotFound(f"the gateway has no artifact '{text}': neither a name nor the beginning of an id", 404)

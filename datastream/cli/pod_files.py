"""Files that a job names in its settings, on their way into the pod of its driver."""

from __future__ import annotations

import os
from pathlib import Path

from datastream.config.python_settings import REQUIREMENTS, with_paths
from datastream.environments.content import content_of
from datastream.environments.fetch import local_path
from datastream.environments.needs import is_remote
from datastream.environments.packages import files_of
from datastream.errors import ValidationError
from datastream.kubernetes.driver_pod import JOB

_FOLDER = "needs"


class PodFiles:
    """Collects files for a pod's secret.

    Attributes:
        data: Key of the secret -> content.
        places: Path below the job's folder -> key.
    """

    def __init__(self) -> None:
        self.data: dict[str, bytes] = {}
        self.places: dict[str, str] = {}

    def take(self, properties: dict[str, str]) -> dict[str, str]:
        """The settings with the paths that their files have in the pod.

        Raises:
            ValidationError: A file does not exist.
        """
        return {**properties, **with_paths(properties, self._put)}

    def _put(self, key: str, path: str) -> str:
        """Take a file or folder; its path in the pod. What only the image has keeps its path."""
        if is_remote(path) or not path:
            return path
        here = local_path(path)
        if not os.path.exists(here):
            if os.path.isabs(path):
                return path
            raise ValidationError(f"{key}: {path} does not exist")
        place = f"{_FOLDER}/{len(self.data)}/{os.path.basename(here)}"
        self._take_at(here, place)
        if key == REQUIREMENTS and not os.path.isdir(here):
            self._take_named(here, os.path.dirname(place))
        return f"{JOB}/{place}"

    def _take_named(self, requirements: str, folder: str) -> None:
        """Take what a requirements file includes, and packages that it names by their paths."""
        for name in files_of(requirements):
            if name.startswith(("/", "..")):
                raise ValidationError(
                    f"{requirements} names {name}, which is not beside it or below, so it cannot travel to the pod"
                )
            self._take_at(os.path.join(os.path.dirname(requirements), name), f"{folder}/{name}")

    def _take_at(self, here: str, place: str) -> None:
        inside = sorted(content_of(here)) if os.path.isdir(here) else [""]
        for name in inside:
            file = os.path.join(here, name) if name else here
            entry = f"{_FOLDER}-{len(self.data)}"
            self.data[entry] = Path(file).read_bytes()
            self.places[f"{place}/{name}" if name else place] = entry

"""Files that a job names in its settings, on their way into the pod of its driver."""

from __future__ import annotations

import os
from pathlib import Path

from datastream.config.python_settings import ARCHIVES, CACHED_FILES, FILES, PYTHON_PATH, REQUIREMENTS, WITH
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
        found = dict(properties)
        for key in (FILES, ARCHIVES, PYTHON_PATH):
            if properties.get(key):
                found[key] = ",".join(self._moved(part.strip(), key) for part in properties[key].split(","))
        if properties.get(REQUIREMENTS):
            found[REQUIREMENTS] = self._moved(properties[REQUIREMENTS], REQUIREMENTS, folder_too=True)
        if properties.get(CACHED_FILES):
            found[CACHED_FILES] = ";".join(self._cached(part) for part in properties[CACHED_FILES].split(";"))
        return found

    def _cached(self, entry: str) -> str:
        before, found, path = entry.partition("path:")
        path, comma, rest = path.partition(",")
        return f"{before}{found}{self._put(path, CACHED_FILES)}{comma}{rest}"

    def _moved(self, part: str, key: str, folder_too: bool = False) -> str:
        path, found, other = part.partition(WITH)
        moved = self._put(path, key)
        if found and other and folder_too:
            other = self._put(other, key)
        return f"{moved}{found}{other}"

    def _put(self, path: str, key: str) -> str:
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

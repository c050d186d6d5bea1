"""What a job brings for its workers: files, packages, archives, an interpreter, an image."""

from __future__ import annotations

from dataclasses import dataclass, field

PROCESS, DOCKER = "process", "docker"


class EnvironmentRefused(ValueError):
    """An environment cannot be made of what a job brings; the message says which part, and what can be done."""


@dataclass(frozen=True)
class Archive:
    """An archive that is unpacked for the workers.

    Attributes:
        path: The file: zip, jar, tar, tar.gz or tgz.
        target: The folder that it is unpacked to, seen from the workers' own folder.
    """

    path: str
    target: str


@dataclass(frozen=True)
class CachedFile:
    """A file or folder of the distributed cache.

    Attributes:
        path: The file.
        name: What functions know it by.
        executable: Whether it can be run.
    """

    path: str
    name: str
    executable: bool = False


@dataclass(frozen=True)
class Container:
    """How the workers' container is started.

    Attributes:
        image: Its image.
        memory: Its limit, as Docker has it, such as ``2g``; None: none.
        cpus: How many processors it may use at most; None: all.
        user: Who runs in it; None: who runs the driver.
        network: Its network. Spark talks to its workers on this machine, so it is the machine's own by default.
        mounts: Folders of this machine that it sees too, at the same place: ``/data`` or ``/data:ro``; or
            ``/here:/there``.
        variables: Names of environment variables that it gets.
        arguments: More arguments of ``docker run``.
    """

    image: str
    memory: str | None = None
    cpus: str | None = None
    user: str | None = None
    network: str = "host"
    mounts: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Needs:
    """What a job brings.

    Attributes:
        files: Modules, folders of modules, and zip files, eggs and wheels with modules in them.
        requirements: A requirements file.
        wheels: A folder that its packages are installed from, without any index; None: from the index.
        archives: What is unpacked.
        executable: The interpreter: a path, perhaps into an archive, or a name on ``PATH``; None: the driver's.
        cached: Files of the distributed cache.
        container: The container that workers run in; None: they are ordinary processes.
        constraints: Requirements of the project's own and of its packages, which no package may break.
    """

    files: tuple[str, ...] = ()
    requirements: str | None = None
    wheels: str | None = None
    archives: tuple[Archive, ...] = ()
    executable: str | None = None
    cached: tuple[CachedFile, ...] = ()
    container: Container | None = None
    constraints: tuple[str, ...] = field(default=(), repr=False)

    def __bool__(self) -> bool:
        parts = (self.files, self.requirements, self.archives, self.executable, self.cached, self.container)
        return any(parts)

    @property
    def only_files(self) -> bool:
        """Whether it is modules only, which the driver's own interpreter can take."""
        others = (self.requirements, self.archives, self.executable, self.cached, self.container)
        return bool(self.files) and not any(others)


def is_remote(path: str) -> bool:
    """Whether a path is a URI of another file system than this machine's."""
    scheme, found, _ = path.partition("://")
    return bool(found) and scheme.lower() != "file" and scheme.replace("+", "").replace("-", "").isalnum()

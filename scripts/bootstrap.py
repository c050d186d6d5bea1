"""Make the checkout's `.venv`: the locked development packages and the project itself.

Run through `scripts/setup`. Standard library only. `uv` builds the environment: it needs neither the
`venv` module nor `ensurepip`, and is several times faster than pip. Where `uv` cannot be had or fails,
`venv` (or `virtualenv`) and pip do the same work.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
LOCK = ROOT / "requirements" / "dev.lock"
TOOLS = ROOT / ".cache" / "setup"
OWNER = VENV / ".setup-owner"
STAMP = VENV / ".setup-stamp"
WARMED = VENV / ".setup-warmed"
UV = "uv==0.13.9"
VIRTUALENV = "virtualenv>=20.26,<22"
WARM_TIMEOUT_S = 300

INSTALLING = "installing the locked packages; the first time PySpark (450 MB) takes a minute or more"
NO_PIP = (
    "{python} has neither pip nor a complete venv module, so nothing can be installed. "
    "Install one of them (Debian, Ubuntu: apt install python3-pip; Fedora: dnf install python3-pip; "
    "elsewhere: the package of your system that holds pip), or set DATASTREAM_PYTHON to one that has pip."
)


class SetupError(Exception):
    """The environment cannot be made; the message says what the user can do."""


def say(message: str) -> None:
    print(f"setup: {message}", file=sys.stderr, flush=True)


def fingerprint() -> str:
    """What `.venv` depends on; the path counts because scripts and the editable install hold it."""
    digest = hashlib.sha256()
    for part in (LOCK.read_bytes(), (ROOT / "pyproject.toml").read_bytes(), Path(__file__).read_bytes()):
        digest.update(hashlib.sha256(part).digest())
    digest.update(f"{sys.version_info[:3]} {VENV}".encode())
    return digest.hexdigest()


def up_to_date() -> bool:
    try:
        return VENV_PYTHON.exists() and STAMP.read_text() == fingerprint()
    except FileNotFoundError:
        return False


def environment() -> dict[str, str]:
    """The caller's environment without what would send packages to another place than asked."""
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "PIP_TARGET", "PIP_PREFIX")
    }
    env.update(PIP_USER="0", PIP_REQUIRE_VIRTUALENV="0", PIP_DISABLE_PIP_VERSION_CHECK="1")
    env.setdefault("PIP_ROOT_USER_ACTION", "ignore")
    # PySpark's source archive is large: allow for a slow line.
    env.setdefault("UV_HTTP_TIMEOUT", "300")
    env.setdefault("PIP_DEFAULT_TIMEOUT", "300")
    # uv does not read pip's settings; a mirror named for one serves the other.
    if "PIP_INDEX_URL" in env and not env.keys() & {"UV_INDEX_URL", "UV_DEFAULT_INDEX"}:
        env["UV_DEFAULT_INDEX"] = env["PIP_INDEX_URL"]
    if "PIP_CERT" in env:
        env.setdefault("SSL_CERT_FILE", env["PIP_CERT"])
    return env


def run(*command: str | Path, extra_path: Path | None = None) -> None:
    env = environment()
    if extra_path is not None:
        env["PYTHONPATH"] = str(extra_path)
    # Everything a child prints goes to stderr: stdout belongs to the script that called setup.
    subprocess.run([str(part) for part in command], check=True, cwd=ROOT, env=env, stdout=sys.stderr)


def works(*command: str | Path) -> bool:
    done = subprocess.run([str(part) for part in command], env=environment(), capture_output=True)
    return done.returncode == 0


def fetch_tool(requirement: str) -> Path:
    """Install a tool with this Python's pip into a folder of its own, and return that folder."""
    folder = TOOLS / f"{requirement.partition('=')[0].rstrip('<>')}-py{sys.version_info[0]}{sys.version_info[1]}"
    if not (folder / "bin").is_dir():
        say(f"fetching {requirement}")
        partial = folder.with_name(folder.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        run(sys.executable, "-m", "pip", "install", "--quiet", "--target", partial, requirement)
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)
    return folder


def has_pip() -> bool:
    return works(sys.executable, "-m", "pip", "--version")


def find_uv() -> Path | None:
    on_path = shutil.which("uv")
    if on_path is not None and works(on_path, "--version"):
        return Path(on_path)
    if not has_pip():
        return None
    try:
        uv = fetch_tool(UV) / "bin" / "uv"
    except subprocess.CalledProcessError:
        say("uv could not be fetched; pip is used instead, which takes longer")
        return None
    return uv if works(uv, "--version") else None


def owner() -> str:
    """Which Python in which place `.venv` was made for; a copied checkout brings one made for another."""
    return f"{sys.executable} {sys.version_info[:3]} {VENV}"


def venv_is_ours() -> bool:
    """Whether packages can be brought up to date in `.venv`, instead of making it anew."""
    return OWNER.exists() and OWNER.read_text() == owner() and works(VENV_PYTHON, "-I", "-c", "")


def install_with_uv(uv: Path) -> None:
    if not venv_is_ours():
        say(f"making .venv with Python {sys.version.split()[0]}")
        shutil.rmtree(VENV, ignore_errors=True)
        run(uv, "venv", "--quiet", "--no-project", "--python", sys.executable, VENV)
        OWNER.write_text(owner())
    say(INSTALLING)
    target = ("--quiet", "--python", VENV_PYTHON)
    # On a terminal uv shows how far the download is.
    sync_target = target[1:] if sys.stderr.isatty() else target
    run(uv, "pip", "sync", *sync_target, "--require-hashes", "--compile-bytecode", LOCK)
    say("installing the project")
    run(uv, "pip", "install", *target, "--no-deps", "--no-build-isolation", "--editable", ROOT)


def install_with_pip() -> None:
    if not (venv_is_ours() and works(VENV_PYTHON, "-m", "pip", "--version")):
        with_venv = works(sys.executable, "-c", "import ensurepip, venv; ensurepip.version(), venv.EnvBuilder")
        if not with_venv and not has_pip():
            raise SetupError(NO_PIP.format(python=sys.executable))
        say(f"making .venv with Python {sys.version.split()[0]}")
        shutil.rmtree(VENV, ignore_errors=True)
        if with_venv:
            run(sys.executable, "-m", "venv", VENV)
        else:
            tool = fetch_tool(VIRTUALENV)
            run(sys.executable, "-m", "virtualenv", "--quiet", VENV, extra_path=tool)
        OWNER.write_text(owner())
    say(INSTALLING)
    pip = (VENV_PYTHON, "-m", "pip", "install", "--quiet")
    run(*pip, "--require-hashes", "-r", LOCK)
    say("installing the project")
    run(*pip, "--no-deps", "--no-build-isolation", "--editable", ROOT)


def warm() -> None:
    """Run `datastream warm` once for a lock file; without it a job only starts more slowly."""
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    command = VENV / "bin" / "datastream"
    if not command.exists() or (WARMED.exists() and WARMED.read_text() == digest):
        return
    say("making later starts faster (datastream warm)")
    try:
        done = subprocess.run(
            [str(command), "warm"],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=WARM_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        say(f"note: datastream warm took over {WARM_TIMEOUT_S} s and was stopped; all works without it")
        return
    if done.returncode == 0:
        WARMED.write_text(digest)
    else:
        last = (done.stdout.strip().splitlines() or ["no output"])[-1][:200]
        say(f"note: datastream warm did not succeed ({last}); all works without it")


@contextlib.contextmanager
def only_one() -> Iterator[None]:
    """Hold off a second setup of the same checkout until this one is done."""
    TOOLS.mkdir(parents=True, exist_ok=True)
    with (TOOLS / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another setup of this checkout")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def install() -> None:
    uv = find_uv()
    if uv is not None:
        try:
            install_with_uv(uv)
            return
        except subprocess.CalledProcessError as error:
            say(f"uv failed with exit code {error.returncode}; trying pip, which takes longer")
    install_with_pip()


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        return 0 if up_to_date() else 1
    if up_to_date():
        return 0
    with only_one():
        if up_to_date():
            return 0
        try:
            if VENV.is_symlink():
                raise SetupError(f".venv is a link to {VENV.resolve()}, which does not fit; remove the link")
            STAMP.unlink(missing_ok=True)
            install()
        except SetupError as error:
            say(f"error: {error}")
            return 1
        except subprocess.CalledProcessError as error:
            say(f"error: '{' '.join(error.cmd[:5])} ...' failed with exit code {error.returncode}; see above")
            return 1
        warm()
        STAMP.write_text(fingerprint())
        say("done")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What requests and answers hold, for the OpenAPI description. Names with dashes are Flink's."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from datastream.config.run_options import RunOptions, about, options_of

#: Numbers that a database and a browser can hold.
BIG = 2**53

Text = Annotated[str, Field(max_length=4096, pattern=r"^[^\x00]*$")]
LongText = Annotated[str, Field(max_length=20_000)]
Parallelism = Annotated[int, Field(ge=1, le=4096)]


class Answer(BaseModel):
    """An answer; its names have dashes where Flink's have."""

    model_config = ConfigDict(populate_by_name=True)


class Errors(Answer):
    """Why a request was refused."""

    errors: list[str]


class Nothing(Answer):
    """It is done, or will be."""


class Entry(Answer):
    """A module that can be run."""

    name: str
    description: str | None = None


class Artifact(Answer):
    """An uploaded script or archive."""

    id: str
    name: str
    uploaded: int = Field(description="ms since 1970")
    size: int = Field(description="bytes")
    sha256: str
    type: str = Field(description="script or archive")
    entry: list[Entry]


class ArtifactList(Answer):
    """All artifacts, the newest first."""

    address: str
    files: list[Artifact]


class Uploaded(Artifact):
    """An artifact that has come."""

    filename: str
    status: str = "success"


class RunParameters(BaseModel):
    """What the query of a request and its body may both say of a run. All of it may be left out."""

    model_config = ConfigDict(populate_by_name=True)

    pythonEntryModule: Text | None = Field(None, description="The module to run, instead of __main__.")
    parallelism: Parallelism | None = None
    savepointPath: Text | None = Field(None, description="A savepoint to take state and offsets over from.")
    allowNonRestoredState: bool | None = None
    name: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        None, description="Of the job; no other active job may have been given it."
    )
    launcher: Text | None = Field(None, description="Where its driver runs; see GET /overview.")
    checkpointDir: Text | None = Field(None, description="An own checkpoint directory, to continue from one.")


class RunInQuery(RunParameters):
    """The query of a run, as Flink has it."""

    entryClass: Text | None = Field(None, alias="entry-class", description="Flink's older name of pythonEntryModule.")
    programArg: LongText | None = Field(None, description="Arguments, with commas.")
    programArgs: LongText | None = Field(None, alias="program-args", description="The same, quoted as in a shell.")

    def given(self) -> dict[str, Any]:
        """What was said, by the names of `Run`."""
        said = self.model_dump(exclude_none=True)
        arguments = said.pop("programArg", "")
        return {**said, "programArgsList": arguments.split(",")} if arguments else said


class Run(RunParameters):
    """How a job is to be run. All of it may be left out."""

    model_config = ConfigDict(extra="forbid")

    entryClass: Text | None = Field(None, description="Flink's older name of pythonEntryModule.")
    programArgsList: list[Text] | None = Field(None, max_length=1000, description="Arguments of the job.")
    programArgs: Text | None = Field(None, description="Arguments as one text, quoted as in a shell.")
    flinkConfiguration: dict[Text, Text] | None = Field(
        None, max_length=1000, description="Settings of datastream, Flink and Spark."
    )

    def options(self) -> dict[str, Any]:
        """The options of a run, by the names that the runner knows."""
        names = {name: about(each).in_gateway for name, each in options_of(RunOptions).items()}
        return {name: getattr(self, field) for name, field in names.items() if field is not None}


class Started(Answer):
    """A job that was submitted."""

    jobid: str


class PlanAnswer(Answer):
    """A plan in Flink's form, and as the dashboard draws it."""

    plan: dict[str, Any]
    graph: dict[str, Any]


class JobId(Answer):
    """A job, in short."""

    id: str
    status: str


class JobIds(Answer):
    """All jobs, in short."""

    jobs: list[JobId]


class ArtifactName(Answer):
    """An artifact, in short."""

    id: str
    name: str


class Job(Answer):
    """A job."""

    jid: str
    name: str | None
    state: str
    start_time: int = Field(alias="start-time", description="ms since 1970")
    end_time: int = Field(alias="end-time", description="ms since 1970; -1: it has not ended")
    duration: int = Field(description="ms")
    last_modification: int = Field(alias="last-modification", description="ms since 1970")
    artifact: ArtifactName
    launcher: str = Field(description="Where its driver runs; sql: a session of SQL runs it.")
    parallelism: int | None
    restarts: int = Field(description="Restarts of the job inside its driver.")
    attempt: int = Field(description="From 1; each driver is another attempt.")
    epoch: int | None = Field(description="Number of the last committed epoch.")
    records_in: int | None = Field(alias="records-in")
    records_out: int | None = Field(alias="records-out")
    records_per_second: float | None = Field(alias="records-per-second")
    error: str | None
    exit_code: int | None = Field(alias="exit-code")
    checkpoint: str | None
    savepoint: str | None = Field(description="Where the last savepoint is.")
    request: dict[str, Any] = Field(
        description="As it was submitted, without secrets. Of a job of SQL: its statement, session and settings."
    )


class JobList(Answer):
    """Jobs, the newest first."""

    jobs: list[Job]


class JobDetails(Job):
    """A job with its plan and its latest statistics."""

    plan: dict[str, Any] | None
    snapshot: dict[str, Any] | None
    trace: str | None = Field(description="The user's part of the traceback of what ended it.")


class Metrics(Answer):
    """Points of the charts, and how the operators are now."""

    samples: list[dict[str, Any]]
    seq: int
    operators: dict[str, dict[str, Any]]
    bottleneck: dict[str, Any] | None
    backpressured: bool


class Exceptions(Answer):
    """What went wrong, the newest first."""

    root_exception: str | None = Field(alias="root-exception")
    exceptions: list[dict[str, Any]]


class Savepoint(Answer):
    """A savepoint that was asked for."""

    request_id: str = Field(alias="request-id")
    kind: str
    status: str
    directory: str
    location: str | None
    error: str | None
    time_ms: int
    duration_ms: int | None


class Checkpoints(Answer):
    """Committed epochs and savepoints."""

    counts: dict[str, int]
    latest: dict[str, Any] | None
    history: list[dict[str, Any]]
    savepoints: list[Savepoint]
    directory: str | None


class Requested(Answer):
    """Something that takes a while was begun."""

    request_id: str = Field(alias="request-id")


class Stop(BaseModel):
    """Stop a job with a savepoint."""

    model_config = ConfigDict(extra="forbid")

    targetDirectory: Text | None = Field(default=None, description="Where the savepoint's folder is made.")
    drain: bool = Field(default=False, description="End the sources first, so that all timers and windows fire.")


class TakeSavepoint(BaseModel):
    """Take a savepoint."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    target_directory: Text | None = Field(default=None, alias="target-directory")
    cancel_job: bool = Field(default=False, alias="cancel-job", description="Stop the job with it.")


class SavepointStatus(Answer):
    """How a savepoint is, in Flink's form."""

    status: dict[str, str]
    operation: dict[str, Any] | None = None


class LauncherState(Answer):
    """A launcher."""

    name: str
    default: bool
    available: bool
    reason: str | None
    pool: dict[str, int] | None


class Overview(Answer):
    """The gateway."""

    version: str
    time_ms: int
    name: str = Field(description="Of the token.")
    scopes: list[str] = Field(description="Of the token.")
    jobs: dict[str, int]
    launchers: list[LauncherState]
    limits: dict[str, int]

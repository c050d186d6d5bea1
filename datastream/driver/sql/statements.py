"""What the statements of a session share, and how one is carried out."""

from __future__ import annotations

from datastream.errors import ValidationError
from datastream.table import EnvironmentSettings, StatementSet, TableEnvironment, TableResult
from datastream.table.results.table_result import ok

from .job_statements import described_job, shown_jobs, stopped_job
from .jobs import Jobs
from .splitting import Statement


class Statements:
    """The statements of a session.

    Attributes:
        t_env: The environment.
        jobs: The jobs that were started.
        carried_out: The text of the statement that is carried out, or was last; of END with all since BEGIN.
    """

    def __init__(self) -> None:
        self.t_env = TableEnvironment.create(EnvironmentSettings.new_instance().build())
        self.jobs = Jobs()
        self.carried_out = ""
        #: The settings that RESET goes back to.
        self._initial = dict(self.t_env.get_config().to_map())
        self._set: StatementSet | None = None
        #: The INSERTs that it has.
        self._gathered: list[str] = []

    def execute(self, statement: Statement) -> TableResult:
        """Carry out a statement.

        Raises:
            DataStreamError: it is wrong, or has failed.
        """
        self.carried_out = statement.text
        if statement.is_only("SHOW", "JOBS"):
            return shown_jobs(self.jobs)
        if self._set is not None or statement.is_only("BEGIN", "STATEMENT", "SET"):
            return self._gather(statement)
        if statement.begins("STOP", "JOB"):
            return stopped_job(self.jobs, statement) or ok()
        if statement.begins("DESCRIBE", "JOB") or statement.begins("DESC", "JOB"):
            return described_job(self.jobs, statement)
        result = self.t_env.execute_sql(statement.placed)
        if statement.begins("RESET"):
            self._restore()
        return result

    @property
    def gathers(self) -> bool:
        """Whether INSERTs wait for END."""
        return self._set is not None

    def forget_gathered(self) -> None:
        """Leave out the INSERTs that wait for END."""
        self._set = None

    def _restore(self) -> None:
        """Set again what was set at the beginning and is not set any more."""
        config = self.t_env.get_config()
        left = config.to_map()
        for key, value in self._initial.items():
            if key not in left:
                config.set(key, value)

    def _gather(self, statement: Statement) -> TableResult:
        """Carry out a statement between BEGIN STATEMENT SET and END, or one of these."""
        if self._set is None:
            self._set, self._gathered = self.t_env.create_statement_set(), []
        elif statement.is_only("END"):
            gathered, self._set = self._set, None
            self.carried_out = ";\n".join(("BEGIN STATEMENT SET", *self._gathered, "END"))
            return gathered.execute() if self._gathered else ok()
        elif statement.begins("INSERT"):
            self._set.add_insert_sql(statement.placed)
            self._gathered.append(statement.text)
        else:
            raise ValidationError(
                "Only INSERT statement is allowed in Statement Set. Use END to run what was gathered: "
                f"{' '.join(statement.words[:3]) or statement.text[:40]} was not carried out"
            )
        return ok()

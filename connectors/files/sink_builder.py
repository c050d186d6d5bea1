"""PyFlink's builders of a FileSink."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Self

from datastream.errors import UnsupportedOperation, ValidationError
from datastream.formats import BulkWriterFactory, Encoder
from datastream.without_effect import without_effect

from .bucket_commits import BucketCommits
from .buckets import BucketAssigner
from .output_config import OutputFileConfig
from .overwriting import Overwrite
from .rolling import RollingPolicy

if TYPE_CHECKING:
    from .sink import FileSink, StreamingFileSink


class BaseBuilder:
    """What all builders share. Defaults: a folder for each hour, names ``part-<job>-<subtask>-<number>``."""

    def __init__(self, base_path: str, records_format: Encoder | BulkWriterFactory, policy: RollingPolicy) -> None:
        self._base_path = base_path
        self._format = records_format
        self._assigner = BucketAssigner.date_time_bucket_assigner()
        self._policy = policy
        self._names = OutputFileConfig()
        self._fsync = False
        self._overwrite: Overwrite | None = None
        self._commits: BucketCommits | None = None

    def with_bucket_assigner(self, bucket_assigner: BucketAssigner) -> Self:
        """Set into which folder a record goes. Default: one for each hour."""
        self._assigner = bucket_assigner
        return self

    def with_rolling_policy(self, rolling_policy: RollingPolicy) -> Self:
        """Set when a part file is finished."""
        self._policy = rolling_policy
        return self

    def with_output_file_config(self, output_file_config: OutputFileConfig) -> Self:
        """Set how part files are named."""
        self._names = output_file_config
        return self

    def with_overwrite(self, overwrite: Overwrite) -> Self:
        """Replace the files that are there, at the end of a job whose sources end. Not in PyFlink.

        Until then nothing is visible, whatever the rolling policy. What a failed job has written is dropped.
        """
        self._overwrite = overwrite
        return self

    def with_bucket_commits(self, commits: BucketCommits) -> Self:
        """Set when a bucket is complete, and what is done then. Not in PyFlink."""
        self._commits = commits
        return self

    @without_effect("the rolling policy is asked at every commit, so at most an epoch late")
    def with_bucket_check_interval(self, interval: int) -> Self:
        """Accepted, without effect: the policy is asked at every commit, so at most an epoch late.

        Args:
            interval: ms.

        Raises:
            ValidationError: if it is not positive.
        """
        if interval <= 0:
            raise ValidationError(f"with_bucket_check_interval: expected a positive number of ms, got {interval}")
        return self

    def with_fsync(self, fsync: bool = True) -> Self:
        """Bring every file to the disk before an epoch counts as committed. Not in PyFlink. Default: no."""
        self._fsync = fsync
        return self

    def enable_compact(self, strategy: Any, compactor: Any) -> NoReturn:
        """Not supported.

        Raises:
            UnsupportedOperation: always; a rolling policy with a larger part size has the same effect.
        """
        raise UnsupportedOperation(
            "FileSink.enable_compact: part files are already put together over epochs; "
            "use RollingPolicy.default_rolling_policy(part_size=..., rollover_interval=...) for larger ones"
        )

    def disable_compact(self) -> Self:
        """Nothing to do: there is no compaction."""
        return self

    def build(self) -> FileSink:
        """The sink."""
        from .sink import FileSink

        return FileSink(*self._parts)

    @property
    def _parts(self) -> tuple[Any, ...]:
        settings = (self._assigner, self._policy, self._names, self._fsync, self._overwrite, self._commits)
        return (self._base_path, self._format, *settings)


class RowFormatBuilder(BaseBuilder):
    """Builds a sink of a row format. Default policy: 128 MB or one minute."""

    def __init__(self, base_path: str, encoder: Encoder) -> None:
        super().__init__(base_path, encoder, RollingPolicy.default_rolling_policy())


class BulkFormatBuilder(BaseBuilder):
    """Builds a sink of a bulk format. The policy is that every epoch finishes its files."""

    def __init__(self, base_path: str, writer_factory: BulkWriterFactory) -> None:
        super().__init__(base_path, writer_factory, RollingPolicy.on_checkpoint_rolling_policy())


class StreamingBaseBuilder(BaseBuilder):
    """What the builders of the old sink share."""

    def with_rolling_policy(self, policy: RollingPolicy) -> Self:
        """Set when a part file is finished."""
        return super().with_rolling_policy(policy)

    def build(self) -> StreamingFileSink:
        """The sink."""
        from .sink import StreamingFileSink

        return StreamingFileSink(*self._parts)


class DefaultRowFormatBuilder(StreamingBaseBuilder):
    """Builds a `StreamingFileSink` of a row format. Default policy: 128 MB or one minute."""

    def __init__(self, base_path: str, encoder: Encoder) -> None:
        super().__init__(base_path, encoder, RollingPolicy.default_rolling_policy())


class DefaultBulkFormatBuilder(StreamingBaseBuilder):
    """Builds a `StreamingFileSink` of a bulk format. The policy is that every epoch finishes its files."""

    def __init__(self, base_path: str, writer_factory: BulkWriterFactory) -> None:
        super().__init__(base_path, writer_factory, RollingPolicy.on_checkpoint_rolling_policy())

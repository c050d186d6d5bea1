"""What PyFlink's scripts name and nothing here needs: who reads which shard."""

from __future__ import annotations


class KinesisShardAssigner:
    """Which subtask reads a shard. It has no effect: the engine decides that for each epoch."""

    @staticmethod
    def default_shard_assigner() -> KinesisShardAssigner:
        """Flink's default."""
        return KinesisShardAssigner()

    @staticmethod
    def uniform_shard_assigner() -> KinesisShardAssigner:
        """By ranges of hash keys."""
        return KinesisShardAssigner()


class WatermarkTracker:
    """Aligns sources by event time. It has no effect: an epoch reads all shards."""

    @staticmethod
    def job_manager_watermark_tracker(
        aggregate_name: str, log_accumulator_interval_millis: int = -1
    ) -> WatermarkTracker:
        """Flink's tracker of the job manager."""
        return WatermarkTracker()

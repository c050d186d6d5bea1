"""From resolved relations to operators of the DataStream engine."""

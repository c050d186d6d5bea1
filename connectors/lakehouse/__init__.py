"""What sinks and sources of tables of files share; see `connectors.delta` and `connectors.iceberg`."""

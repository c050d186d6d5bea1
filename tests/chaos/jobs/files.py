"""Files to files without state, into part files of several epochs."""

from ends import Ends
from pyflink.datastream.connectors.file_system import RollingPolicy

ends = Ends()
records = ends.records().filter(lambda record: record[0] % 11)
again = records.flat_map(lambda record: [(record[0], n) for n in range(record[0] % 3 + 1)])
ends.write(again, "large", RollingPolicy.default_rolling_policy(part_size=60_000))
ends.write(records.rebalance().map(lambda record: record[::-1]), "rebalanced")
ends.env.execute("chaos: files")

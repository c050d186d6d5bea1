import datetime
from array import array
from decimal import Decimal

from pyflink.common import Row
from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
day, moment = datetime.date(2020, 2, 29), datetime.datetime(2020, 1, 2, 3, 4, 5, 678000)
table = env.from_elements(
    [
        (
            1,
            1.5,
            "x",
            True,
            None,
            bytearray(b"cd"),
            Decimal("1.25"),
            day,
            datetime.time(1, 2, 3),
            moment,
            [1, 2],
            {"k": 1},
            Row(1, "n"),
            array("d", [1.5]),
        )
    ],
)
table.print_schema()
with table.execute().collect() as rows:
    for row in rows:
        print(row)

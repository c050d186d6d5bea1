from pyflink.common import RowKind
from pyflink.table import ChangelogMode

for mode in (ChangelogMode.insert_only(), ChangelogMode.upsert(), ChangelogMode.all()):
    print(type(mode).__name__)
for kind in RowKind:
    print(kind, repr(kind), kind.name, kind.value)
print(RowKind.INSERT == RowKind(0), RowKind.DELETE)

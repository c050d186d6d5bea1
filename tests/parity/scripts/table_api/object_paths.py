from pyflink.table.catalog import CatalogPartitionSpec, ObjectIdentifier, ObjectPath

path = ObjectPath("db", "t")
print(path, path.get_database_name(), path.get_object_name(), path.get_full_name())
print(path == ObjectPath.from_string("db.t"), path == ObjectPath("db", "u"), hash(path) == hash(ObjectPath("db", "t")))
print(
    path < ObjectPath("db", "u"),
    path >= ObjectPath("db", "a"),
    sorted([ObjectPath("b", "x"), path, ObjectPath("a", "z")])[0],
)
name = ObjectIdentifier.of("c", "d", "o p")
print(name, name.as_summary_string(), name.as_serializable_string(), name.to_list(), name.to_object_path())
print(name.get_catalog_name(), name.get_database_name(), name.get_object_name())
print(name == ObjectIdentifier.of("c", "d", "o p"), name == ObjectIdentifier.of("c", "d", "x"))
print(ObjectIdentifier.of("a`b", "c.d", "e").as_serializable_string())
spec = CatalogPartitionSpec({"a": "1"})
print(spec, spec.get_partition_spec(), spec == CatalogPartitionSpec({"a": "1"}), spec == CatalogPartitionSpec({}))


def refused(make):
    try:
        print(make())
    except Exception:
        print("refused")


refused(lambda: ObjectPath.from_string("t"))
refused(lambda: ObjectPath.from_string("a.b.c"))
refused(lambda: ObjectPath("", "t"))

from pyflink.table import DataTypes, EnvironmentSettings, Schema, TableEnvironment
from pyflink.table.catalog import CatalogModel, ObjectPath
from pyflink.table.model_descriptor import ModelDescriptor

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
given = Schema.new_builder().column("f0", DataTypes.STRING()).build()
made = Schema.new_builder().column("label", DataTypes.BIGINT()).column("p", "DOUBLE NOT NULL").build()


def builder():
    described = ModelDescriptor.for_provider("OPENAI").input_schema(given).output_schema(made)
    return described.option("task", "regression").option("openai.endpoint", "x").option("n", "1")


def tried(call, *args):
    try:
        return call(*args)
    except Exception:
        return "refused"


print(builder().comment("it's").build())
print(ModelDescriptor.for_provider("X").build())
one = builder().build()
print(one == builder().build(), hash(one) == hash(builder().build()), one == builder().comment("c").build())
print(one.get_input_schema(), one.get_output_schema(), one.get_comment())
print(env.list_models(), env.list_temporary_models())
print(tried(env.create_model, "M1", one), tried(env.create_model, "M1", one), env.create_model("M1", one, True))
print(tried(env.create_temporary_model, "M2", one), tried(env.create_temporary_model, "M2", one))
print(env.create_temporary_model("M2", one, True), env.create_temporary_model("M1", one))
print(tried(env.create_model, "M3", ModelDescriptor.for_provider("X").build()))
print(tried(env.create_model, "nowhere.nowhere.M3", one), env.create_model("default_catalog.default_database.P", one))
print(env.list_models(), env.list_temporary_models())
print([env.drop_model("M1"), env.drop_temporary_model("M1"), env.drop_model("M1")])
print([tried(env.drop_model, "M1", False), tried(env.drop_model, "M2", False), env.drop_model("M2")])
print([env.drop_temporary_model("M2"), env.drop_temporary_model("M2")])

catalog = env.get_catalog("default_catalog")
print(catalog.list_models("default_database"), tried(catalog.list_models, "nowhere"))


def path(name):
    return ObjectPath("default_database", name)


kept = catalog.get_model(path("P"))
print(sorted(kept.get_options().items()), kept.get_comment(), sorted(kept.copy().get_options()))
model = CatalogModel.create_model(given, made, {"a": "b"}, "said")
print(catalog.create_model(path("Q"), model, False), tried(catalog.create_model, path("Q"), model, False))
print(catalog.create_model(path("Q"), model, True), tried(catalog.create_model, ObjectPath("zz", "Q"), model, False))
print(catalog.model_exists(path("Q")), catalog.model_exists(path("Z")), tried(catalog.get_model, path("Z")))
print(catalog.rename_model(path("Q"), "R", False), tried(catalog.rename_model, path("R"), "P", False))
print(tried(catalog.rename_model, path("Z"), "Y", False), catalog.rename_model(path("Z"), "Y", True))
print(catalog.alter_model(path("R"), CatalogModel.create_model(given, made, {"z": "b"}), False))
print(tried(catalog.alter_model, path("Z"), model, False), catalog.alter_model(path("Z"), model, True))
print(catalog.get_model(path("R")).get_options(), catalog.get_model(path("R")).get_comment())
print(catalog.drop_model(path("R"), False), tried(catalog.drop_model, path("R"), False))
print(catalog.drop_model(path("R"), True), catalog.list_models("default_database"))

import os

from pyflink.table import DataTypes, EnvironmentSettings, PlanReference, TableEnvironment
from pyflink.table.expressions import col
from pyflink.table.udf import udf

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
one = "'connector' = 'datagen', 'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '3'"
env.execute_sql(f"CREATE TABLE numbers (n INT) WITH ({one})")
env.execute_sql("CREATE TABLE printed (n BIGINT) WITH ('connector' = 'print')")
env.execute_sql("CREATE TABLE also (n BIGINT) WITH ('connector' = 'print', 'print-identifier' = 'also')")
os.makedirs("plans", exist_ok=True)
folder = os.path.abspath("plans")


def show(text):
    try:
        env.execute_sql(text).print()
    except Exception:
        print("refused", text.replace(folder, "."))


def refused(what, make):
    try:
        make()
        print("done", what)
    except Exception:
        print("refused", what)


def run(text):
    with open("plans/run.json", "w") as file:
        file.write(text)
    env.execute_sql(f"EXECUTE PLAN '{folder}/run.json'").wait()


show(f"COMPILE PLAN '{folder}/a.json' FOR INSERT INTO printed SELECT SUM(n) FROM numbers")
show(f"COMPILE PLAN '{folder}/a.json' FOR INSERT INTO printed SELECT 1")
show(f"COMPILE PLAN '{folder}/a.json' IF NOT EXISTS FOR INSERT INTO printed SELECT 1")
show(f"EXECUTE PLAN '{folder}/a.json'")
show(f"COMPILE AND EXECUTE PLAN '{folder}/b.json' FOR INSERT INTO also SELECT n FROM numbers WHERE n > 1")
show(f"COMPILE AND EXECUTE PLAN '{folder}/b.json' FOR INSERT INTO printed SELECT 5")
env.get_config().set("table.plan.force-recompile", "true")
show(f"COMPILE AND EXECUTE PLAN '{folder}/b.json' FOR INSERT INTO printed SELECT 5")
env.get_config().set("table.plan.force-recompile", "false")
show(f"EXECUTE PLAN '{folder}/none.json'")
show(f"COMPILE PLAN '{folder}/c.json' FOR SELECT 1")
refused("a query", lambda: env.compile_plan_sql("SELECT 1"))
refused("no plan", lambda: env.load_plan(PlanReference.from_json_string("{")))
refused("half a plan", lambda: env.load_plan(PlanReference.from_json_string("{}")))
refused("an empty set", lambda: env.create_statement_set().compile_plan())

several = env.create_statement_set().add_insert_sql("INSERT INTO printed SELECT n FROM numbers WHERE n = 3")
plan = several.add_insert("also", env.sql_query("SELECT n FROM numbers WHERE n = 3")).compile_plan()
plan.write_to_file("plans/d.json")
plan.write_to_file("plans/d.json", True)
refused("written again", lambda: plan.write_to_file("plans/d.json"))
reference = PlanReference.from_file("plans/d.json")
print(os.path.relpath(reference.get_file()), env.load_plan(reference).as_json_string() == plan.as_json_string())
show(f"EXECUTE PLAN '{folder}/d.json'")

twice = udf(lambda n: 2 * n, result_type=DataTypes.BIGINT())
pipeline = env.from_path("numbers").select(twice(col("n"))).insert_into("printed")
refused("inline", lambda: pipeline.compile_plan().as_json_string())
env.create_temporary_function("twice", twice)
text = env.compile_plan_sql("INSERT INTO printed SELECT twice(n) FROM numbers").as_json_string()
run(text)
env.drop_temporary_function("twice")
refused("a function that is gone", lambda: run(text))

text = env.compile_plan_sql("INSERT INTO printed SELECT n FROM numbers WHERE n = 1").as_json_string()
env.execute_sql("ALTER TABLE printed SET ('print-identifier' = 'now')")
for how in ("ALL", "ALL_ENFORCED", "IDENTIFIER"):
    env.get_config().set("table.plan.restore.catalog-objects", how)
    run(text)
env.execute_sql("DROP TABLE printed")
for how in ("ALL", "ALL_ENFORCED", "IDENTIFIER"):
    env.get_config().set("table.plan.restore.catalog-objects", how)
    refused(f"a table that is gone, {how}", lambda: run(text))
env.execute_sql("CREATE TABLE printed (n INT) WITH ('connector' = 'print')")
env.get_config().set("table.plan.restore.catalog-objects", "ALL")
refused("another type", lambda: run(text))
env.execute_sql("CREATE TEMPORARY TABLE mine (n BIGINT) WITH ('connector' = 'print')")
text = env.compile_plan_sql("INSERT INTO mine SELECT n FROM numbers WHERE n = 2").as_json_string()
run(text)
env.execute_sql("DROP TEMPORARY TABLE mine")
refused("a temporary table that is gone", lambda: run(text))

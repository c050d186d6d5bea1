import datetime

from pyflink.common import Configuration
from pyflink.table import EnvironmentSettings, SqlDialect, TableConfig, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
config = env.get_config()
print(config.get_max_generated_code_length(), config.get_idle_state_retention(), config.get_sql_dialect())
config.set_max_generated_code_length(5000)
config.set_idle_state_retention(datetime.timedelta(hours=2))
print(config.get_max_generated_code_length(), config.get_idle_state_retention())
print(config.get("table.exec.state.ttl", "none"), config.get("table.generated-code.max-length", "none"))
print(config.get("table.local-time-zone", "none"), config.get("table.sql-dialect", "none"))
config.set_sql_dialect(SqlDialect.DEFAULT)
print(config.get_sql_dialect() == SqlDialect.DEFAULT, config.get("table.sql-dialect", "none"))
more = Configuration()
more.set_string("a.b", "1").set_integer("c.d", 2)
config.add_configuration(more)
print(config.get("a.b", "none"), config.get("c.d", "none"), config.get_configuration().get_integer("c.d", 0))
print(config.set("x", "y") is config, config.get_configuration().contains_key("x"))
config.set_python_executable("python3")
print(config.get_python_executable(), config.get("python.executable", "none"))
print(TableConfig.get_default().get("x", "none"), TableConfig.get_default().get_local_timezone() != "")
print(TableConfig().get_python_executable())

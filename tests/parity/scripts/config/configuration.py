from pyflink.common import Configuration

config = Configuration()
config.set_string("s", "text").set_integer("i", 7).set_boolean("b", True).set_float("f", 1.5)
print(
    config.get_string("s", ""), config.get_integer("i", 0), config.get_boolean("b", False), config.get_float("f", 0.0)
)
print(config.get_string("none", "default"), config.get_integer("none", 3), config.contains_key("s"))
print(sorted(config.key_set()), sorted(config.to_dict().items()))
print(config.get_string("i", ""), config.get_string("b", ""))
config.remove_config("s")
print(
    config.contains_key("s"),
    config == Configuration(),
    Configuration().set_string("a", "b") == Configuration().set_string("a", "b"),
)

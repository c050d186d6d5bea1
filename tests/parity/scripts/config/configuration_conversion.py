from pyflink.common import Configuration

config = Configuration().set_string("i", "12").set_string("b", "true").set_string("f", "2.5")
print(config.get_integer("i", 0) + 1, config.get_boolean("b", False), config.get_float("f", 0.0))
other = Configuration()
other.add_all(config, "p.")
print(sorted(other.to_dict().items()))
target = {}
config.add_all_to_dict(target)
print(sorted(target.items()))

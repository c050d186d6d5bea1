from pyflink.common import Configuration

config = Configuration().set_string("i", "twelve")
try:
    print(config.get_integer("i", 0))
except Exception:
    print("failed")

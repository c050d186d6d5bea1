"""Fails at an invoice without an amount."""

from pyflink.datastream import StreamExecutionEnvironment

INVOICES = [
    {"number": 2041, "customer": "ann", "cents": "1290"},
    {"number": 2042, "customer": "bob", "cents": "450"},
    {"number": 2043, "customer": "cem", "cents": "n/a"},
]


def amount(invoice):
    return invoice["customer"], int(invoice["cents"])


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
amounts = env.from_collection(INVOICES).uid("invoices").map(amount).uid("amounts").name("Amounts")
amounts.key_by(lambda pair: pair[0]).sum(1).uid("totals").name("Totals").print().uid("print")
env.execute("invoices")

from pyflink.common import Types

print(Types.INT() == Types.INT(), Types.INT() == Types.LONG())
print(Types.ROW([Types.INT()]) == Types.ROW([Types.INT()]), Types.LIST(Types.INT()) == Types.LIST(Types.LONG()))
named = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])
print(named.get_field_names(), named.get_field_types(), named == Types.ROW([Types.INT(), Types.STRING()]))

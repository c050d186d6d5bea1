from pyflink.common import Types

for kind in (
    Types.STRING(),
    Types.INT(),
    Types.LONG(),
    Types.DOUBLE(),
    Types.BOOLEAN(),
    Types.BIG_DEC(),
    Types.INSTANT(),
    Types.TUPLE([Types.STRING(), Types.INT()]),
    Types.ROW([Types.INT()]),
    Types.ROW_NAMED(["a"], [Types.STRING()]),
    Types.LIST(Types.STRING()),
    Types.MAP(Types.STRING(), Types.INT()),
    Types.PICKLED_BYTE_ARRAY(),
    Types.PRIMITIVE_ARRAY(Types.INT()),
    Types.BASIC_ARRAY(Types.STRING()),
    Types.SQL_TIMESTAMP(),
):
    print(kind)

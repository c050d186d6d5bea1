from pyflink.table import DataTypes
from pyflink.table.expression import (
    JsonExistsOnError,
    JsonOnNull,
    JsonType,
    JsonValueOnEmptyOrError,
)
from pyflink.table.expressions import (
    col,
    json,
    json_array_agg,
    json_object_agg,
    json_string,
)

s = col("s")
for expression in (
    s.is_json(),
    s.is_json(JsonType.ARRAY),
    s.json_exists("$.a"),
    s.json_exists("$.a", JsonExistsOnError.TRUE),
    s.json_value("$.a"),
    s.json_value("$.a", DataTypes.INT(), JsonValueOnEmptyOrError.DEFAULT, 1, JsonValueOnEmptyOrError.ERROR, None),
    s.json_quote(),
    s.json_unquote(),
    json(s),
    json_string(s),
    json_object_agg(JsonOnNull.NULL, "k", s),
    json_array_agg(JsonOnNull.ABSENT, s),
):
    print(expression)

from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment

text, number = DataTypes.STRING(), DataTypes.INT()
kinds = {
    "k": text,
    "v": number,
    "m": DataTypes.MAP(text, number),
    "am": DataTypes.ARRAY(DataTypes.MAP(text, number)),
    "mm": DataTypes.MAP(text, DataTypes.MAP(number, text)),
}
rows = [
    ("a", 1, {"x": 1, "y": 2}, [{"p": 1}], {"in": {1: "b"}}),
    ("b", 2, {"z": 7}, [], {}),
    ("a", 3, {}, [{}, {"q": 2}], {"in": {}, "out": {2: "c"}}),
    ("c", 3, {"x": 1, "y": 2}, [{"p": 1}], {"in": {1: "b"}}),
]
others = DataTypes.ROW([DataTypes.FIELD("o", text), DataTypes.FIELD("p", number)])


def show(query):
    """The rows that are there in the end: the order of the sides of a join is open."""
    counts = {}
    with t.execute_sql(query).collect() as r:
        for row in r:
            step = 1 if str(row.get_row_kind()).split(".")[-1] in ("+I", "+U", "INSERT", "UPDATE_AFTER") else -1
            counts[str(list(row))] = counts.get(str(list(row)), 0) + step
    print(query, sorted((row, count) for row, count in counts.items() if count))


for streaming in (True, False):
    settings = EnvironmentSettings.in_streaming_mode() if streaming else EnvironmentSettings.in_batch_mode()
    t = TableEnvironment.create(settings)
    t.get_config().set("parallelism.default", "1")
    fields = DataTypes.ROW([DataTypes.FIELD(name, kind) for name, kind in kinds.items()])
    t.create_temporary_view("a", t.from_elements(rows, fields))
    t.create_temporary_view("b", t.from_elements([("a", 1), ("b", 2), ("d", 9)], others))
    for kind in ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"):
        show(f"SELECT k, v, m, am, mm, p FROM a {kind} b ON k = o")
        show(f"SELECT k, v, m, p FROM a {kind} b ON k = o AND m['x'] = p")
        show(f"SELECT k, c, p FROM (SELECT k, COLLECT(v) AS c FROM a GROUP BY k) {kind} b ON k = o")
        show(f"SELECT k, m, p FROM (SELECT k, MAP['n', SUM(v)] AS m FROM a GROUP BY k) {kind} b ON k = o")
        show(f"SELECT r, p FROM (SELECT k, ROW(v, m) AS r FROM a) {kind} b ON k = o")
    show("SELECT k, v, m FROM a WHERE k IN (SELECT o FROM b)")
    show("SELECT k, v, m FROM a WHERE k NOT IN (SELECT o FROM b WHERE o IS NOT NULL)")
    show("SELECT x.k, x.m, y.k, y.m FROM a x JOIN a y ON x.k = y.k")
    show("SELECT k, m FROM a CROSS JOIN b")
    if not streaming:  # where Flink takes no maps as keys
        break
    show("SELECT k, m FROM a UNION SELECT k, m FROM a")
    show("SELECT k, m FROM a INTERSECT SELECT k, m FROM a WHERE v < 3")
    show("SELECT k, m FROM a EXCEPT SELECT k, m FROM a WHERE v < 3")
    show("SELECT k, FIRST_VALUE(m), SUM(p) FROM a JOIN b ON k = o GROUP BY k")

/** Types of columns as SQL writes them. */

const LONGEST = 2147483647;
const NAMES = {
  INTEGER: "INT",
  TIME_WITHOUT_TIME_ZONE: "TIME",
  TIMESTAMP_WITHOUT_TIME_ZONE: "TIMESTAMP",
  TIMESTAMP_WITH_LOCAL_TIME_ZONE: "TIMESTAMP_LTZ",
};
const NUMBERS = new Set(["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL"]);

export const is_number = (type) => NUMBERS.has(type.type);

/** Such as `DECIMAL(10, 2) NOT NULL`. */
export const type_text = (type) => `${bare(type)}${type.nullable === false ? " NOT NULL" : ""}`;

function bare(type) {
  if (type.elementType) return `${type.type}<${type_text(type.elementType)}>`;
  if (type.keyType) return `MAP<${type_text(type.keyType)}, ${type_text(type.valueType)}>`;
  if (type.fields) return `ROW<${type.fields.map((field) => `${field.name} ${type_text(field.fieldType)}`).join(", ")}>`;
  if (type.resolution) return type.type.replaceAll("_", " ");
  if (type.length === LONGEST && type.type === "VARCHAR") return "STRING";
  if (type.length === LONGEST && type.type === "VARBINARY") return "BYTES";
  const name = NAMES[type.type] ?? type.type;
  const sizes = [type.length ?? type.precision, type.scale].filter((size) => size !== undefined);
  return sizes.length ? `${name}(${sizes.join(", ")})` : name;
}

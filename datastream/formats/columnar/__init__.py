"""What the columnar files, Parquet and ORC, have in common: row types, batches of rows, columns that fit."""

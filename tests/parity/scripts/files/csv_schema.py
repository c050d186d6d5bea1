from pyflink.datastream.formats.csv import CsvSchema

schema = CsvSchema.builder().add_string_column("a").add_number_column("b").build()
print(len(schema), schema.size())

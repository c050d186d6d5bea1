from pyflink.datastream.connectors.file_system import OutputFileConfig

config = OutputFileConfig.builder().with_part_prefix("pre").with_part_suffix(".ext").build()
print(config.get_part_prefix(), config.get_part_suffix())
builder = OutputFileConfig.OutputFileConfigBuilder()
print(builder.with_part_prefix("a").build().get_part_prefix())

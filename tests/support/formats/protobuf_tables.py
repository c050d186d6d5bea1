"""Messages for the tests of the format ``protobuf``, made without protoc, as an imported module has them."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format, timestamp_pb2

assert timestamp_pb2  # its file is in the pool

#: Flink's documentation has the first nine fields.
_SIMPLE = """
name: "datastream_simple_test.proto" package: "com.example"
message_type {
  name: "SimpleTest"
  field { name: "uid" number: 1 label: LABEL_OPTIONAL type: TYPE_INT64 }
  field { name: "name" number: 2 label: LABEL_OPTIONAL type: TYPE_STRING }
  field { name: "category_type" number: 3 label: LABEL_OPTIONAL type: TYPE_INT32 }
  field { name: "content" number: 4 label: LABEL_OPTIONAL type: TYPE_BYTES }
  field { name: "price" number: 5 label: LABEL_OPTIONAL type: TYPE_DOUBLE }
  field { name: "value_map" number: 6 label: LABEL_REPEATED type: TYPE_MESSAGE
    type_name: ".com.example.SimpleTest.ValueMapEntry" }
  field { name: "value_arr" number: 7 label: LABEL_REPEATED type: TYPE_MESSAGE
    type_name: ".com.example.SimpleTest.InnerMessageTest" }
  field { name: "corpus_int" number: 8 label: LABEL_OPTIONAL type: TYPE_ENUM
    type_name: ".com.example.SimpleTest.Corpus" }
  field { name: "corpus_str" number: 9 label: LABEL_OPTIONAL type: TYPE_ENUM
    type_name: ".com.example.SimpleTest.Corpus" }
  field { name: "one" number: 10 label: LABEL_OPTIONAL type: TYPE_MESSAGE
    type_name: ".com.example.SimpleTest.InnerMessageTest" }
  field { name: "flag" number: 11 label: LABEL_OPTIONAL type: TYPE_BOOL }
  field { name: "f" number: 12 label: LABEL_OPTIONAL type: TYPE_FLOAT }
  field { name: "words" number: 13 label: LABEL_REPEATED type: TYPE_STRING }
  field { name: "names" number: 14 label: LABEL_REPEATED type: TYPE_MESSAGE
    type_name: ".com.example.SimpleTest.NamesEntry" }
  field { name: "u" number: 15 label: LABEL_OPTIONAL type: TYPE_UINT32 }
  field { name: "ul" number: 16 label: LABEL_OPTIONAL type: TYPE_UINT64 }
  field { name: "a" number: 17 label: LABEL_OPTIONAL type: TYPE_INT32 oneof_index: 0 }
  field { name: "b" number: 18 label: LABEL_OPTIONAL type: TYPE_STRING oneof_index: 0 }
  field { name: "corpora" number: 19 label: LABEL_REPEATED type: TYPE_ENUM type_name: ".com.example.SimpleTest.Corpus" }
  field { name: "with_default" number: 20 label: LABEL_OPTIONAL type: TYPE_INT32 default_value: "7" }
  field { name: "from" number: 21 label: LABEL_OPTIONAL type: TYPE_INT64 }
  field { name: "blobs" number: 22 label: LABEL_REPEATED type: TYPE_BYTES }
  nested_type {
    name: "InnerMessageTest"
    field { name: "v1" number: 1 label: LABEL_OPTIONAL type: TYPE_INT64 }
    field { name: "v2" number: 2 label: LABEL_OPTIONAL type: TYPE_INT32 }
  }
  nested_type {
    name: "ValueMapEntry" options { map_entry: true }
    field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_INT64 }
    field { name: "value" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE
      type_name: ".com.example.SimpleTest.InnerMessageTest" }
  }
  nested_type {
    name: "NamesEntry" options { map_entry: true }
    field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_STRING }
    field { name: "value" number: 2 label: LABEL_OPTIONAL type: TYPE_STRING }
  }
  enum_type {
    name: "Corpus"
    value { name: "UNIVERSAL" number: 0 }
    value { name: "WEB" number: 1 }
    value { name: "IMAGES" number: 2 }
    value { name: "VIDEO" number: 7 }
  }
  oneof_decl { name: "which" }
}
"""
_THREE = """
name: "datastream_three.proto" package: "com.example" syntax: "proto3" dependency: "google/protobuf/timestamp.proto"
message_type {
  name: "Three"
  field { name: "uid" number: 1 label: LABEL_OPTIONAL type: TYPE_INT64 }
  field { name: "name" number: 2 label: LABEL_OPTIONAL type: TYPE_STRING }
  field { name: "maybe" number: 3 label: LABEL_OPTIONAL type: TYPE_INT32 oneof_index: 0 proto3_optional: true }
  field { name: "kind" number: 4 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".com.example.Three.Kind" }
  field { name: "inner" number: 5 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".com.example.Three" }
  field { name: "numbers" number: 6 label: LABEL_REPEATED type: TYPE_INT32 }
  field { name: "ts" number: 7 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".google.protobuf.Timestamp" }
  enum_type { name: "Kind" value { name: "ZERO" number: 0 } value { name: "ONE" number: 1 } }
  oneof_decl { name: "_maybe" }
}
"""


def _made(text: str, name: str) -> Any:
    file = text_format.Parse(text, descriptor_pb2.FileDescriptorProto())
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


SimpleTest = _made(_SIMPLE, "com.example.SimpleTest")
Three = _made(_THREE, "com.example.Three")

"""A protobuf file of every kind of field, made without protoc: classes that no module defines."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as F

SINGLE = {
    "int32": F.TYPE_INT32, "int64": F.TYPE_INT64, "uint32": F.TYPE_UINT32, "uint64": F.TYPE_UINT64,
    "sint32": F.TYPE_SINT32, "sint64": F.TYPE_SINT64, "fixed32": F.TYPE_FIXED32, "fixed64": F.TYPE_FIXED64,
    "sfixed32": F.TYPE_SFIXED32, "sfixed64": F.TYPE_SFIXED64, "float": F.TYPE_FLOAT, "double": F.TYPE_DOUBLE,
    "bool": F.TYPE_BOOL, "string": F.TYPE_STRING, "bytes": F.TYPE_BYTES,
}  # fmt: skip


def _field(message: Any, name: str, kind: int, of: str = "", repeated: bool = False, **more: Any) -> Any:
    label = F.LABEL_REPEATED if repeated else F.LABEL_OPTIONAL
    return message.field.add(
        name=name, number=len(message.field) + 1, type=kind, label=label, type_name=of or None, **more
    )


def _optional(message: Any, name: str, kind: int) -> None:
    field = _field(message, name, kind, proto3_optional=True)
    field.oneof_index = len(message.oneof_decl)
    message.oneof_decl.add(name=f"_{name}")


def _map(message: Any, name: str, key: int, value: int, of: str = "") -> None:
    entry = message.nested_type.add(name=f"{name.title()}Entry")
    entry.options.map_entry = True
    _field(entry, "key", key)
    _field(entry, "value", value, of)
    _field(message, name, F.TYPE_MESSAGE, f".shop.{message.name}.{entry.name}", repeated=True)


def shop() -> tuple[Any, dict[str, Any]]:
    """The pool, and the classes Order (fields of all kinds), Item, Node (holds itself) and Old (proto2)."""
    file = descriptor_pb2.FileDescriptorProto(name="shop.proto", package="shop", syntax="proto3")
    file.dependency.append("google/protobuf/timestamp.proto")
    state = file.enum_type.add(name="State")
    for number, name in enumerate(("NEW", "PAID", "SENT")):
        state.value.add(name=name, number=number)
    item = file.message_type.add(name="Item")
    _field(item, "sku", F.TYPE_STRING)
    _field(item, "count", F.TYPE_INT32)
    order = file.message_type.add(name="Order")
    pick = order.oneof_decl.add(name="pick")
    assert pick.name
    for name, kind in SINGLE.items():
        _field(order, f"a_{name}", kind)
        _field(order, f"r_{name}", kind, repeated=True)
    _field(order, "state", F.TYPE_ENUM, ".shop.State")
    _field(order, "states", F.TYPE_ENUM, ".shop.State", repeated=True)
    _field(order, "item", F.TYPE_MESSAGE, ".shop.Item")
    _field(order, "items", F.TYPE_MESSAGE, ".shop.Item", repeated=True)
    _field(order, "at", F.TYPE_MESSAGE, ".google.protobuf.Timestamp")
    _field(order, "from", F.TYPE_STRING)
    _field(order, "card", F.TYPE_STRING, oneof_index=0)
    _field(order, "cash", F.TYPE_INT32, oneof_index=0)
    _map(order, "counts", F.TYPE_STRING, F.TYPE_INT64)
    _map(order, "parts", F.TYPE_INT32, F.TYPE_MESSAGE, ".shop.Item")
    _map(order, "marks", F.TYPE_BOOL, F.TYPE_ENUM, ".shop.State")
    _optional(order, "o_int32", F.TYPE_INT32)
    _optional(order, "o_string", F.TYPE_STRING)
    node = file.message_type.add(name="Node")
    _field(node, "value", F.TYPE_INT32)
    _field(node, "next", F.TYPE_MESSAGE, ".shop.Node")
    old = descriptor_pb2.FileDescriptorProto(name="old.proto", package="old", syntax="proto2")
    message = old.message_type.add(name="Old")
    message.field.add(name="id", number=1, type=F.TYPE_INT32, label=F.LABEL_REQUIRED)
    message.field.add(name="name", number=2, type=F.TYPE_STRING, label=F.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(timestamp_pb2.DESCRIPTOR.serialized_pb)
    for one in (file, old):
        pool.AddSerializedFile(one.SerializeToString())
    names = ["shop.Order", "shop.Item", "shop.Node", "old.Old"]
    classes = {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in names}
    return pool, classes

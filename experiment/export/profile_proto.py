"""The messages in pprof's files, declared at run time for any release of protobuf.

The format is Google's ``profile.proto``. Only the fields that are written are declared.
"""

from __future__ import annotations

from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

__all__ = ["PACKAGE", "profile_class"]

PACKAGE: Final = "perftools.profiles"

_Field = tuple[str, int, str]

# Message → its fields: name, number, type. ``*`` marks repeated fields; types that begin with a capital are messages.
_MESSAGES: Final[dict[str, tuple[_Field, ...]]] = {
    "ValueType": (("type", 1, "int64"), ("unit", 2, "int64")),
    "Label": (("key", 1, "int64"), ("str", 2, "int64")),
    "Sample": (("location_id", 1, "uint64*"), ("value", 2, "int64*"), ("label", 3, "Label*")),
    "Line": (("function_id", 1, "uint64"), ("line", 2, "int64")),
    "Location": (("id", 1, "uint64"), ("line", 4, "Line*")),
    "Function": (
        ("id", 1, "uint64"),
        ("name", 2, "int64"),
        ("system_name", 3, "int64"),
        ("filename", 4, "int64"),
        ("start_line", 5, "int64"),
    ),
    "Profile": (
        ("sample_type", 1, "ValueType*"),
        ("sample", 2, "Sample*"),
        ("location", 4, "Location*"),
        ("function", 5, "Function*"),
        ("string_table", 6, "string*"),
        ("comment", 13, "int64*"),
        ("default_sample_type", 14, "int64"),
    ),
}


def profile_class() -> Any:
    """Return the message class ``Profile``, whose fields have ``add`` methods that create nested messages."""
    file = descriptor_pb2.FileDescriptorProto(name="autoanalyzer/profile.proto", package=PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            message.field.add(name=field, number=number, **_type(kind))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.Profile"))


def _type(kind: str) -> dict[str, Any]:
    declared = descriptor_pb2.FieldDescriptorProto
    name = kind.removesuffix("*")
    label = declared.LABEL_REPEATED if kind != name else declared.LABEL_OPTIONAL
    if name[0].isupper():
        return {"type": declared.TYPE_MESSAGE, "type_name": f".{PACKAGE}.{name}", "label": label}
    return {"type": getattr(declared, f"TYPE_{name.upper()}"), "label": label}

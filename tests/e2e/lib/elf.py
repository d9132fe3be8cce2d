"""Makes bad plugins out of good ones: changes fields of the head that `kindred_plugin` begins with.

The head is frozen for all majors: magic and struct_size (u32), abi_major, abi_minor,
min_host_minor, reserved (u16), required_caps (u64).
"""

import os
import struct

FIELDS = {"magic": (0, "<I"), "struct_size": (4, "<I"), "abi_major": (8, "<H"),
          "abi_minor": (10, "<H"), "min_host_minor": (12, "<H"), "required_caps": (16, "<Q")}
PT_LOAD = 1
SHT_DYNSYM = 11


class Elf:
    """Just enough of a little-endian 64-bit ELF file to find a data symbol."""

    def __init__(self, data):
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("not a 64-bit little-endian ELF file")
        self.data = data
        self.phoff, self.shoff = struct.unpack_from("<QQ", data, 32)
        self.phsize, self.phnum, self.shsize, self.shnum = struct.unpack_from("<HHHH", data, 54)

    def _section(self, index):
        """(type, offset, size, link, entry size)"""
        at = self.shoff + index * self.shsize
        kind = struct.unpack_from("<I", self.data, at + 4)[0]
        offset, size, link = struct.unpack_from("<QQI", self.data, at + 24)
        return kind, offset, size, link, struct.unpack_from("<Q", self.data, at + 56)[0]

    def symbol(self, name):
        """The virtual address of a dynamic symbol."""
        for index in range(self.shnum):
            kind, offset, size, link, entry = self._section(index)
            if kind != SHT_DYNSYM:
                continue
            strings = self._section(link)[1]
            for at in range(offset, offset + size, entry):
                text = strings + struct.unpack_from("<I", self.data, at)[0]
                if self.data[text:self.data.index(b"\0", text)] == name.encode():
                    return struct.unpack_from("<Q", self.data, at + 8)[0]
        raise ValueError(f"no symbol {name}")

    def offset(self, address):
        """Where in the file a virtual address is."""
        for index in range(self.phnum):
            at = self.phoff + index * self.phsize
            if struct.unpack_from("<I", self.data, at)[0] != PT_LOAD:
                continue
            offset, start, _, size = struct.unpack_from("<QQQQ", self.data, at + 8)
            if start <= address < start + size:
                return offset + address - start
        raise ValueError(f"address {address:#x} is not in the file")


def read_head(path):
    """The fields of the head of a plugin file."""
    with open(path, "rb") as file:
        data = file.read()
    elf = Elf(data)
    at = elf.offset(elf.symbol("kindred_plugin"))
    return {name: struct.unpack_from(form, data, at + off)[0]
            for name, (off, form) in FIELDS.items()}


def patched(source, target, **fields):
    """Writes `source` to `target` with fields of its head set."""
    with open(source, "rb") as file:
        data = bytearray(file.read())
    elf = Elf(bytes(data))
    at = elf.offset(elf.symbol("kindred_plugin"))
    for name, value in fields.items():
        offset, form = FIELDS[name]
        struct.pack_into(form, data, at + offset, value)
    with open(target, "wb") as file:
        file.write(data)
    os.chmod(target, 0o755)
    return target

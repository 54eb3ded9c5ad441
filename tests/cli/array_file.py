"""Numbers in the models and checkpoints that macmi writes; src/base/files/array_file.hpp has the layout."""
import struct
import zlib


def offset_of(file, array):
    (count,) = struct.unpack_from("<I", file, 12)
    at = 24
    for _ in range(count):
        (length,) = struct.unpack_from("<I", file, at)
        name = file[at + 4:at + 4 + length].decode()
        at += 4 + length
        extents = file[at + 1]
        if name == array:
            return struct.unpack_from("<Q", file, at + 2 + 8 * extents)[0]
        at += 10 + 8 * extents
    raise KeyError(array)


def integer(file, array):
    return struct.unpack_from("<q", file, offset_of(file, array))[0]


def changed(file, array, kind, value):
    """The file with another value of an array that holds one, and the checksum of that."""
    copy = bytearray(file)
    struct.pack_into(kind, copy, offset_of(file, array), value)
    struct.pack_into("<I", copy, len(copy) - 4, zlib.crc32(copy[:-4]))
    return bytes(copy)


def with_integer(file, array, value):
    return changed(file, array, "<q", value)


def with_number(file, array, value):
    return changed(file, array, "<d", value)

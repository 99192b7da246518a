#!/usr/bin/env python3
"""Checks that an exception finds its way through every function of a library.

usage: check_unwind.py FILE... | --self-test

The unwinder looks a function up in .eh_frame_hdr, which has one entry for each address. An empty function, such as GCC
makes of a cold part that nobody reaches, may begin where another one does; if the linker has kept the entry of the empty
one (lld does), an exception that passes the other one ends the process. Reads ELF files of 64 bits, as GNU ld, gold and
lld write them."""
import struct
import sys

DATAREL_SDATA4, PCREL_SDATA4 = 0x3b, 0x1b


def section(data, wanted):
    """(address, bytes) of a section of an ELF file; None: it has none."""
    start, = struct.unpack_from("<Q", data, 0x28)
    size, count, names_at = struct.unpack_from("<HHH", data, 0x3a)
    headers = [struct.unpack_from("<IIQQQQ", data, start + i * size) for i in range(count)]
    names = data[headers[names_at][4]:headers[names_at][4] + headers[names_at][5]]
    for name, _, _, address, offset, length in headers:
        if names[name:names.index(b"\0", name)] == wanted:
            return address, data[offset:offset + length]
    return None


def entries(header_at, header):
    """(address of the function, address of its description) by .eh_frame_hdr, in its order."""
    version, _, count_form, table_form = header[:4]
    if (version, count_form, table_form) != (1, 0x03, DATAREL_SDATA4):
        raise ValueError(f"a table of another form: {header[:4].hex()}")
    count, = struct.unpack_from("<I", header, 8)
    for i in range(count):
        function, description = struct.unpack_from("<ii", header, 12 + 8 * i)
        yield header_at + function, header_at + description


def functions(frames_at, frames):
    """(address, size, address of its description) of all functions of .eh_frame."""
    place = 0
    while place + 8 <= len(frames):
        length, cie = struct.unpack_from("<II", frames, place)
        if length == 0:
            break
        if cie != 0:  # else it is what functions share
            begin, size = struct.unpack_from("<iI", frames, place + 8)
            yield frames_at + place + 8 + begin, size, frames_at + place
        place += 4 + length


def lost(header, frames):
    """The functions that the unwinder does not find: of several entries of one address it takes the last one."""
    found = dict(entries(*header))
    return [(address, size) for address, size, at in functions(*frames) if size > 0 and found.get(address) != at]


def check(path):
    with open(path, "rb") as file:
        data = file.read()
    header, frames = section(data, b".eh_frame_hdr"), section(data, b".eh_frame")
    if header is None or frames is None:
        print(f"{path}: no .eh_frame_hdr")
        return 1
    missing = lost(header, frames)
    for address, size in missing:
        print(f"{path}: an exception ends the process in the {size} bytes at {address:#x}; link with GNU ld")
    print(f"{path}: {sum(1 for _ in functions(*frames))} functions, {len(missing)} lost")
    return 1 if missing else 0


def self_test():
    """Two functions at one address, one of them empty, and a table with the one, the other, or both."""
    frames_at, header_at, code = 0x1000, 0x3000, 0x2000

    def frame(size, place):
        return struct.pack("<IIiI", 12, place + 4, code - (frames_at + place + 8), size)
    frames = struct.pack("<II", 4, 0)
    places = []
    for size in (0, 64):
        places.append(len(frames))
        frames += frame(size, len(frames))

    def table(chosen):
        rows = b"".join(struct.pack("<ii", code - header_at, frames_at + places[i] - header_at) for i in chosen)
        return bytes([1, PCREL_SDATA4, 3, DATAREL_SDATA4]) + struct.pack("<iI", 0, len(chosen)) + rows
    wrong = 0
    for chosen, expected in (((0,), 1), ((1,), 0), ((0, 1), 0), ((1, 0), 1), ((), 1)):
        got = len(lost((header_at, table(chosen)), (frames_at, frames)))
        if got != expected:
            wrong += 1
            print(f"self-test: a table of {chosen} must lose {expected} functions; got {got}")
    print(f"check_unwind self-test: 5 tables, {wrong} wrong")
    return 1 if wrong else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    return max(check(path) for path in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())

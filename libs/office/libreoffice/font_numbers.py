"""Lets the Type 1 fonts of a PDF have the same numbers, whatever the process has printed before.

LibreOffice makes Type 1 fonts of OpenType fonts with CFF outlines. It counts them from one PDF to the next, and writes
the count into each (/UniqueID, from `nUniqueId` in vcl/source/fontsubset/cff.cxx).
"""

import ctypes
import mmap
import os
import struct

import clock

FIRST = 4_100_000
PATTERN = struct.pack('<i', FIRST)
WRITABLE = 2


def find_counter(program):
    """The counter. None if the library, as it was installed, does not have exactly one number like it."""
    path = os.path.realpath(os.path.join(program, 'libmergedlo.so'))
    base = clock.loaded_libraries(program)[path]
    with open(path, 'rb') as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as elf:
        found = [
            address + index * len(PATTERN)
            for kind, flags, start, address, _, size, _, _ in clock.program_headers(elf)
            if kind == clock.PT_LOAD and flags & WRITABLE
            for index in clock.aligned_matches(elf, PATTERN, start, start + size, len(PATTERN), 0)
        ]
    return ctypes.c_int32.from_address(base + found[0]) if len(found) == 1 else None


def reset(counter):
    if counter is not None:
        counter.value = FIRST

"""Stops the clock for LibreOffice, so that the fields and dates of a document show the time of its request."""

import ctypes
import mmap
import os
import struct

LIBC = ctypes.CDLL(None, use_errno=True)
PT_LOAD, PT_DYNAMIC = 1, 2
DT_PLTRELSZ, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_RELASZ, DT_STRSZ, DT_JMPREL = 2, 5, 6, 7, 8, 10, 23
CLOCK_REALTIME = 0

now_ms = 0


class TimeSpec(ctypes.Structure):
    _fields_ = [('seconds', ctypes.c_int64), ('fraction', ctypes.c_int64)]


ClockGetTime = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(TimeSpec))
GetTimeOfDay = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(TimeSpec), ctypes.c_void_p)
Time = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.POINTER(ctypes.c_int64))


@ClockGetTime
def clock_gettime(clock, result):
    if clock != CLOCK_REALTIME:
        return LIBC.clock_gettime(clock, result)
    result[0] = TimeSpec(now_ms // 1000, now_ms % 1000 * 1_000_000)
    return 0


@GetTimeOfDay
def gettimeofday(result, _zone):
    result[0] = TimeSpec(now_ms // 1000, now_ms % 1000 * 1000)
    return 0


@Time
def time(result):
    if result:
        result[0] = now_ms // 1000
    return now_ms // 1000


REPLACEMENTS = {b'clock_gettime': clock_gettime, b'gettimeofday': gettimeofday, b'time': time}


class LoadedLibrary(ctypes.Structure):
    _fields_ = [('address', ctypes.c_void_p), ('path', ctypes.c_char_p)]


VisitLibrary = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(LoadedLibrary), ctypes.c_size_t, ctypes.c_void_p)


def loaded_libraries(folder):
    """The libraries that are loaded from the folder: path and address (dl_iterate_phdr)."""
    found = {}

    @VisitLibrary
    def visit(library, _size, _data):
        path = os.path.realpath(os.fsdecode(library[0].path or b''))
        if path.startswith(os.path.realpath(folder)) and '.so' in path:
            found[path] = library[0].address or 0
        return 0

    LIBC.dl_iterate_phdr(visit, None)
    return found


def program_headers(elf):
    """Kind, flags, start, address, -, size, -, - of each part of a library (ELF-64, little endian)."""
    offset, count = struct.unpack_from('<Q', elf, 32)[0], struct.unpack_from('<H', elf, 56)[0]
    return [struct.unpack_from('<IIQQQQQQ', elf, offset + 56 * index) for index in range(count)]


def dynamic_entries(elf):
    """The dynamic section of a library, and how its addresses map to its file."""
    headers = program_headers(elf)
    segments = [(address, start, size) for kind, _, start, address, _, size, _, _ in headers if kind == PT_LOAD]
    entries = {}
    for kind, _, start, _, _, size, _, _ in headers:
        if kind == PT_DYNAMIC:
            entries = dict(struct.iter_unpack('<QQ', elf[start:start + size // 16 * 16]))

    def to_file(address):
        return next(start + address - first for first, start, size in segments if first <= address < first + size)

    return entries, to_file


def aligned_matches(content, pattern, start, end, size, offset):
    """The indexes of the records of this size, from `start`, that have the pattern at `offset`."""
    found = content.find(pattern, start, end)
    while found >= 0:
        index, rest = divmod(found - start - offset, size)
        if rest == 0:
            yield index
        found = content.find(pattern, found + 1, end)


def symbol_indexes(elf, entries, to_file, name):
    """The indexes of the symbols of this name: none or one, more if the library names it in several versions."""
    names, symbols = to_file(entries[DT_STRTAB]), to_file(entries[DT_SYMTAB])
    text = elf.find(b'\0' + name + b'\0', names, names + entries[DT_STRSZ])
    # The names follow the symbols in the file.
    if text < 0 or names < symbols:
        return []
    return aligned_matches(elf, struct.pack('<I', text + 1 - names), symbols, names, 24, 0)


def slots_of(elf, replacements):
    """The addresses, within the library, of the pointers to the functions to replace."""
    entries, to_file = dynamic_entries(elf)
    tables = [(entries.get(DT_JMPREL), entries.get(DT_PLTRELSZ)), (entries.get(DT_RELA), entries.get(DT_RELASZ))]
    for name, function in replacements.items():
        for symbol in symbol_indexes(elf, entries, to_file, name):
            for start, size in [(to_file(address), size) for address, size in tables if address]:
                for index in aligned_matches(elf, struct.pack('<I', symbol), start, start + size, 24, 12):
                    yield struct.unpack_from('<Q', elf, start + 24 * index)[0], function


def write_pointer(address, function):
    page = mmap.PAGESIZE
    LIBC.mprotect(ctypes.c_void_p(address & -page), ctypes.c_size_t(page), mmap.PROT_READ | mmap.PROT_WRITE)
    ctypes.c_void_p.from_address(address).value = ctypes.cast(function, ctypes.c_void_p).value


patched = set()


def freeze(folder, at_ms, replacements=REPLACEMENTS):
    """Sets the time that the libraries of this folder see. Returns how many of them use the clock."""
    global now_ms
    now_ms = at_ms
    for path, base in loaded_libraries(folder).items():
        if path in patched:
            continue
        patched.add(path)
        with open(path, 'rb') as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as elf:
            for slot, function in slots_of(elf, replacements):
                write_pointer(base + slot, function)
    return len(patched)

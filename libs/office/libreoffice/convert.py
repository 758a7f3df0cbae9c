"""Converts documents to PDF in one LibreOffice that stays in memory (LibreOfficeKit), one document after the other.

Started by libs/office/libreoffice/process.ts. Reads requests from file descriptor 3 and writes replies to 4: four
bytes with the length of a JSON header (little endian), the header, and as many bytes as its field `bytes` says.
Arguments: the `program` folder of LibreOffice, the folder of this process, the limits of memory and of files in MiB,
and by how much its niceness rises once it has started.
"""

import ctypes
import json
import os
import struct
import sys
import time
import urllib.request

import clock
import font_numbers
from command_line import convert_alone, prepare_profile
from isolation import isolate

REQUESTS, REPLIES = 3, 4


def read_bytes(count):
    parts = []
    while count > 0:
        part = os.read(REQUESTS, min(count, 1 << 20))
        if not part:
            os._exit(0)
        parts.append(part)
        count -= len(part)
    return b''.join(parts)


def read_request():
    header = json.loads(read_bytes(struct.unpack('<I', read_bytes(4))[0]))
    return header, read_bytes(header['bytes'])


def write_reply(header, content=b''):
    text = json.dumps({**header, 'bytes': len(content)}).encode()
    rest = memoryview(struct.pack('<I', len(text)) + text + content)
    while rest:
        rest = rest[os.write(REPLIES, rest[:1 << 20]):]


def function_of(thing, index, result, *arguments):
    """A function of the table that an object of LibreOfficeKit begins with (LibreOfficeKit/LibreOfficeKit.h)."""
    table = ctypes.cast(thing, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p)))[0]
    return ctypes.CFUNCTYPE(result, ctypes.c_void_p, *arguments)(table[index])


class Office:
    def __init__(self, program, profile):
        library = ctypes.CDLL(os.path.join(program, 'libmergedlo.so'), mode=ctypes.RTLD_GLOBAL)
        start = library.libreofficekit_hook_2
        start.restype, start.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_char_p]
        self.kit = start(program.encode(), url_of(profile))
        if not self.kit:
            raise RuntimeError('LibreOffice did not start')

    def error(self):
        text = function_of(self.kit, 3, ctypes.c_char_p)(self.kit)
        return (text or b'').decode('utf8', 'replace')

    def version(self):
        text = function_of(self.kit, 10, ctypes.c_char_p)(self.kit)
        return json.loads(text or b'{}')

    def load(self, path):
        load = function_of(self.kit, 4, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
        return load(self.kit, url_of(path), b'')

    def save(self, document, path, options):
        save = function_of(document, 2, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)
        return save(document, url_of(path), b'pdf', json.dumps(options).encode()) != 0

    def close(self, document):
        function_of(document, 1, None)(document)


def url_of(path):
    return ('file://' + urllib.request.pathname2url(path)).encode()


# Opened before this process may no longer read /proc.
STATISTICS = open('/proc/self/statm')


def memory_mb():
    STATISTICS.seek(0)
    return int(STATISTICS.read().split()[1]) * os.sysconf('SC_PAGE_SIZE') >> 20


def has_fonts_of_documents(folder):
    """Whether a document brought fonts, which LibreOffice would also use for all later documents."""
    fonts = os.path.join(folder, 'profile', 'user', 'temp', 'embeddedfonts')
    return any(files for _, _, files in os.walk(fonts))


def remove(path):
    try:
        os.remove(path)
    except FileNotFoundError:
        pass


def print_document(office, header, source, target):
    """None if the document could not be loaded."""
    started = time.monotonic()
    document = office.load(source)
    loaded = time.monotonic()
    if not document:
        return None
    # Loading a document of a new type loads further libraries.
    clock.freeze(header['program'], header['requestedAtMs'])
    saved = office.save(document, target, header['exportOptions'])
    reason = '' if saved else office.error()
    office.close(document)
    if not saved:
        return {'error': 'save', 'reason': reason}
    return {'loadMs': (loaded - started) * 1000, 'saveMs': (time.monotonic() - loaded) * 1000}


def print_alone(folder, header, source, target):
    started = time.monotonic()
    options, now_ms = header['exportOptions'], header['requestedAtMs']
    if not convert_alone(header['program'], folder, source, target, options, now_ms):
        return {'error': 'load', 'reason': ''}
    return {'loadMs': 0, 'saveMs': (time.monotonic() - started) * 1000}


def convert(office, folder, header, content):
    """Writes the document to a file, converts it, and returns the reply."""
    source, target = os.path.join(folder, 'input', header['fileName']), os.path.join(folder, 'output.pdf')
    os.makedirs(os.path.dirname(source), exist_ok=True)
    with open(source, 'wb') as file:
        file.write(content)
    try:
        result = None if source.endswith('.xlsx') else print_document(office, header, source, target)
        if result is None:
            result = print_alone(folder, header, source, target)
        result = {**result, 'memoryMb': memory_mb(), 'hasFonts': has_fonts_of_documents(folder)}
        if 'error' in result:
            return result, b''
        with open(target, 'rb') as file:
            return result, file.read()
    finally:
        remove(source)
        remove(target)


def main():
    program, folder, (memory_mb, file_mb, niceness) = sys.argv[1], sys.argv[2], map(int, sys.argv[3:])
    isolation = isolate(folder, program, memory_mb, file_mb)
    prepare_profile(folder, program)
    office = Office(program, os.path.join(folder, 'profile'))
    counter = font_numbers.find_counter(program)
    os.nice(niceness)
    write_reply({'version': office.version(), 'isolation': isolation})
    while True:
        header, content = read_request()
        clock.freeze(program, header['requestedAtMs'])
        font_numbers.reset(counter)
        write_reply(*convert(office, folder, {**header, 'program': program}, content))


main()

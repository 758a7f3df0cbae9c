"""Converts one document in a LibreOffice of its own: workbooks, and documents with comments that were not removed.

LibreOfficeKit opens windows for them whose descriptions are missing where LibreOffice is installed without a screen.
This file is also the program of that LibreOffice. Its arguments: the `program` folder of LibreOffice, the library to
load first, the time in milliseconds, the folder for its socket, and the arguments of LibreOffice.
"""

import ctypes
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

import clock

# The profile is another one: two processes cannot share it.
PROFILE = 'command-line-profile'
# A start with a profile of another build ends with this code.
NEEDS_RESTART = 81
FILTERS = {'.xlsx': 'calc_pdf_Export', '.pptx': 'impress_pdf_Export'}
LIBRARIES = {'.xlsx': 'libsclo.so', '.pptx': 'libsdlo.so'}
SHARED_FOLDERS = (b'/tmp', b'/var/tmp')


def build_id(program):
    """The build of this LibreOffice; an empty text if it does not say."""
    try:
        with open(os.path.join(program, 'versionrc'), encoding='utf-8') as file:
            return ''.join(re.findall(r'^buildid=(.*)$', file.read(), re.MULTILINE))
    except OSError:
        return ''


def prepare_profile(folder, program):
    """Copies the settings before another LibreOffice writes to their folder."""
    profile = os.path.join(folder, PROFILE)
    shutil.copytree(os.path.join(folder, 'profile'), profile)
    # LibreOffice registers its extensions and ends if the profile does not name its build.
    extensions = os.path.join(profile, 'user', 'extensions')
    os.makedirs(extensions)
    with open(os.path.join(extensions, 'buildid'), 'w', encoding='utf-8') as file:
        file.write(build_id(program))


def convert_alone(program, folder, source, target, options, now_ms):
    """Writes the PDF of the document to `target`. False if LibreOffice could not."""
    name, extension = os.path.splitext(os.path.basename(source))
    export = FILTERS.get(extension, 'writer_pdf_Export')
    profile = os.path.join(folder, PROFILE)
    command = [
        sys.executable, '-EsB', os.path.abspath(__file__), program, LIBRARIES.get(extension, 'libswlo.so'), str(now_ms),
        folder, '-env:UserInstallation=file://' + profile, '--headless', '--norestore', '--nologo', '--convert-to',
        f'pdf:{export}:{json.dumps(options)}', '--outdir', folder, source,
    ]
    quiet = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}
    if subprocess.run(command, check=False, **quiet).returncode == NEEDS_RESTART:
        subprocess.run(command, check=False, **quiet)
    written = os.path.join(folder, name + '.pdf')
    if not os.path.exists(written):
        return False
    with open(written, 'rb') as file:
        pdf = file.read()
    os.remove(written)
    with open(target, 'wb') as file:
        file.write(with_fixed_date(pdf, now_ms))
    return True


def with_fixed_date(pdf, now_ms):
    """Sets the date of the PDF, and the ids that LibreOffice derives from it, in place."""
    date = time.strftime('%Y%m%d%H%M%S', time.gmtime(now_ms // 1000)).encode()
    pdf = re.sub(rb"/CreationDate\(D:\d{14}", b'/CreationDate(D:' + date, pdf)
    start = pdf.rfind(b'trailer')
    trailer = re.sub(rb'[0-9A-F]{32}', b'0' * 32, pdf[start:])
    identifier = hashlib.sha256(pdf[:start] + trailer).hexdigest()[:32].upper().encode()
    return pdf[:start] + trailer.replace(b'0' * 32, identifier)


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_int)
def access(path, mode):
    """Hides the folders that all users share: LibreOffice would put its socket there, whatever TMPDIR says."""
    return -1 if path in SHARED_FOLDERS else clock.LIBC.access(path, mode)


def run_office(program, library, now_ms, socket_folder, arguments):
    """Runs LibreOffice in this process with a stopped clock. Returns its exit code."""
    office = ctypes.CDLL(os.path.join(program, 'libmergedlo.so'), mode=ctypes.RTLD_GLOBAL)
    ctypes.CDLL(os.path.join(program, library), mode=ctypes.RTLD_GLOBAL)
    # LibreOffice's timers need a `gettimeofday` that goes on.
    replaced = {name: clock.REPLACEMENTS[name] for name in (b'clock_gettime', b'time')}
    clock.freeze(program, now_ms, {**replaced, b'access': access})
    words = [os.path.join(program, 'soffice.bin'), '-env:OSL_SOCKET_PATH=' + socket_folder, *arguments]
    initialize = ctypes.CDLL(os.path.join(program, 'libuno_sal.so.3')).sal_detail_initialize
    initialize(len(words), (ctypes.c_char_p * (len(words) + 1))(*map(str.encode, words), None))
    return office.soffice_main()


if __name__ == '__main__':
    os._exit(run_office(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5:]))

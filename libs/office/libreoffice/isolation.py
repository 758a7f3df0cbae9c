"""Takes away from this process what a document must not reach: network, files, unlimited memory."""

import ctypes
import os
import platform
import resource
import sys

LIBC = ctypes.CDLL(None, use_errno=True)

CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
PR_SET_NO_NEW_PRIVS = 38
PR_SET_PDEATHSIG = 1
SIGKILL = 9

# The system calls of Landlock have the same numbers on all architectures (linux/landlock.h).
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
LANDLOCK_CREATE_RULESET_VERSION = 1
LANDLOCK_RULE_PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
# All rights on files of the first version; later versions add REFER, TRUNCATE and IOCTL_DEV.
ALL_FILE_RIGHTS = (1 << 13) - 1
NETWORK_RIGHTS = 3

# Programs, fonts and their settings. Not the folders of users, not /proc, and of /etc only what is named here.
READABLE = [
    '/usr/lib', '/usr/lib64', '/lib', '/lib64', '/usr/share', '/usr/local/lib', '/usr/local/share/fonts', '/etc/fonts',
    '/etc/libreoffice', '/etc/ld.so.cache', '/etc/localtime', '/var/cache/fontconfig', '/var/lib/libreoffice',
    '/var/spool/libreoffice', '/sys/devices/system/cpu',
]
WRITABLE_DEVICES = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom']


class RulesetAttributes(ctypes.Structure):
    _fields_ = [('files', ctypes.c_uint64), ('network', ctypes.c_uint64)]


class PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [('allowed', ctypes.c_uint64), ('parent', ctypes.c_int32)]


def leave_network():
    """Moves to an empty network. True if the process has no network afterwards."""
    return LIBC.unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 or LIBC.unshare(CLONE_NEWNET) == 0


def allow(ruleset, path, rights):
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):
        rights &= EXECUTE | WRITE_FILE | READ_FILE
    rule = PathBeneath(rights, parent)
    LIBC.syscall(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_RULE_PATH_BENEATH, ctypes.byref(rule), 0)
    os.close(parent)


def restrict_files(folder, program):
    """Allows to write in `folder` only, and to read only what LibreOffice consists of. Returns (files, network)."""
    version = LIBC.syscall(LANDLOCK_CREATE_RULESET, None, 0, LANDLOCK_CREATE_RULESET_VERSION)
    if version < 1:
        return False, False
    attributes = RulesetAttributes(ALL_FILE_RIGHTS, NETWORK_RIGHTS if version >= 4 else 0)
    size = 16 if version >= 4 else 8
    ruleset = LIBC.syscall(LANDLOCK_CREATE_RULESET, ctypes.byref(attributes), size, 0)
    if ruleset < 0:
        return False, False
    for path in READABLE + [os.path.dirname(program), sys.executable, sys.prefix + '/lib'] + font_folders():
        allow(ruleset, path, EXECUTE | READ_FILE | READ_DIR)
    for path in WRITABLE_DEVICES:
        allow(ruleset, path, WRITE_FILE | READ_FILE | READ_DIR)
    allow(ruleset, folder, ALL_FILE_RIGHTS)
    restricted = LIBC.syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0) == 0
    os.close(ruleset)
    return restricted, restricted and version >= 4


def font_folders():
    """Folders for fonts that an operator may add."""
    configured = os.environ.get('FONTCONFIG_PATH')
    return [configured] if configured else []


def limit_resources(memory_mb, file_mb):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (memory_mb << 20, memory_mb << 20))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_mb << 20, file_mb << 20))


def isolate(folder, program, memory_mb, file_mb):
    """Restricts this process for good. Says which restrictions the system allowed."""
    LIBC.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    limit_resources(memory_mb, file_mb)
    without_network = leave_network()
    LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    files, connections = restrict_files(folder, program)
    return {'network': without_network or connections, 'files': files, 'machine': platform.machine()}

# SPDX-License-Identifier: GPL-2.0-or-later
"""Which accelerator QEMU can use here: KVM where a virtual CPU really runs, else TCG."""
import functools
import os
import pathlib
import resource
import subprocess
import tempfile

from common import CACHE, content_key, say

QEMU = "/usr/bin/qemu-system-x86_64"
KVM = ["-accel", "kvm", "-cpu", "host"]
# Without la57: page walks of five levels are slower. Without svm: the guest would load its kvm modules, which takes time.
TCG = ["-accel", "tcg,thread=multi", "-cpu", "max,la57=off,svm=off"]
PROBE_SECONDS = 10
# A virtual machine may offer a KVM that runs a boot sector in seconds and a kernel in no time that anyone waits: how much more processor time than
# TCG's the trial may take.
SLACK_FACTOR, SLACK_SECONDS = 4, 0.3
EXIT_PORT, EXIT_VALUE = 0x501, 0x10


def boot_sector():
    """A boot sector that writes EXIT_VALUE to isa-debug-exit's port: mov dx, port; mov al, value; out dx, al; hlt; jmp $-1."""
    code = bytes([0xBA, EXIT_PORT & 0xFF, EXIT_PORT >> 8, 0xB0, EXIT_VALUE, 0xEE, 0xF4, 0xEB, 0xFD])
    return code.ljust(510, b"\0") + b"\x55\xaa"


def boots(accelerator):
    """Seconds of processor time that QEMU with these options takes to run SeaBIOS and a boot sector to its end; None: it does not."""
    with tempfile.NamedTemporaryFile(suffix=".img") as disk:
        disk.write(boot_sector() * 2)
        disk.flush()
        command = [QEMU, *accelerator, "-M", "pc", "-m", "64", "-nodefaults", "-no-user-config", "-display", "none",
                   "-drive", f"if=ide,format=raw,snapshot=on,file={disk.name}",
                   "-device", f"isa-debug-exit,iobase={EXIT_PORT},iosize=1"]
        began = processor_seconds()
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PROBE_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return None
        return processor_seconds() - began if done.returncode == EXIT_VALUE * 2 + 1 else None


def processor_seconds():
    """Of all children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def is_worth_it(kvm, tcg):
    """Whether KVM is used, by what boots() says of both."""
    return kvm is not None and (tcg is None or kvm < tcg * SLACK_FACTOR + SLACK_SECONDS)


@functools.cache
def kvm_works():
    """Whether QEMU can use /dev/kvm. Only a trial run can tell: the node may be inaccessible, lack hardware support or hang, and nested KVM
    may lack a feature that QEMU needs or be slower than TCG. The result is cached until the host boots again."""
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text()
    memo = CACHE / f"kvm-{content_key(boot, pathlib.Path(__file__), os.stat(QEMU).st_mtime_ns)}"
    if not memo.exists():
        works = is_worth_it(boots(KVM), boots(TCG))
        if not works:
            say("/dev/kvm is there but QEMU cannot use it, or is slower with it, so guests run under TCG")
        CACHE.mkdir(parents=True, exist_ok=True)
        memo.write_text("yes" if works else "no")
    return memo.read_text() == "yes"


def arguments(choice="auto"):
    """QEMU's options for accelerator `choice`: auto, kvm or tcg."""
    return KVM if choice == "kvm" or (choice == "auto" and kvm_works()) else TCG

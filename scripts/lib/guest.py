# SPDX-License-Identifier: GPL-2.0-or-later
"""A running guest: QEMU with our device (or its stock VGA), and commands in it over virtio-serial."""
import base64
import ctypes
import os
import pathlib
import re
import secrets
import selectors
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import accel
import build
import guest_image
import initrd
import overlay_image
import platforms
from common import Failure, output
from qmp import Qmp, QmpError

QEMU = "/usr/bin/qemu-system-x86_64"
BOOT_SECONDS = 300  # TCG on a busy machine
LOOK_SECONDS = 0.3
TIMED_OUT = 124
# Both GPUs get the same machine, so that runs differ in the GPU only.
GPU = "/machine/peripheral/gpu"  # the QOM path of our device
STOCK_GPU = ["-device", "VGA,addr=2.0,xres=1920,yres=1080,vgamem_mb=32"]
_PR_SET_PDEATHSIG = 1


class TimedOut(Failure):
    def __init__(self, sentence):
        super().__init__(sentence, TIMED_OUT)


def gpu_arguments(gpu, device_args="", platform=None):
    """QEMU's options for a GPU. `platform`: None for the first of platforms.names()."""
    if gpu == "stock":
        if device_args:
            raise Failure("--device-args are for --gpu softgen")
        return STOCK_GPU
    if not build.PLUGIN.exists():
        raise Failure(f"{build.PLUGIN.name} is not in {build.PLUGIN.parent}; run scripts/setup first")
    return ["-plugin", str(build.PLUGIN), "-device", ",".join([f"intel-gpu-{platform or platforms.names()[0]},addr=2.0", *filter(None, [device_args]), "id=gpu"])]


class Machine:
    """QEMU with one GPU and a QMP connection; stopped by close() or by leaving a `with` block."""
    environment = {}  # QEMU's additions to our environment

    def __init__(self, gpu="softgen", device_args="", qemu_args=(), accelerator="auto", memory="2G", display="none", cpus=2, platform=None):
        self._work = pathlib.Path(tempfile.mkdtemp(prefix="softgen-run-"))
        self.serial = self._work / "serial.log"
        self.errors = self._work / "qemu.log"
        self._near = []
        self._process = None
        self.qmp = None
        self._arguments = [QEMU, "-name", "softgen-guest", "-M", "q35", *accel.arguments(accelerator), "-smp", str(cpus), "-m", memory,
                           "-nodefaults", "-no-user-config", "-no-reboot", "-vga", "none", *gpu_arguments(gpu, device_args, platform),
                           "-display", display, "-serial", f"file:{self.serial}",
                           "-chardev", f"socket,id=qmp,fd={self.socket('qmp')}", "-mon", "chardev=qmp,mode=control", *qemu_args]

    def socket(self, name):
        """Makes a socket pair. Returns the descriptor of QEMU's end; self.ours[name] is ours."""
        ours, theirs = socket.socketpair()
        self.ours = {**getattr(self, "ours", {}), name: ours}
        self._near.append(theirs)
        return theirs.fileno()

    def start(self, extra=()):
        with open(self.errors, "wb") as log:
            self._process = subprocess.Popen([*self._arguments, *extra], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                             env={**os.environ, **self.environment}, pass_fds=[theirs.fileno() for theirs in self._near], preexec_fn=self._in_child)
        for theirs in self._near:
            theirs.close()
        try:
            self.qmp = Qmp(self.ours["qmp"])
        except Failure:
            raise self.gone("QEMU refused to start") from None
        return self

    def _in_child(self):
        """Runs in QEMU's process before QEMU does: it ends with us."""
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)

    @property
    def pid(self):
        return self._process.pid

    def gone(self, what):
        """A Failure with the reason why QEMU exited, as far as known."""
        if self._process:
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                pass
        said = [line for line in self.errors.read_text(errors="replace").splitlines() if "warning:" not in line]
        serial = self.serial.read_text(errors="replace").splitlines() if self.serial.exists() else []
        panic = [line for line in serial if "Kernel panic" in line or "softgen guest:" in line]
        return Failure(f"{what}: {(said or panic or ['no message was left'])[-1]}", 125)

    def _where(self):
        """Where a machine is that does not go on: its CPUs, and the last lines of its serial port."""
        try:
            cpus = self.qmp.command("human-monitor-command", command_line="info registers -a")
        except (Failure, QmpError) as failure:
            cpus = f"QEMU: {failure}"
        cpus = [line for line in cpus.splitlines() if re.match(r"CPU#|[ER]IP|QEMU", line)]
        serial = self.serial.read_text(errors="replace").splitlines() if self.serial.exists() else []
        return "\n".join([*cpus, "serial port:", *serial[-15:]])

    @property
    def folder(self):
        """A folder that close() removes."""
        return self._work

    def get(self, name, path=GPU):
        """A property of the device, or of the object at `path`."""
        return self.qmp.command("qom-get", path=path, property=name)

    def put(self, name, value, path=GPU):
        self.qmp.command("qom-set", path=path, property=name, value=value)

    def screenshot(self, path):
        path = pathlib.Path(path).absolute()
        self.qmp.command("screendump", filename=str(path), format="png")

    def wait_closed(self, timeout):
        """Waits until QEMU exits by itself, for instance because its window was closed."""
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise TimedOut("the machine still runs") from None

    def close(self):
        """Ends QEMU and removes its files."""
        if self._process and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for ours in self.ours.values():
            ours.close()
        shutil.rmtree(self._work, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class _Output:
    """One output stream of a command: passes bytes to the sink, up to the mark that ends the stream."""

    def __init__(self, mark, sink):
        self._mark, self._sink, self._held = mark, sink, b""
        self.done = False

    def feed(self, data):
        data = self._held + data
        end = data.find(self._mark)
        if end >= 0:
            self.done, self._held = True, b""
            data = data[:end]
        else:  # the last bytes may be the beginning of the mark
            keep = next((n for n in range(min(len(self._mark) - 1, len(data)), 0, -1) if self._mark.startswith(data[-n:])), 0)
            data, self._held = (data[:-keep], data[-keep:]) if keep else (data, b"")
        if data:
            self._sink(data)


class Guest(Machine):
    """A Machine that boots a guest image and runs commands in it as root."""

    def __init__(self, guest="bookworm", share=None, overlay=None, append="", **kwargs):
        image = guest_image.ensure(guest)
        super().__init__(**kwargs)
        try:
            self._prepare(guest, image, share, overlay, append)
        except BaseException:
            self.close()
            raise

    def _prepare(self, guest, image, share, overlay, append):
        ram_disk = self._work / "initrd"
        initrd.write(ram_disk, image)
        # no_timer_check: the kernel's timer test counts interrupts in a loop, and panics when a busy host stalls the machine.
        words = ["no_timer_check", "quiet", "loglevel=4", "console=ttyS0", "console=tty0", "panic=-1", f"softgen.guest={guest}"]
        arguments = ["-kernel", str(image / "vmlinuz"), "-initrd", str(ram_disk),
                     "-drive", f"if=none,id=root,format=raw,snapshot=on,file={image / 'root.img'}", "-device", "virtio-blk-pci,drive=root"]
        if overlay:
            arguments += ["-drive", f"if=none,id=overlay,format=raw,readonly=on,file={overlay_image.make(overlay, self._work)}",
                          "-device", "virtio-blk-pci,drive=overlay"]
            words += ["softgen.overlay"] + ["softgen.depmod"] * overlay_image.has_modules(overlay)
        arguments += ["-device", "virtio-serial-pci"]
        for name in ("control", "stdout", "stderr"):
            arguments += ["-chardev", f"socket,id={name},fd={self.socket(name)}",
                          "-device", f"virtserialport,chardev={name},name=softgen.{name}"]
        if share:
            arguments += ["-fsdev", f"local,id=share,security_model=none,multidevs=remap,path={share}",
                          "-device", "virtio-9p-pci,fsdev=share,mount_tag=share"]
            words.append("softgen.share")
        self._arguments += [*arguments, "-append", " ".join([*words, append])]
        self._control = b""

    def boot(self, timeout=BOOT_SECONDS):
        """Starts QEMU and waits until the guest takes commands; returns how many seconds that took."""
        start = time.monotonic()
        self.start()
        try:
            line = self._control_line(start + timeout, "the guest did not boot")
        except TimedOut as late:
            raise TimedOut(f"{late} ({timeout:g} s)\n{self._where()}") from None
        if not line.startswith("READY "):
            raise Failure(f"the guest reported a problem while it booted: {line.removeprefix('PROBLEM ')}", 125)
        return time.monotonic() - start

    def _control_line(self, deadline, late):
        while b"\n" not in self._control:
            self.ours["control"].settimeout(max(0.001, deadline - time.monotonic()))
            try:
                data = self.ours["control"].recv(4096)
            except TimeoutError:
                raise TimedOut(f"{late} in time") from None
            except OSError:
                data = b""
            if not data:
                raise self.gone("the guest ended before it could answer")
            self._control += data
        line, self._control = self._control.split(b"\n", 1)
        return line.decode(errors="replace").strip()

    def run(self, script, timeout=None, stdout=None, stderr=None, look=None):
        """Runs `script` by sh in the guest; returns its exit status. Calls the sinks with each piece of output, and look() at intervals.

        Raises TimedOut after `timeout` seconds; the guest cannot run further commands then."""
        mark = f"softgen-{secrets.token_hex(12)}".encode()
        sinks = {name: _Output(mark, sink or (lambda data: None)) for name, sink in (("stdout", stdout), ("stderr", stderr))}
        deadline = time.monotonic() + timeout if timeout else float("inf")
        try:
            self.ours["control"].settimeout(60)
            self.ours["control"].sendall(b"RUN " + mark + b" " + base64.b64encode(script.encode()) + b"\n")
        except OSError:
            raise self.gone("the guest ended before it could answer") from None
        with selectors.DefaultSelector() as selector:
            for name in ("stdout", "stderr", "control"):
                selector.register(self.ours[name], selectors.EVENT_READ, name)
            status, next_look = None, 0
            while status is None or not all(sink.done for sink in sinks.values()):
                left = deadline - time.monotonic()
                events = selector.select(min(left, LOOK_SECONDS if look else 3600)) if left > 0 else []
                if not events and left <= 0:
                    raise TimedOut(f"the command did not end within {timeout:g} s")
                if look and time.monotonic() >= next_look:
                    look()
                    next_look = time.monotonic() + LOOK_SECONDS
                for key, _ in events:
                    data = key.fileobj.recv(262144)
                    if not data:
                        raise self.gone("the guest ended while the command ran")
                    if key.data != "control":
                        sinks[key.data].feed(data)
                        continue
                    self._control += data
                    while b"\n" in self._control:
                        line, self._control = self._control.split(b"\n", 1)
                        words = line.split()
                        if len(words) == 3 and words[:2] == [b"EXIT", mark]:
                            status = int(words[2])
        return status

    def capture(self, script, timeout=None):
        """Like run(), but returns (status, stdout, stderr) with the outputs as text."""
        out, err = [], []
        status = self.run(script, timeout, out.append, err.append)
        return status, b"".join(out).decode(errors="replace"), b"".join(err).decode(errors="replace")


KERNEL_REPORTS = "dmesg --level=emerg,alert,crit,err,warn"


def _is_late_update(line):
    """Whether the driver reports an update that took longer than the device holds a blank for it (at least 10 ms up to its first write:
    hw/display/update_hold.h, open_ns): the host stopped the vCPU."""
    late = re.search(r"Atomic update failure on pipe \w \(.*\) time (\d+) us", line)
    return late is not None and int(late[1]) > 10_000


def graphics_reports(log):
    """Lines of KERNEL_REPORTS' output that name the graphics driver, without those about the time that the host gave the guest."""
    return [line for line in log.splitlines() if re.search("i915|drm", line) and not _is_late_update(line)]


# An absolute pointer, which follows the host's, and a keyboard.
WINDOW_DEVICES = ["-device", "virtio-tablet-pci", "-device", "virtio-keyboard-pci"]


def window_display_possible():
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise Failure("there is no desktop to open a window on; use --headless")


def window_display():
    """The argument of -display that opens a window on this desktop."""
    window_display_possible()
    known = output([QEMU, "-display", "help"]).split()
    for name, options in (("gtk", ",gl=off"), ("sdl", ",gl=off")):
        if name in known:
            return name + options
    raise Failure("this QEMU can open no window; install qemu-system-gui or use --headless")

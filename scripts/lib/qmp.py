# SPDX-License-Identifier: GPL-2.0-or-later
"""A small QMP client (QEMU's docs/interop/qmp-spec.rst) on a connected unix socket. Ours, since QEMU's own module (qemu.qmp) is no package of Debian
12 or 13."""
import json
import select
import time

from common import Failure


class QmpError(Exception):
    """QEMU's error answer to a command."""


class Qmp:
    def __init__(self, sock, timeout=60):
        self._sock, self._buffer, self._timeout = sock, b"", timeout
        self.events = []
        self._next = 0
        self.greeting = self._read(time.monotonic() + timeout)
        self.command("qmp_capabilities")

    def _read(self, deadline):
        """One message; Failure when QEMU is gone or silent."""
        while b"\n" not in self._buffer:
            self._sock.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                data = self._sock.recv(65536)
            except TimeoutError:
                raise Failure("QEMU does not answer on its control socket") from None
            except OSError:
                data = b""
            if not data:
                raise Failure("QEMU has ended")
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\n", 1)
        return json.loads(line)

    def command(self, execute, timeout=None, **arguments):
        """Runs a QMP command and returns its value. Events that arrive meanwhile are appended to self.events."""
        [number] = self.send((execute, {key.replace("_", "-"): value for key, value in arguments.items()}))
        return self.reply(number, timeout)

    def send(self, *commands):
        """Sends commands, each (name, arguments), without waiting between them: QEMU runs them one after the other. Their numbers, for reply()."""
        first, self._next = self._next + 1, self._next + len(commands)
        numbers = range(first, self._next + 1)
        text = "".join(json.dumps({"execute": name, "arguments": arguments, "id": number}) + "\n" for number, (name, arguments) in zip(numbers, commands))
        try:
            self._sock.sendall(text.encode())
        except OSError:
            raise Failure("QEMU has ended") from None
        return numbers

    def reply(self, number, timeout=None):
        """The value of a command sent; replies are read in the order of the commands. Events that arrive meanwhile are appended to self.events."""
        deadline = time.monotonic() + (timeout or self._timeout)
        while True:
            answer = self._read(deadline)
            if "event" in answer:
                self.events.append(answer)
            elif answer.get("id") == number:
                if "error" in answer:
                    raise QmpError(answer["error"]["desc"])
                return answer["return"]

    def event(self, names, timeout):
        """Takes the oldest event of these names and returns its name, as take() does."""
        event = self.take(names, timeout)
        return event and event["event"]

    def take(self, names, timeout):
        """Takes the oldest event of these names from self.events; waits so many seconds for one. None: none came."""
        deadline = time.monotonic() + timeout
        while True:
            for i, event in enumerate(self.events):
                if event["event"] in names:
                    del self.events[:i + 1]
                    return event
            self.events.clear()
            if not self._arrives(deadline):
                return None
            answer = self._read(time.monotonic() + self._timeout)
            if "event" in answer:
                self.events.append(answer)

    def _arrives(self, deadline):
        """Whether QEMU says something until then."""
        return b"\n" in self._buffer or bool(select.select([self._sock], [], [], max(0, deadline - time.monotonic()))[0])

    def monitor(self, line):
        """The text that the human monitor prints for `line`."""
        return self.command("human-monitor-command", command_line=line)

# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs cases of a dEQP program. After a crash or a time-out, which is the result of that case, a new process runs the remaining cases."""
import collections
import os
import re
import selectors
import signal
import subprocess
import time

from common import Failure

# What the program prints for a case; the words are s_qpTestResultMap's in framework/qphelper/qpTestLog.c.
BEGIN = re.compile(r"Test case '(.+)'\.\.")
RESULT = re.compile(r"  ([A-Z][A-Za-z]+) \((.*)\)?$")
Outcome = collections.namedtuple("Outcome", "word text seconds")
TAIL_LINES = 15
END_SECONDS = 5


class Process:
    """One run of `command`, which takes the names of `cases` from its standard input."""

    def __init__(self, command, cases, environment, stderr):
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env=environment, start_new_session=True)
        self._rest, self._lines = b"", collections.deque()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._child.stdout, selectors.EVENT_READ)
        try:
            self._child.stdin.write(("\n".join(cases) + "\n").encode())
            self._child.stdin.close()
        except BrokenPipeError:
            pass  # the program exited early; once() reports its output

    def line(self, deadline):
        """The next line; None at the end of the output; TimeoutError past `deadline` (of time.monotonic())."""
        while not self._lines:
            if not self._selector.select(max(0, deadline - time.monotonic())):
                raise TimeoutError
            data = os.read(self._child.stdout.fileno(), 1 << 16)
            if not data:
                return None
            *lines, self._rest = (self._rest + data).split(b"\n")
            self._lines.extend(lines)
        return self._lines.popleft().decode(errors="replace")

    def kill(self):
        """Kills the process and its children."""
        try:
            os.killpg(self._child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def end(self):
        """Its exit status, negative for a signal. It has a few seconds to end by itself."""
        try:
            self._child.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        self.kill()
        self._selector.close()
        self._child.stdout.close()
        return self._child.wait()


def once(command, cases, environment, stderr, timeout):
    """Outcomes of the cases that one process ran, in order. The last one may be a crash or a time-out."""
    process, done, current, tail = Process(command, cases, environment, stderr), {}, None, collections.deque(maxlen=TAIL_LINES)
    start = time.monotonic()
    try:
        while (line := process.line(start + timeout)) is not None:
            tail.append(line)
            if begun := BEGIN.match(line):
                if current:
                    done[current] = Outcome("InternalError", "no result was printed", time.monotonic() - start)
                current, start = begun[1], time.monotonic()
            elif current and (ended := RESULT.match(line)):
                done[current] = Outcome(ended[1], ended[2].removesuffix(")"), time.monotonic() - start)
                current, start = None, time.monotonic()
    except TimeoutError:
        if not current:
            raise Failure(f"'{command[-1]}' printed nothing for {timeout} s") from None
        done[current] = Outcome("Timeout", f"no result after {timeout} s", timeout)
        current = None
        process.kill()
    status = process.end()
    if current:
        done[current] = Outcome("Crash", f"the process ended with {status}", time.monotonic() - start)
    if not done:
        raise Failure(f"the program did not run '{cases[0]}'; its output ends with: {' / '.join(tail) or '(nothing)'}")
    return done


def run(command, cases, environment, stderr, timeout):
    """Outcome by case, for all of `cases`."""
    outcomes, waiting = {}, list(cases)
    while waiting:
        outcomes |= once(command, waiting, environment, stderr, timeout)
        waiting = [case for case in waiting if case not in outcomes]
    return outcomes

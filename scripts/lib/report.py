# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts test results of all suites, and prints each at once."""
import time
import unittest


class Report:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, [], []
        self._suite, self._start, self._mark = "", 0.0, (0, 0, 0)

    def begin(self, suite, what):
        self._suite, self._start = suite, time.monotonic()
        self._mark = self.passed, len(self.failed), len(self.skipped)
        print(f"== {suite}: {what}", flush=True)

    def end(self):
        ok, bad, left = self.passed - self._mark[0], len(self.failed) - self._mark[1], len(self.skipped) - self._mark[2]
        print(f"== {self._suite}: {ok} passed, {bad} failed, {left} skipped in {time.monotonic() - self._start:.0f} s", flush=True)

    def ok(self, name, seconds=None, quiet=False):
        self.passed += 1
        if not quiet:
            print(f"  ok    {name}" + (f" ({seconds:.1f} s)" if seconds is not None else ""), flush=True)

    def fail(self, name, text=""):
        self.failed.append(f"{self._suite}: {name}")
        print(f"  FAIL  {name}\n" + "".join(f"        {line}\n" for line in text.strip().splitlines()[-40:]), end="", flush=True)

    def skip(self, name, reason):
        self.skipped.append(f"{self._suite}: {name}: {reason}")
        print(f"  SKIP  {name}: {reason}", flush=True)

    def close(self):
        """Repeats the failed and skipped tests, then prints the closing line; returns the exit status."""
        for title, rows in (("skipped", self.skipped), ("failed", self.failed)):
            if rows:
                print(f"{title}:\n" + "\n".join(f"  {row}" for row in rows))
        if not self.passed and not self.failed:
            self.failed.append("no test ran")
        print(f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped", flush=True)
        return 1 if self.failed else 0


class UnittestResult(unittest.TestResult):
    """Forwards unittest's results to a Report."""

    def __init__(self, report):
        super().__init__()
        self._report, self._begun = report, 0.0

    def startTest(self, test):
        super().startTest(test)
        self._begun = time.monotonic()

    @staticmethod
    def _name(test):
        return test.id().removeprefix("tests.") if hasattr(test, "id") else str(test)

    def addSuccess(self, test):
        self._report.ok(self._name(test), time.monotonic() - self._begun)

    def _failure(self, test, error):
        self._report.fail(self._name(test), self._exc_info_to_string(error, test))

    addFailure = addError = _failure

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._report.fail(self._name(subtest), self._exc_info_to_string(err, test))

    def addSkip(self, test, reason):
        self._report.skip(self._name(test), reason)

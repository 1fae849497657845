#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_silent.py SOFTGEN_REPLAY SUPPRESSIONS CAPTURE...: the checker finds nothing in what an unmodified Mesa sends, but for its known faults."""
import json
import pathlib
import subprocess
import sys
import tempfile


def findings(replay, options, capture, folder):
    """The report of one capture; None when it does not run."""
    report = folder / "report.json"
    done = subprocess.run([replay, capture, f"--check={options}", "--check-json", report], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 99):
        print(f"{capture}: exit status {done.returncode}: {done.stderr.strip()}")
        return None
    return json.loads(report.read_text())


def main():
    replay, suppressions, *captures = sys.argv[1:]
    bad, unused = 0, None
    with tempfile.TemporaryDirectory() as folder:
        for capture in captures:
            report = findings(replay, f"commands,@{suppressions}", capture, pathlib.Path(folder))
            if report is None:
                bad += 1
                continue
            for one in report["findings"]:
                bad += 1
                print(f"{capture}: {one['rule']}: {one['text']} ({one['count']} times)\n  {one['context']}: {one['fields']}\n  {one['detail']}")
            never = set(report["unused_suppressions"])
            unused = never if unused is None else unused & never
    for place in sorted(unused or ()):
        bad += 1
        print(f"{place}: this suppression matches nothing in any capture")
    print(f"{len(captures)} captures, {bad} findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

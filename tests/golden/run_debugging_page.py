#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""run_debugging_page.py SOFTGEN_REPLAY PAGE.md MAKE_HANG.py: runs every command of the page ("$ ..." in a code block) in the folder of its
example capture, and checks that its output has the block's other lines, in any order."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    replay, page, make_hang = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    blocks = re.findall(r"^```\n\$ (.*)\n((?:.*\n)*?)```$", page.read_text(), re.M)
    bad = 0 if len(blocks) == 5 else 1
    print(f"{len(blocks)} commands")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, make_hang, "hang.aub"], cwd=folder, check=True)
        path = f"{replay.parent}:{os.environ['PATH']}"
        for command, lines in blocks:
            done = subprocess.run(command, shell=True, cwd=folder, env=os.environ | {"PATH": path}, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
            for line in filter(None, map(str.strip, lines.splitlines())):
                if line not in done.stdout:
                    bad += 1
                    print(f"$ {command}\n  does not say: {line}\n{done.stdout}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

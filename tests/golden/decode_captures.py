#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""decode_captures.py SOFTGEN_REPLAY CAPTURE...: checks that every command and register of every capture is known, no walk ends early, all forms of
output work, and the number of draws equals that in the captures' README (counted by two other readers)."""
import json
import pathlib
import re
import subprocess
import sys


def expected(folder):
    """{name: (submissions, 3DPRIMITIVE, GPGPU_WALKER)} from the README's table."""
    rows = re.findall(r"^\| (\w+) \| \d+ \| \d+ \| (\d+) \| (\d+) \| (\d+) \|", (folder / "README.md").read_text(), re.M)
    return {name: tuple(map(int, counts)) for name, *counts in rows}


def unnamed_registers(node):
    """Offsets of registers in commands of a JSON tree that the platform's set does not have."""
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else []
    found = {register["offset"] for register in node.get("registers", []) if register["name"].startswith("0x")} if isinstance(node, dict) else set()
    return found.union(*(unnamed_registers(child) for child in children))


def main():
    replay, captures = sys.argv[1], [pathlib.Path(path) for path in sys.argv[2:]]
    table = expected(captures[0].parent)
    bad = []
    for capture in captures:
        name = capture.name.split(".")[0]
        output = {}
        for form in ("--print", "--list", "--json"):
            done = subprocess.run([replay, form, capture], capture_output=True, text=True, check=False)
            output[form] = done.stdout
            if done.returncode or done.stderr:
                bad.append(f"{name} {form}: exit {done.returncode} {done.stderr}")
        draws = [line for line in output["--list"].splitlines() if " 3DPRIMITIVE " in line]
        if draws and not any(re.search(r" surfaces 0x[0-9a-f]+ \d+x\d+ ", line) for line in draws):
            bad.append(f"{name} --list: no draw names a render target")
        data = json.loads(output["--json"])
        commands = [node["command"] for submission in data["submissions"] for node in submission["commands"]]
        found = (len(data["submissions"]), commands.count("3DPRIMITIVE"), commands.count("GPGPU_WALKER"))
        if found != table.get(name):
            bad.append(f"{name}: {found} submissions, draws and walkers; the README says {table.get(name)}")
        if unnamed := unnamed_registers([submission["commands"] for submission in data["submissions"]]):
            bad.append(f"{name}: registers that are not declared: {sorted(unnamed)}")
        for what in ("unknown_commands", "unknown_instructions", "problems"):
            if data[what]:
                bad.append(f"{name}: {data[what]} {what.replace('_', ' ')}")
    print("\n".join(bad) or f"{len(captures)} captures decode")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

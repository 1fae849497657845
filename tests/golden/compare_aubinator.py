#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do softgen-replay and Mesa's aubinator read the same thing in a capture?

  compare_aubinator.py SOFTGEN_REPLAY CAPTURE.aub[.xz]|MAKER.py...     (MAKER.py FILE writes a capture)

Compares, command by command and in order: address, name, every field with its value and enumeration name; and every state structure
that aubinator shows (by address). aubinator is looked for in $SOFTGEN_AUBINATOR and $PATH; without it the test is skipped, loudly (77).
Not compared: disassembly, buffer contents, register fields of MI_LOAD_REGISTER_IMM (aubinator knows few registers)."""
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

COMMAND = re.compile(r"0x([0-9a-f]+):  0x([0-9a-f]{8}):  (\S+)\s*$")
DWORD = re.compile(r"0x([0-9a-f]+):  0x([0-9a-f]{8}) : Dword (\d+)$")
FIELD = re.compile(r"    (\S.*?): (.*)$")
UNKNOWN = re.compile(r"0x([0-9a-f]+): unknown instruction")
INDEX = re.compile(r"(\[\d+\])+$")
# The length is the packet's; ours is not a field.
IGNORED = {"DWord Length"}


def number(text):
    """A field's value as aubinator prints it: number and name of the enumeration value."""
    match = re.match(r"(\S+)(?: \((.*)\))?$", text)
    value, name = match.groups()
    if value in ("true", "false"):
        return (1.0 if value == "true" else 0.0), None
    return (float(int(value, 16)) if value.startswith("0x") else float(value)), name


class Packet:
    def __init__(self, address, name):
        self.address, self.name = address, name
        self.fields = []  # (name, value, enumeration name)
        self.state = {}  # address -> fields


def parse_aubinator(text):
    packets, unknown = [], 0
    target, length = None, 0
    for line in text.splitlines():
        if match := COMMAND.match(line):
            packets.append(Packet(int(match.group(1), 16), match.group(3)))
            target, length = packets[-1].fields, 0
        elif UNKNOWN.match(line):
            unknown += 1
        elif match := DWORD.match(line):
            address, index = int(match.group(1), 16), int(match.group(3))
            packet = packets[-1]
            if target is packet.fields:
                length = max(length, address + 4 - packet.address)
                inside = packet.address <= address <= packet.address + length
            else:
                inside = False
            if not inside or (index == 0 and not packet.address <= address < packet.address + length):
                if index == 0:
                    target = packet.state.setdefault(address, [])
                    target.clear()
            elif target is not packet.fields:
                target = packet.fields
        elif (match := FIELD.match(line)) and target is not None:
            name, value = match.groups()
            name = INDEX.sub("", name).strip()
            if not value.startswith("<struct") and name not in IGNORED:
                target.append((name, *number(value)))
        elif line and not line.startswith(" "):
            # A heading (pointer 0:, BLEND_STATE, register X, sampler state 0): what follows is not the command's own.
            target = []
    return packets, unknown


def flatten(fields, out):
    for name, value in fields.items():
        name = INDEX.sub("", re.sub(r" \(\d\)$", "", name)).strip()
        for element in value if isinstance(value, list) else [value]:
            if isinstance(element, dict) and set(element) == {"value", "name"}:
                out.append((name, float(element["value"]), element["name"]))
            elif isinstance(element, dict) and set(element) == {"value", "bits"}:
                out.append((name, float("nan"), None))
            elif isinstance(element, dict):
                flatten(element, out)
            elif isinstance(element, str):
                out.append((name, float(int(element, 16)), None))
            else:
                out.append((name, float(element), None))
    return out


def collect_state(nodes, state):
    for node in nodes:
        if "struct" in node:
            address, fields = int(node["address"], 16), dict(node["fields"])
            if node["struct"] == "BLEND_STATE":  # aubinator shows header and entries apart
                for index, entry in enumerate(fields.pop("Entry")):
                    state[address + 4 + 8 * index] = flatten(entry, [])
            state[address] = flatten(fields, [])
        collect_state(node.get("points_to", []), state)


def parse_ours(text):
    data = json.loads(text)
    packets = []
    for submission in data["submissions"]:
        for node in submission["commands"]:
            if "problem" in node:
                raise SystemExit(f"softgen-replay: {node}")
            packet = Packet(int(node["address"], 16), node["command"])
            flatten(node.get("fields", {}), packet.fields)
            collect_state(node.get("points_to", []), packet.state)
            packets.append(packet)
    return packets, data["unknown_commands"]


def same_value(a, b):
    if a == b or a != a and b != b:
        return True
    # aubinator prints six digits after the point, and negative integers as unsigned ones of the field's width.
    return abs(a - b) < 1e-6 * max(1.0, abs(a)) or (b < 0 <= a and a + (-b) in {2.0 ** n for n in range(1, 65)})


def same_fields(theirs, ours):
    """Sentences about what differs; order within a packet is free."""
    problems = []
    left = list(ours)
    for name, value, enum in theirs:
        for candidate in left:
            if candidate[0] == name and same_value(value, candidate[1]):
                if enum and not (candidate[2] or "").replace("ISL_FORMAT_", "").endswith(enum.replace("ISL_FORMAT_", "")):
                    problems.append(f"{name} = {value:g}: aubinator says {enum}, we say {candidate[2]}")
                left.remove(candidate)
                break
        else:
            problems.append(f"{name}: aubinator has {value:g}{f' ({enum})' if enum else ''}, we have {[c[1] for c in left if c[0] == name]}")
    problems += [f"{name} = {value:g}: aubinator has no such field" for name, value, _ in left]
    return problems


def compare(replay, aubinator, capture, scratch):
    plain = os.path.join(scratch, "capture.aub")
    if capture.endswith(".py"):
        subprocess.run([sys.executable, capture, plain], check=True)
        capture = plain
    elif not capture.endswith(".xz"):
        plain = capture
    else:
        with lzma.open(capture) as packed, open(plain, "wb") as out:
            shutil.copyfileobj(packed, out)
    theirs, their_unknown = parse_aubinator(run([aubinator, "--color=never", "--no-pager", plain]))
    ours, our_unknown = parse_ours(run([replay, "--json", capture]))
    problems = Counter()
    if our_unknown or their_unknown:
        problems[f"unknown commands: {our_unknown} (aubinator: {their_unknown})"] += 1
    if len(theirs) != len(ours):
        problems[f"{len(ours)} commands, aubinator has {len(theirs)}"] += 1
    fields = states = 0
    for a, b in zip(theirs, ours):
        if (a.address, a.name) != (b.address, b.name):
            problems[f"at 0x{a.address:x} aubinator has {a.name}, we have {b.name} at 0x{b.address:x}"] += 1
            break
        fields += len(a.fields)
        for problem in same_fields(a.fields, b.fields):
            problems[f"{a.name}: {problem}"] += 1
        for address, shown in a.state.items():
            if address < 0x200000:  # a register, not memory
                continue
            states += 1
            if address not in b.state:
                # aubinator does not know how many viewports there are and shows four; we show what 3DSTATE_CLIP asks for.
                if "VIEWPORT_STATE_POINTERS" not in a.name:
                    problems[f"{a.name}: aubinator shows state at 0x{address:x} that we do not"] += 1
                continue
            for problem in same_fields(shown, b.state[address]):
                problems[f"{a.name} state: {problem}"] += 1
    return len(ours), fields, states, problems


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode not in (0, 2):
        raise SystemExit(f"{command[0]} failed ({done.returncode}): {done.stderr}")
    return done.stdout


def main():
    replay, captures = sys.argv[1], sys.argv[2:]
    aubinator = os.environ.get("SOFTGEN_AUBINATOR") or shutil.which("aubinator")
    if not aubinator or not captures:
        print("SKIPPED: aubinator (Mesa, src/intel/tools) is not installed; set SOFTGEN_AUBINATOR to its path")
        return 77
    bad = 0
    totals = [0, 0, 0]
    with tempfile.TemporaryDirectory() as scratch:
        for capture in captures:
            *counts, problems = compare(replay, aubinator, capture, scratch)
            totals = [a + b for a, b in zip(totals, counts)]
            print(f"{os.path.basename(capture)}: {counts[0]} commands, {counts[1]} fields, {counts[2]} state structures: "
                  f"{'agree' if not problems else f'{sum(problems.values())} differences'}")
            for problem, count in problems.most_common(40):
                print(f"    {count} x {problem}")
            bad += bool(problems)
    print(f"{len(captures)} captures, {totals[0]} commands, {totals[1]} fields, {totals[2]} state structures; {bad} captures differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

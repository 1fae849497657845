#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_captures.py POSH_REWRITE SOFTGEN_REPLAY CAPTURES_FOLDER [NAME...]: rewrites captures so that their draws use position-only shading, in one pass
and in tile passes, and runs them: each must end in the same bytes as before, with and without threads, and preempted.

It fails, too, when a capture with draws has none with position-only shading after that, when no object of all captures is culled or none is skipped, and when
--print or --stats do not show what was added."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "golden"))
from check_pictures import HEIGHT, INTEGERS, WIDTH, place, reference  # noqa: E402

FORMS = {"one pass": [], "tile passes": ["--tiles", "2x2"]}
WAYS = {"threads 0": ["--threads", "0"], "threads 2": ["--threads", "2"], "preempted": ["--preempt"],
        "preempted, threads 2": ["--preempt", "--threads", "2"]}
COUNTERS = ("objects_recorded", "objects_culled", "objects_skipped")


class Failure(Exception):
    pass


def run(command):
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise Failure(f"{command[0]} ends with {done.returncode}: {done.stderr.decode(errors='replace').strip().splitlines()[-1:]}")
    return done


def check_text(replay, original, capture, recorded):
    """--print follows the batches of both streamers, and names what it finds; --list numbers the render engine's draws alone."""
    text = run([replay, capture, "--print", "--no-data"]).stdout.decode()
    draws = text.split("  3DPRIMITIVE  ")[1:]
    marked = sum("POSH Enable: true" in draw.split("\n0x")[0] for draw in draws)
    if marked != 2 * recorded:
        raise Failure(f"--print shows {marked} marked draws instead of {2 * recorded}")
    listed = [run([replay, file, "--list"]).stdout.decode().splitlines() for file in (original, capture)]
    numbered = [sum(line.split()[0].isdigit() and "3DPRIMITIVE" in line for line in lines) for lines in listed]
    if numbered[0] != numbered[1] or sum(line.startswith(" pocs ") for line in listed[1]) != recorded:
        raise Failure(f"--list counts {numbered[1]} draws instead of {numbered[0]}")
    for name in ("POSH Start: true", "3DSTATE_PTBR_PAGE_POOL_BASE_ADDRESS", "3DSTATE_PTBR_FREE_LIST_BASE_ADDRESS",
                 "3DSTATE_PTBR_RENDER_LIST_BASE_ADDRESS", "3DSTATE_PTBR_TILE_PASS_INFO", "3DSTATE_PTBR_TILE_SELECT", "Tile Pass: 0"):
        if name not in text:
            raise Failure(f"--print does not show {name}")


def check_form(args, name, form, picture, folder):
    """Counters of a run."""
    capture = folder / f"{name}.aub"
    report = run([args.rewrite, args.folder / f"{name}.aub.xz", capture, *FORMS[form]]).stdout.decode()
    recorded = int(report.split(", ")[1].split()[0])
    if form == "one pass" and (recorded == 0) != (name in INTEGERS):
        raise Failure(f"{recorded} draws use position-only shading")
    dump = ["--dump", f"{picture['address']},{picture['bytes']}"]
    counters = dict.fromkeys(COUNTERS, 0)
    for way, options in WAYS.items():
        done = run([args.replay, capture, *dump, "--stats", *options])
        if done.stdout != picture["data"]:
            raise Failure(f"{form}, {way}: it ends otherwise")
        said = done.stderr.decode()
        stats, _ = json.JSONDecoder().raw_decode(said[said.index("{\n"):])  # between what is logged
        if way == "threads 0":
            counters = {counter: stats[counter] for counter in COUNTERS}
    if (counters["objects_recorded"] == 0) != (recorded == 0):
        raise Failure(f"{form}: {recorded} draws, but {counters['objects_recorded']} objects are recorded")
    if recorded and form == "one pass":
        check_text(args.replay, args.folder / f"{name}.aub.xz", capture, recorded)
    return counters


def check(args, name, readme, folder):
    address, _, _ = place(readme, name)
    picture = {"address": address, "bytes": len(reference(args.folder.parent / "ref", name)) if name in INTEGERS else WIDTH * HEIGHT}
    dump = ["--dump", f"{address},{picture['bytes']}"]
    picture["data"] = run([args.replay, args.folder / f"{name}.aub.xz", *dump]).stdout
    counters = [check_form(args, name, form, picture, folder) for form in FORMS]
    return {counter: sum(each[counter] for each in counters) for counter in COUNTERS}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rewrite")
    parser.add_argument("replay")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    readme = (args.folder / "README.md").read_text()
    names = args.names or sorted(path.name.split(".")[0] for path in args.folder.glob("*.aub.xz"))
    total = dict.fromkeys(COUNTERS, 0)
    bad = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            try:
                counters = check(args, name, readme, pathlib.Path(folder))
                print(f"equal  {name}: {counters}")
                total = {counter: total[counter] + counters[counter] for counter in COUNTERS}
            except Failure as failure:
                print(f"WRONG  {name}: {failure}")
                bad += 1
    print(f"{len(names) - bad} of {len(names)} rewritten captures end as before: {total}")
    return 1 if bad or not total["objects_culled"] or not total["objects_skipped"] else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-2.0-or-later
"""The project's own build: meson and ninja in build/, with QEMU's headers."""
import dataclasses
import json
import subprocess

import qemu_headers
from common import BUILD, CACHE, ROOT, Failure, lock, say, step

PLUGIN = BUILD / "softgen.so"
LOG = CACHE / "logs" / "build.log"


@dataclasses.dataclass
class Settings:
    warnings_are_errors: bool = False


SETTINGS = Settings()  # of this process


def configured():
    """The values of meson's options in build/, by name; empty when build/ is not configured."""
    try:
        options = json.loads((BUILD / "meson-info" / "intro-buildoptions.json").read_text())
    except (OSError, ValueError):
        return {}
    return {option["name"]: option["value"] for option in options}


def werror():
    return ["-Dwerror=true"] if SETTINGS.warnings_are_errors else []


def ensure():
    """Configures build/ if needed and builds everything. Prints nothing when all is current."""
    headers = str(qemu_headers.ensure())
    with lock("build-" + str(ROOT).strip("/").replace("/", "-")):
        have = configured()
        # A folder configured with -Werror keeps it: a change would recompile everything.
        strict = have.get("werror") or not SETTINGS.warnings_are_errors
        if have.get("qemu_headers") != headers or not strict or not (BUILD / "build.ninja").exists():
            again = ["--reconfigure"] if (BUILD / "build.ninja").exists() else []
            LOG.unlink(missing_ok=True)
            step("configuring the build", ["meson", "setup", *again, *werror(), f"-Dqemu_headers={headers}", BUILD, ROOT], LOG)
        if pending():
            ninja()


def pending():
    """Whether ninja has anything to do."""
    done = subprocess.run(["ninja", "-C", BUILD, "-n"], capture_output=True, text=True, check=False)
    return "no work to do" not in done.stdout


def variant(folder, what, options, targets, log, env=None):
    """Builds targets() in `folder`, a build folder of its own. Calls targets() once `folder` is configured. `what`: its name in messages."""
    log.unlink(missing_ok=True)
    if not (folder / "build.ninja").exists():
        step(f"configuring the build with {what}", ["meson", "setup", *werror(), *options, folder, ROOT], log, env=env)
    step(f"building with {what}", ["ninja", "-C", folder, *targets()], log)


def ninja():
    """Builds, and prints ninja's progress once per tenth of the work."""
    say("building ...")
    process = subprocess.Popen(["ninja", "-C", BUILD], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               stdin=subprocess.DEVNULL)
    lines, shown = [], -1
    for line in process.stdout:
        lines.append(line)
        mark = line[1:line.find("]")].split("/") if line.startswith("[") else []
        if len(mark) == 2 and mark[0].isdigit() and mark[1].isdigit():
            tenth = int(mark[0]) * 10 // int(mark[1])
            if tenth > shown:
                shown = tenth
                say(f"building: {mark[0]} of {mark[1]}")
    LOG.parent.mkdir(parents=True, exist_ok=True)
    LOG.write_text("".join(lines))
    if process.wait() != 0:
        start = next((i for i, line in enumerate(lines) if line.startswith("FAILED")), max(0, len(lines) - 25))
        say("".join(["the build failed:\n", *lines[start:start + 25]]))
        raise Failure(f"the build failed; the whole log is {LOG}")

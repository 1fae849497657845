# SPDX-License-Identifier: GPL-2.0-or-later
"""What every script needs: paths, failures of one sentence, long steps with progress, locks."""
import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser().absolute() / "softgen"
HEARTBEAT_SECONDS = 15


class Failure(Exception):
    """Ends a script with one sentence on stderr and `status`."""

    def __init__(self, sentence, status=1):
        super().__init__(sentence)
        self.status = status


def say(text):
    print(f"softgen: {text}", file=sys.stderr, flush=True)


def main(name, function):
    """Runs function(argv) as the script `name`; its value or a Failure's status is the exit status."""
    try:
        status = function(sys.argv[1:])
    except Failure as failure:
        print(f"scripts/{name}: {failure}", file=sys.stderr)
        status = failure.status
    except KeyboardInterrupt:
        status = 130
    except BrokenPipeError:  # the reader of our stdout closed it, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141
    sys.exit(status or 0)


def output(command, **kwargs):
    """The stdout of `command`, stripped; '' when it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False, **kwargs)
    return done.stdout.strip() if done.returncode == 0 else ""


def as_root(command):
    if os.geteuid() == 0:
        return command
    if not shutil.which("sudo"):
        raise Failure(f"'{' '.join(command[:2])}' needs root, and sudo is not installed")
    return ["sudo", *command]


def step(title, command, log, **kwargs):
    """Runs `command` with its output in the file `log`, and prints progress now and then; raises Failure with the end of the log."""
    log.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    say(f"{title} ...")
    with open(log, "ab") as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=kwargs.pop("stdout", out), stderr=out, **kwargs)
        try:
            while True:
                try:
                    status = process.wait(HEARTBEAT_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    say(f"{title}: {time.monotonic() - start:.0f} s so far")
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if status != 0:
        sys.stderr.write("".join(f"  | {line}\n" for line in log.read_text(errors="replace").splitlines()[-25:]))
        raise Failure(f"{title} failed (exit status {status}); the whole log is {log}")
    say(f"{title}: done in {time.monotonic() - start:.0f} s")


def content_key(*parts):
    """A short hash of strings, bytes, and the contents of files given as paths."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, pathlib.Path) else part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:16]


@contextlib.contextmanager
def lock(name):
    """Keeps two scripts from building the same thing in the cache at once."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f".{name}.lock", "w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another script that works on {name}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def print_table(lines, left):
    """Prints rows of cells as columns. Columns whose indices are in `left` are left-aligned, the others right-aligned."""
    lines = [[str(cell) for cell in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        print("  ".join(cell.ljust(width) if i in left else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))).rstrip())


def command_words(words):
    """The command among the arguments: without the "--" before it."""
    return words[1:] if words[:1] == ["--"] else words


def output_file(text, option):
    """The path that `option` names, for a file to be written. Requires that its directory exists."""
    path = pathlib.Path(text).absolute()
    if not path.parent.is_dir():
        raise Failure(f"{option}: there is no directory for '{text}'")
    return path


def existing_directory(text, what):
    path = pathlib.Path(text)
    if not path.is_dir():
        raise Failure(f"{what}: there is no directory '{text}'")
    return path.resolve()

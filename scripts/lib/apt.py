# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian packages, from wherever this machine's apt gets them.

No host is named here: a suite that the machine does not have (backports, source packages) is added beside its own
configuration with the URI and the options of its entry for the base suite. Security suites are another archive, so they
never serve as that model."""
import os
import pathlib
import platform
import re
import subprocess
import tempfile

from common import CACHE, Failure, as_root, output, say, step

SOURCES = pathlib.Path("/etc/apt/sources.list.d")
LOG = CACHE / "logs" / "apt.log"
GET = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=600"]


def release():
    """(version number as int or None, codename) of this Debian."""
    if platform.machine() != "x86_64":
        raise Failure(f"this machine is {platform.machine()}; the scripts know amd64 only")
    facts = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines() if "=" in line)
    facts = {key: value.strip('"') for key, value in facts.items()}
    if facts.get("ID") != "debian":
        raise Failure(f"this machine runs {facts.get('PRETTY_NAME', 'an unknown system')}; Debian 12 or 13 is needed")
    version = int(facts["VERSION_ID"]) if facts.get("VERSION_ID", "").isdigit() else None
    if version is not None and version < 12:
        raise Failure(f"this is Debian {version}; Debian 12 or 13 is needed")
    return version, facts.get("VERSION_CODENAME", "sid")


def update():
    step("apt-get update", as_root([*GET, "update"]), LOG)


def repositories(kind):
    """Rows (uri, codename, file, trusted) of Debian's own archives known to apt; kind is Packages or Sources."""
    lines = output(["apt-get", "indextargets", "--format", "$(REPO_URI)|$(CODENAME)|$(LABEL)|$(SOURCESENTRY)|$(ORIGIN)",
                    f"Created-By: {kind}"]).splitlines()
    rows = {tuple(line.split("|")) for line in lines}
    return [(uri, codename, entry.rsplit(":", 1)[0]) for uri, codename, label, entry, origin in sorted(rows)
            if origin.startswith("Debian") and "Security" not in label and not uri.startswith("cdrom:")]


def base_repository():
    """The row of the base suite; updates apt's lists when there are none yet."""
    _, codename = release()
    for attempt in range(2):
        for row in repositories("Packages"):
            if row[1] == codename:
                return row
        if attempt == 0:
            update()
    raise Failure(f"apt on this machine has no entry for Debian's suite {codename}")


def entry_options(uri, file):
    """The options ("Signed-By: ...", ...) that `file` gives for `uri`, as lines of a deb822 stanza."""
    text = pathlib.Path(file).read_text()
    if file.endswith(".sources"):
        for stanza in re.split(r"\n\s*\n", re.sub(r"(?m)^#.*\n?", "", text)):
            if uri.rstrip("/") in stanza:
                return [line for line in stanza.splitlines() if line.strip() and
                        not re.match(r"(?i)(types|uris|suites|components|enabled|x-[a-z-]*):", line)]
        return []
    for line in text.splitlines():
        match = re.match(r"\s*deb(?:-src)?\s+\[([^]]*)\]\s+(\S+)", line)
        if match and match.group(2).rstrip("/") == uri.rstrip("/"):
            pairs = [option.split("=", 1) for option in match.group(1).split()]
            return [f"{key.title()}: {value.replace(',', ' ')}" for key, value in pairs]
    return []


def ensure_suite(suite, binary, source):
    """Makes apt know `suite` (a codename), with its binary and/or source packages."""
    base_repository()
    have = {kind for kind in ("Packages", "Sources") for row in repositories(kind) if row[1] == suite}
    missing = [name for name, kind, wanted in (("deb", "Packages", binary), ("deb-src", "Sources", source))
               if wanted and kind not in have]
    if not missing:
        return
    same = [row for row in repositories("Packages") if row[1] == suite]
    uri, _, file = same[0] if same else base_repository()
    path = SOURCES / f"softgen-{suite}.sources"
    old = re.search(r"(?m)^Types: (.*)$", path.read_text()) if path.exists() else None
    types = sorted(set(missing) | set(old.group(1).split() if old else []))
    stanza = [f"Types: {' '.join(types)}", f"URIs: {uri}", f"Suites: {suite}", "Components: main", *entry_options(uri, file)]
    say(f"adding {' and '.join(missing)} of {suite} to apt ({path})")
    with tempfile.NamedTemporaryFile("w", suffix=".sources") as draft:
        draft.write("# Written by softgen's scripts/setup; safe to delete.\n" + "\n".join(stanza) + "\n")
        draft.flush()
        subprocess.run(as_root(["install", "-m", "644", draft.name, str(path)]), check=True)
    update()


def installed(packages):
    """{name: version} of those of `packages` that are installed."""
    lines = subprocess.run(["dpkg-query", "-W", "-f", "${Package}|${db:Status-Status}|${Version}\n", *packages], text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.splitlines()
    rows = [line.split("|") for line in lines]
    return {name: version for name, status, version in rows if status == "installed"}


def older(version, than):
    return subprocess.run(["dpkg", "--compare-versions", version, "lt", than], check=False).returncode == 0


def install(title, packages, suite=None):
    """Installs `packages` (from `suite` if given), without recommended ones; refreshes apt's lists if a try fails."""
    command = as_root([*GET, "install", "-y", "--no-install-recommends", *(["-t", suite] if suite else []), *packages])
    title = f"installing {title} ({len(packages)} packages)"
    if not any(pathlib.Path("/var/lib/apt/lists").glob("*_InRelease")):
        update()
    try:
        step(title, command, LOG)
    except Failure:
        update()
        step(title, command, LOG)


def ensure(title, packages):
    """Installs those of `packages` that are missing."""
    have = installed(packages)
    if missing := [package for package in packages if package not in have]:
        base_repository()
        install(title, missing)


def acquire_options():
    """How this machine fetches (proxies, date checks, ...), for a tool that runs apt with a configuration of its own."""
    lines = output(["apt-config", "dump", "Acquire"]).splitlines()
    return [line.rstrip(";") for line in lines
            if re.match(r'Acquire::((https?|ftp)::|Check-|Retries|ForceIPv|AllowInsecure)[^"]* "[^"]+";$', line)
            and "::Proxy-Auto" not in line] if os.path.exists("/usr/bin/apt-config") else []

# SPDX-License-Identifier: GPL-2.0-or-later
"""In which source file a module's function is: from debug symbols, from a source tree, or, without both, a group by the names' first words."""
import re

from common import say

# A definition in the kernel's style: it begins at a line's begin, and its body's brace follows the closing parenthesis.
_DEFINITION = re.compile(r"^[A-Za-z_][\w \t*\n]*?[ \t*\n](\w+)\((?:[^;{}]*)\)\s*\{", re.MULTILINE)
_PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_CLONE = re.compile(r"\.(?:isra|constprop|part|lto_priv)\.\d+|\.\d+$")  # GCC's copies of a function
SHARED = {"drm"}  # holds the drivers' folders, too
# What the kernel's macros make of TRACE_EVENT, all in one object: include/trace/trace_events.h, include/linux/tracepoint.h.
_TRACE = re.compile(r"(?:__bpf_trace|__traceiter|__probestub|trace_raw_output|trace_event_raw_event|trace_event_get_offsets|perf_trace|event_define_fields)_")
TRACE_EVENTS = "(trace events)"
# i915's files that run when something goes wrong (issue 21), by the names of all releases from Linux 6.1 on.
ERROR_FILES = {"reset": ("intel_reset.c",), "error capture": ("i915_gpu_error.c",), "uncore": ("intel_uncore.c",), "pcode": ("intel_pcode.c",),
               "gmbus": ("intel_gmbus.c",), "hotplug": ("intel_hotplug.c", "intel_hotplug_irq.c")}


def original(name):
    """The function's name in the source."""
    return _CLONE.sub("", name)


def definitions(tree, module_path):
    """{name: {file}} of what the .c files of a module define. `module_path`: of the module below the kernel's folder, as in
    drivers/gpu/drm/i915/i915.ko. A folder of the module's name is all its own; of others, which modules share, only the files themselves count."""
    folder = tree / module_path.parent
    if not folder.is_dir():
        say(f"{tree} has no folder {module_path.parent}: the files of {module_path.name} are not known")
        return {}
    whole = module_path.name.split(".")[0] == folder.name and folder.name not in SHARED
    found = {}
    for path in sorted(folder.glob("**/*.c" if whole else "*.c")):
        text = _PREPROCESSOR.sub("", _COMMENT.sub("", path.read_text(errors="replace")))
        for match in _DEFINITION.finditer(text):
            found.setdefault(match.group(1), set()).add(str(path.relative_to(folder)))
    return found


def by_source(functions, names):
    """{(module, name, ordinal): file} of one module's functions, in address order. A name that several files define, or none (a macro made
    it), belongs to the file of its neighbours before it: a linked module's text keeps its files together."""
    files, current = {}, None
    for function in functions:
        if _TRACE.match(function.name):
            continue
        candidates = names.get(original(function.name), set())
        if len(candidates) == 1:
            current, = candidates
        elif candidates and current not in candidates:
            current = min(candidates)
        if current:
            files[function.module, function.name, function.ordinal] = current
    return files


def by_prefix(name):
    """The group of a function without a known file: its name's first two words."""
    return TRACE_EVENTS if _TRACE.match(name) else re.match(r"_*([^_.]*(?:_[^_.]+)?)", name).group(1) + "*"

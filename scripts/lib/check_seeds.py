# SPDX-License-Identifier: GPL-2.0-or-later
"""Faulty drivers for scripts/check-eval: the checker's events of a capture (softgen-replay --check-stream), changed to what a driver without a certain hunk
of code would have sent. Building Mesa and the kernel without the hunk takes too long for a test."""
import collections

Command = collections.namedtuple("Command", "engine level address name dwords")
Seed = collections.namedtuple("Seed", "number subject rule captures mutate")
WORK = ("3DPRIMITIVE", "GPGPU_WALKER", "3DSTATE_WM_HZ_OP")

# Bits of PIPE_CONTROL's second dword (SKL PRM vol 2a).
STALL, WRITE, FLUSH, INVALIDATE = 1 << 20, 1 << 14, 1 << 12 | 1 << 5 | 1, 1 << 11 | 1 << 10 | 1 << 3 | 1 << 2


def read_stream(text):
    """Commands, and lines of other kinds as they are."""
    for line in text.splitlines():
        kind, *words = line.split()
        yield Command(words[0], words[1], words[2], words[3], [int(word, 16) for word in words[4:]]) if kind == "packet" else line


def write_stream(events):
    return "".join(event + "\n" if isinstance(event, str) else
                   f"packet {event.engine} {event.level} {event.address} {event.name} {' '.join(f'{dword:08x}' for dword in event.dwords)}\n" for event in events)


def name_of(event):
    return "" if isinstance(event, str) else event.name


def clears(event):
    """A 3DSTATE_WM_HZ_OP that does something."""
    return name_of(event) == "3DSTATE_WM_HZ_OP" and any(event.dwords[1:])


def draws(event):
    return name_of(event) == "3DPRIMITIVE"


def is_work(event):
    return name_of(event) in WORK and (name_of(event) != "3DSTATE_WM_HZ_OP" or clears(event))


def without_flushes(events, before, behind=is_work):
    """For each event that `before` accepts: the stream without the PIPE_CONTROLs between it and the last event that `behind` accepts."""
    last = None
    for at, event in enumerate(events):
        flushes = [i for i in range((last or 0) + 1, at) if name_of(events[i]) == "PIPE_CONTROL"]
        if before(event) and last is not None and flushes:
            yield [one for i, one in enumerate(events) if i not in flushes], events
        if behind(event):
            last = at


def without_null(events):
    for at, (first, second) in enumerate(zip(events, events[1:])):
        if name_of(first) == name_of(second) == "PIPE_CONTROL" and not any(first.dwords[1:]) and second.dwords[1] & 1 << 4:
            yield events[:at] + events[at + 1:], events


def color_use(event):
    """What a 3DSTATE_PS makes of the draws behind it: rendering, a fast clear or a resolve."""
    return "clear" if event.dwords[6] & 1 << 8 else "resolve" if event.dwords[6] & 3 << 6 else "render"


def without_end_of_pipe(events):
    """As without_flushes(), for draws with another use of the colour target than the draw before."""
    use, drawn, changes = "render", None, set()
    for event in events:
        if name_of(event) == "3DSTATE_PS":
            use = color_use(event)
        elif draws(event):
            if drawn not in (None, use):
                changes.add(id(event))
            drawn = use
    return without_flushes(events, lambda event: id(event) in changes, draws)


def second_dispatch(events, wrong, right):
    """Behind the first walker (and its MEDIA_STATE_FLUSH): what `wrong` and `right` make of the commands before it, by name."""
    at = next(i for i, event in enumerate(events) if name_of(event) == "GPGPU_WALKER")
    have = {event.name: event for event in events[:at] if not isinstance(event, str)}
    have["MEDIA_STATE_FLUSH"] = events[at + 1]
    assert name_of(events[at + 1]) == "MEDIA_STATE_FLUSH"
    flush = have["PIPE_CONTROL"]

    def control(*bits):
        return [flush._replace(dwords=[flush.dwords[0], one, *[0] * (len(flush.dwords) - 2)]) for one in bits]

    yield events[:at + 1] + wrong(have, control) + events[at + 2:], events[:at + 1] + right(have, control) + events[at + 2:]


def to_3d(have):
    select = have["PIPELINE_SELECT"]
    return [select._replace(dwords=[select.dwords[0] & ~3])]


def dispatches(wrong, right):
    return lambda events: second_dispatch(events, wrong, right)


COMPUTE = ["gl_compute", "gl_csonly", "vk_comp"]
# Numbers are those of the list of real bugs that the checker was planned with.
SEEDS = [
    Seed("1", "anv: Move WA MEDIA_VFE_STATE after stalling PIPE_CONTROL", "B19", COMPUTE, dispatches(
        lambda have, control: [have["MEDIA_STATE_FLUSH"], have["MEDIA_VFE_STATE"], *control(STALL)],
        lambda have, control: [have["MEDIA_STATE_FLUSH"], *control(STALL), have["MEDIA_VFE_STATE"]])),
    Seed("6", "iris: Flush before hiz_exec", "B12", ["gl_depth", "gl_stencil", "gl_clear"], lambda events: without_flushes(events, clears)),
    Seed("6", "anv/blorp: Do more flushing around HiZ clears", "B13", ["gl_depth", "gl_stencil", "gl_clear"],
         lambda events: without_flushes(events, draws, clears)),
    Seed("7", "anv: Do end-of-pipe sync around MCS/CCS ops instead of CS stall", "B14", ["gl_clear", "gl_tri", "gl_blend"], without_end_of_pipe),
    Seed("15", "anv: implement gen9 post sync pipe control workaround", "B4", COMPUTE, dispatches(
        lambda have, control: [have["MEDIA_STATE_FLUSH"], *control(WRITE)],
        lambda have, control: [have["MEDIA_STATE_FLUSH"], *control(STALL, WRITE)])),
    Seed("17", "anv: Flush caches prior to PIPELINE_SELECT on all gens", "B17", COMPUTE, dispatches(
        lambda have, control: [have["MEDIA_STATE_FLUSH"], *to_3d(have)],
        lambda have, control: [have["MEDIA_STATE_FLUSH"], *control(FLUSH | STALL, INVALIDATE), *to_3d(have)])),
    Seed("18", "iris/compute: Add MEDIA_STATE_FLUSH following WALKER", "B20", COMPUTE, dispatches(
        lambda have, control: [have["MEDIA_CURBE_LOAD"], have["MEDIA_INTERFACE_DESCRIPTOR_LOAD"]],
        lambda have, control: [have["MEDIA_STATE_FLUSH"], have["MEDIA_CURBE_LOAD"], have["MEDIA_INTERFACE_DESCRIPTOR_LOAD"]])),
    Seed("-", "no null PIPE_CONTROL before a vertex cache invalidation", "B1", ["gl_tri", "gl_instanced", "gl_compute"], without_null),
    Seed("-", "no flush before STATE_BASE_ADDRESS", "B15", COMPUTE, dispatches(
        lambda have, control: [have["MEDIA_STATE_FLUSH"], have["STATE_BASE_ADDRESS"]],
        lambda have, control: [have["MEDIA_STATE_FLUSH"], *control(FLUSH | STALL), have["STATE_BASE_ADDRESS"]])),
]
# Of the list, of these classes, what streams of captures cannot show, and why.
ELSEWHERE = {
    "22": "F3, by its unit test: no kernel without the hunk was built",
    "23": "F2, by its unit test: no kernel without the hunk was built",
    "24": "A7E, by its unit test: no kernel without the hunk was built",
    "25": "F10, by its unit test and in a boot: no kernel without the hunk was built",
}

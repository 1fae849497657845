#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of systemd-logind that a compositor needs (org.freedesktop.login1(5)): one active session of root on seat0 and the first terminal.

KWin and Mutter get the display and input devices from logind only, and Debian's own wants systemd as process 1, which the guest does not have.
Takes logind's name on the system bus, prints "ready", and serves until it is killed. Devices are never paused: there is one session."""
import fcntl
import os

from gi.repository import Gio, GLib

ROOT = "/org/freedesktop/login1"
SEAT, SESSION, USER = ("seat0", f"{ROOT}/seat/seat0"), ("1", f"{ROOT}/session/_31"), (0, f"{ROOT}/user/_0")
TERMINAL = 1
KDSETMODE, KD_GRAPHICS = 0x4B3A, 1  # linux/kd.h
CANNOT = ("CanPowerOff", "CanReboot", "CanHalt", "CanSuspend", "CanHibernate", "CanHybridSleep", "CanSuspendThenHibernate", "CanRebootToFirmwareSetup")

# {interface: (methods {name: (types of arguments, types of results)}, properties {name: (type, value)}, signals {name: types})}
INTERFACES = {
    "Manager": ({"GetSession": ("s", "o"), "GetSessionByPID": ("u", "o"), "GetSeat": ("s", "o"), "GetUser": ("u", "o"), "ListSessions": ("", ["a(susso)"]),
                 "ListSeats": ("", ["a(so)"]), "Inhibit": ("ssss", "h"), **{name: ("", "s") for name in CANNOT}},
                {"IdleHint": ("b", False), "BlockInhibited": ("s", ""), "PreparingForSleep": ("b", False), "LidClosed": ("b", False), "Docked": ("b", False)},
                {"PrepareForSleep": "b", "SessionNew": "so", "SessionRemoved": "so"}),
    "Session": ({"TakeControl": ("b", ""), "ReleaseControl": ("", ""), "TakeDevice": ("uu", "hb"), "ReleaseDevice": ("uu", ""), "PauseDeviceComplete": ("uu", ""),
                 "Activate": ("", ""), "SetIdleHint": ("b", ""), "SetLockedHint": ("b", ""), "SetType": ("s", "")},
                {"Id": ("s", SESSION[0]), "Name": ("s", "root"), "User": ("(uo)", USER), "Seat": ("(so)", SEAT), "VTNr": ("u", TERMINAL), "Active": ("b", True),
                 "State": ("s", "active"), "Type": ("s", "wayland"), "Class": ("s", "user"), "Remote": ("b", False), "IdleHint": ("b", False),
                 "LockedHint": ("b", False)},
                {"PauseDevice": "uus", "ResumeDevice": "uuh", "Lock": "", "Unlock": ""}),
    "Seat": ({"SwitchTo": ("u", "")},
             {"Id": ("s", SEAT[0]), "ActiveSession": ("(so)", SESSION), "Sessions": ("a(so)", [SESSION]), "CanGraphical": ("b", True), "CanTTY": ("b", True)}, {}),
    "User": ({}, {"UID": ("u", 0), "Name": ("s", "root"), "Display": ("(so)", SESSION), "Sessions": ("a(so)", [SESSION]), "State": ("s", "active")}, {}),
}
PATHS = {"Manager": [ROOT], "Session": [SESSION[1], f"{ROOT}/session/self", f"{ROOT}/session/auto"], "Seat": [SEAT[1]], "User": [USER[1]]}


def description(name):
    """The interface as D-Bus describes it."""
    methods, properties, signals = INTERFACES[name]
    lines = [f'<node><interface name="org.freedesktop.login1.{name}">']
    for method, (takes, returns) in methods.items():
        arguments = [*[(kind, "in") for kind in takes], *[(kind, "out") for kind in returns]]
        lines += [f'<method name="{method}">', *[f'<arg type="{kind}" direction="{way}"/>' for kind, way in arguments], "</method>"]
    lines += [f'<property name="{key}" type="{kind}" access="read"/>' for key, (kind, _) in properties.items()]
    for signal, types in signals.items():
        lines += [f'<signal name="{signal}">', *[f'<arg type="{kind}"/>' for kind in types], "</signal>"]
    return Gio.DBusNodeInfo.new_for_xml("".join([*lines, "</interface></node>"])).interfaces[0]


def device(major, minor):
    """Opens the character device of these numbers. The first to open a display's node becomes its master."""
    with open(f"/sys/dev/char/{major}:{minor}/uevent", encoding="ascii") as lines:
        name = dict(line.strip().split("=", 1) for line in lines)["DEVNAME"]
    return os.open(f"/dev/{name}", os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)


def answer(method, arguments):
    """(values of the results, descriptors that they name) of a method with results."""
    if method == "TakeDevice":
        return (0, False), [device(*arguments)]
    if method == "Inhibit":  # the lock is released when its holder closes the pipe; nothing here would break it
        ends = os.pipe()
        os.close(ends[0])
        return (0,), [ends[1]]
    if method in CANNOT:
        return ("no",), []
    paths = {"GetSession": SESSION[1], "GetSessionByPID": SESSION[1], "GetSeat": SEAT[1], "GetUser": USER[1]}
    if method in paths:
        return (paths[method],), []
    return ([(SESSION[0], 0, "root", *SEAT)] if method == "ListSessions" else [SEAT],), []


def called(_connection, _sender, _path, interface, method, arguments, invocation):
    returns = INTERFACES[interface.rpartition(".")[2]][0][method][1]
    if not returns:
        invocation.return_value(None)
        return
    try:
        values, handles = answer(method, arguments.unpack())
    except (OSError, KeyError) as failure:
        invocation.return_dbus_error("org.freedesktop.DBus.Error.Failed", str(failure))
        return
    found = GLib.Variant(f"({''.join(returns)})", values)
    invocation.return_value_with_unix_fd_list(found, Gio.UnixFDList.new_from_array(handles))  # which owns the descriptors now


def read(_connection, _sender, _path, interface, key):
    return GLib.Variant(*INTERFACES[interface.rpartition(".")[2]][1][key])


def main():
    # As logind does: the console draws no more.
    with open(f"/dev/tty{TERMINAL}", "wb") as terminal:
        fcntl.ioctl(terminal, KDSETMODE, KD_GRAPHICS)
        bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
        for name, paths in PATHS.items():
            for path in paths:
                bus.register_object(path, description(name), called, read, None)
        Gio.bus_own_name_on_connection(bus, "org.freedesktop.login1", Gio.BusNameOwnerFlags.NONE, lambda *_: print("ready", flush=True), None)
        GLib.MainLoop().run()


main()

# SPDX-License-Identifier: GPL-2.0-or-later
"""libudev lists our DRM nodes like any other device."""
import pathlib

from driver import RunTest

HERE = pathlib.Path(__file__).resolve().parent


class Udev(RunTest):
    def test_every_property_of_the_nodes(self):
        self.check(self.ok(self.compiled("udev_devices", HERE, ["-l:libudev.so.1"])))

    def test_libudev_of_a_plugin(self):
        """As Qt loads its plugins: dlopen() without RTLD_GLOBAL, so that no other object sees the symbols of their libraries."""
        plugin = self.compiled("udev_devices", HERE, ["-shared", "-fPIC", "-l:libudev.so.1"])
        self.check(self.ok("python3", "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1]).main()", plugin))

    def check(self, out):
        self.assertNotIn("failed", out)
        nodes, rest = out.removeprefix("nodes:\n").split("of a seat:\n")
        of_seat, family = rest.split("of the PCI device:\n")
        card, render = nodes.split("renderD128 at", 1)
        self.assertIn("card0 at /devices/pci0000:00/0000:00:02.0/drm/card0, driver none, context same", card)
        for line in ("tag master-of-seat", "tag seat", "tag uaccess", "current tag seat", "property DEVNAME=/dev/dri/card0", "property SUBSYSTEM=drm",
                     "attribute uevent", "event none 0 0", "seat tag 1 1, set 1", "found /dev/dri/card0"):
            self.assertIn(f"  {line}\n", card)
        self.assertIn("seat tag 0 0, set 1", render)
        self.assertIn("found /dev/dri/renderD128", render)
        self.assertIn("card0 at", of_seat)
        self.assertNotIn("renderD128 at", of_seat)
        self.assertIn("renderD128 at", family)
        self.assertIn("by number: renderD128", family)

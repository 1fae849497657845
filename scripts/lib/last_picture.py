# SPDX-License-Identifier: GPL-2.0-or-later
"""The last picture that a command itself showed. After its program releases the display, the kernel shows the console again."""
import re
import shutil

# Gen9: the surface address that pipe A's plane 1 scans out (i915_reg.h, PLANE_SURFLIVE).
PLANE_SURFLIVE_1_A = 0x701AC


class LastPicture:
    """Call look() at intervals while the command runs, save() after it has ended. `kept`: the file with the program's newest picture, if any."""

    def __init__(self, machine, folder):
        self._machine, self._draft, self.kept = machine, folder / "draft.png", folder / "kept.png"
        match = re.search(r"\bVGA controller: PCI device 8086:.*?BAR0: 64 bit (?:prefetchable )?memory at (0x[0-9a-f]+)",
                          machine.qmp.monitor("info pci"), re.DOTALL)
        self._register = int(match.group(1), 16) + PLANE_SURFLIVE_1_A if match else None
        self._console = self._surface()

    def _surface(self):
        """The address in hex, or None on another GPU."""
        if self._register is None:
            return None
        match = re.search(r": (0x[0-9a-f]+)", self._machine.qmp.monitor(f"xp /1wx {self._register:#x}"))
        return match and match.group(1)

    def _is_the_programs(self):
        """Whether the program's picture is shown: not the console's, and not address 0, when the plane is off before the console is shown again."""
        return self._surface() not in (self._console, "0x00000000")

    def look(self):
        if not self._is_the_programs():
            return
        self._machine.screenshot(self._draft)
        if self._is_the_programs():
            self._draft.replace(self.kept)

    def save(self, path):
        self.look()
        if self.kept.exists():
            shutil.copyfile(self.kept, path)
        else:
            self._machine.screenshot(path)

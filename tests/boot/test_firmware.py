# SPDX-License-Identifier: GPL-2.0-or-later
"""Before any driver: the VGA core with SeaBIOS, its vgabios and GRUB in text mode."""
import pathlib
import subprocess
import tempfile

from driver import GuestTest, vga_text, wait_for

GRUB = pathlib.Path("/usr/lib/grub/i386-pc")


def grub_disk(path):
    """A disk that boots into GRUB's prompt: its boot sector, followed by its core with all it needs inside."""
    core = path.with_suffix(".core")
    subprocess.run(["grub-mkimage", "-O", "i386-pc", "-d", GRUB, "-p", "/none", "-o", core, "biosdisk", "normal", "echo"], check=True,
                   capture_output=True)
    image = (GRUB / "boot.img").read_bytes() + core.read_bytes()
    path.write_bytes(image.ljust(1 << 20, b"\0"))


class Firmware(GuestTest):
    def setUp(self):
        """No guest system here."""

    def text_of(self, machine, wanted):
        return wait_for(f"'{wanted}' on the screen", lambda: [line for line in vga_text(machine) if wanted in line])

    def test_seabios_shows_its_banner(self):
        machine = self.own_machine()
        self.text_of(machine, "SeaBIOS (version")
        picture = self.screenshot(machine)
        self.assertEqual((picture.width, picture.height), (720, 400))
        self.assertGreater(picture.lit(), 500)

    def test_grub_shows_its_prompt(self):
        with tempfile.TemporaryDirectory() as work:
            disk = pathlib.Path(work) / "grub.img"
            grub_disk(disk)
            machine = self.own_machine(qemu_args=["-drive", f"if=none,id=d,format=raw,snapshot=on,file={disk}",
                                                  "-device", "virtio-blk-pci,drive=d"])
            self.text_of(machine, "GNU GRUB")
            self.text_of(machine, "grub>")
            self.assertGreater(self.screenshot(machine).lit(), 500)
            machine.qmp.monitor("sendkey x")
            self.text_of(machine, "grub> x")

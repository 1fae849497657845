# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests with a folder of their own, and snapshots in it."""
import pathlib
import tempfile
import unittest


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="softgen-device-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def snapshot_disk(self, machine):
        """Gives the machine a qcow2 image that holds snapshots."""
        path = str(self.folder / "disk.qcow2")
        self.job(machine, "blockdev-create", options={"driver": "file", "filename": path, "size": 0})
        machine.command("blockdev-add", **{"driver": "file", "node-name": "file", "filename": path})
        self.job(machine, "blockdev-create", options={"driver": "qcow2", "file": "file", "size": 64 << 20})
        machine.command("blockdev-add", **{"driver": "qcow2", "node-name": "disk", "file": "file"})

    def job(self, machine, command, **arguments):
        machine.command(command, **{"job-id": "job", **arguments})
        machine.poll(lambda: any(job["status"] == "concluded" for job in machine.command("query-jobs")), command)
        error = machine.command("query-jobs")[0].get("error")
        machine.command("job-dismiss", id="job")
        self.assertIsNone(error)

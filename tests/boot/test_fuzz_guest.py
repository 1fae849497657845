# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/fuzz guest: programs in the fuzzers' machine repeat exactly, and errors of calls are no findings."""
import argparse
import hashlib

from driver import CONFIG, GuestTest, only_on

import fuzz_coverage
import fuzz_guest

INVALID = """r0 = open_card(flags=0x80002)
I915_GEM_CREATE(fd=r0, arg=[{size=0, handle=new r1}])
I915_GEM_EXECBUFFER2(fd=r0, arg=[{buffers_ptr=null}])
GEM_CLOSE(fd=r0, arg=[{handle=0x7fffffff}])
I915_GEM_VM_DESTROY(fd=r0, arg=[{vm_id=0x7fffffff}])
close_card(fd=0xffffffff)
"""
# Writes where another client has its object (scripts/guest/fuzz/isolation.c), in an address space of its own.
SAME_ADDRESS = """r0 = open_card(flags=0x80002)
I915_GEM_CREATE(fd=r0, arg=[{size=0x2000, handle=new r1}])
I915_GEM_CREATE(fd=r0, arg=[{size=0x1000, handle=new r2}])
I915_GEM_PWRITE/batch(fd=r0, arg=[{handle=r2, data_ptr=<"MI_STORE_DATA_IMM":4{"Address"=0x200000, "Immediate Data"=1}, "MI_BATCH_BUFFER_END">}])
I915_GEM_EXECBUFFER2(fd=r0, arg=[{buffers_ptr=[drm_i915_gem_exec_object2{handle=r1, offset=0x200000, flags=0x1c}, drm_i915_gem_exec_object2{handle=r2, offset=0x400000, flags=0x18}], flags=0x801}])
I915_GEM_WAIT(fd=r0, arg=[{bo_handle=r1, timeout_ns=-1}])
"""


class FuzzGuest(GuestTest):
    def setUp(self):
        """Without the shared guest."""
        if CONFIG["guest"] != "bookworm" and not CONFIG.get("full"):
            self.skipTest("takes minutes per guest: with --full")

    @only_on("softgen", "it needs our device's snapshots and coverage")
    def test_programs(self):
        options = argparse.Namespace(guest=CONFIG["guest"], platform="kbl", module=None, append="", device_args="", compares=True)
        campaign = fuzz_guest.Campaign(options, "1")
        self.addCleanup(campaign.close)
        campaign.start()
        for text in fuzz_guest.read_programs(fuzz_guest.SEEDS):
            with self.subTest(text.splitlines()[-1]):
                calls = campaign.parse(text)
                first, second, third = (campaign.execute(calls) for _ in range(3))
                # The third execution has no new coverage, for it runs the same blocks equally often. The second may have some: TCG translates
                # accesses to devices again, at the end of a shorter block.
                self.assertEqual(third.fresh["classes"], 0)
                for other in (second, third):
                    self.assertEqual((other.end, other.status, other.output, other.time_ns), (first.end, first.status, first.output, first.time_ns))
                self.assertIsNone(fuzz_guest.finding_of(first))
        self.assertEqual([*self.errors(campaign, INVALID)], ["0", "22", "22", "22", "2", "9"])
        self.assertEqual([*self.errors(campaign, SAME_ADDRESS)], ["0"] * 6)
        self.assertEqual(self.digest(campaign), self.digest(campaign))
        entered = fuzz_coverage.entered(campaign.machine)
        self.assertIn(("i915", "i915_gem_create_ioctl", 0), entered)
        self.assertIn(("drm", "drm_ioctl", 0), entered)
        self.assertNotIn(("i915", "i915_gem_suspend", 0), entered)

    def errors(self, campaign, text):
        outcome = campaign.execute(campaign.parse(text))
        self.assertIsNone(fuzz_guest.finding_of(outcome))
        self.assertEqual((outcome.end, outcome.status), ("done", 0))
        return outcome.output.split()

    @staticmethod
    def digest(campaign):
        """What a few generated programs do."""
        campaign.random.seed(7)
        results = []
        for _ in range(4):
            outcome = campaign.execute(campaign.mutator.fresh())
            results.append((outcome.end, outcome.status, outcome.output))
        return hashlib.sha256(repr(results).encode()).hexdigest()

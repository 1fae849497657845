# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/lib/accel.py: when KVM is used."""
import sys
import unittest

from driver import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import accel  # noqa: E402


class Choice(unittest.TestCase):
    def test_kvm_must_run_and_not_be_much_slower(self):
        self.assertTrue(accel.is_worth_it(kvm=0.2, tcg=0.1))
        self.assertTrue(accel.is_worth_it(kvm=0.6, tcg=0.1))
        self.assertTrue(accel.is_worth_it(kvm=3, tcg=None))
        self.assertFalse(accel.is_worth_it(kvm=2.7, tcg=0.1))
        self.assertFalse(accel.is_worth_it(kvm=None, tcg=0.1))

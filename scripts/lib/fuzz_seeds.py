# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults of a driver for scripts/fuzz-eval: changes of i915's source (Linux 6.1), each of a kind that drivers have had, and that a device which keeps
its manual never sets off."""
import collections

# `target` of scripts/fuzz device that runs the code. In `file`, below drivers/gpu/drm/i915, `new` stands in the place of `old`, which is there once.
# `plan`: a line that crashes the driver.
Seed = collections.namedtuple("Seed", "name subject target file old new plan")

SEEDS = [
    # The write pointer of the context status buffer is an index of up to 11; other values come only from a device that lies.
    Seed("csb-index", "a CSB index unchecked", "submit", "gt/intel_execlists_submission.c", """\
	if (unlikely(head == tail))
		return inactive;
""", """\
	if (unlikely(head == tail))
		return inactive;
	{
		u64 entries[GEN11_CSB_ENTRIES];

		memcpy(entries, buf, (tail + 1) * sizeof(*buf));
		barrier_data(entries);
	}
""", "on cs.csb do index 0x7fffffff"),
    # The number of extension blocks is a byte of the monitor's.
    Seed("edid-length", "a length of the EDID unchecked", "hotplug", "display/intel_hdmi.c", """\
	intel_hdmi_dp_dual_mode_detect(connector, edid != NULL);
""", """\
	if (edid) {
		u8 blocks[4 * EDID_LENGTH];

		memcpy(blocks, edid, (edid->extensions + 1) * EDID_LENGTH);
		barrier_data(blocks);
	}
	intel_hdmi_dp_dual_mode_detect(connector, edid != NULL);
""", "on edid do endless"),
    # A block's size, 16 bits, leads behind the table.
    Seed("vbt-offset", "an offset of the VBT unchecked", "probe", "display/intel_bios.c", """\
		if (index + current_size > total)
			return NULL;

		if (current_id == section_id)
			return base + index;

		index += current_size;
	}

	return NULL;
}

/*
""", """\
		if (current_id == section_id)
			return base + index;

		index += current_size;
	}

	return NULL;
}

/*
""", "opregion 448=ff"),
    # The first value is checked, the second one is used.
    Seed("double-fetch", "a register read twice", "probe", "gt/intel_sseu.c", """\
		eu_disable = intel_uncore_read(uncore, GEN9_EU_DISABLE(s));
""", """\
		eu_disable = intel_uncore_read(uncore, GEN9_EU_DISABLE(s));
		if (!(eu_disable >> 24)) {
			static u32 rows[16];

			eu_disable = intel_uncore_read(uncore, GEN9_EU_DISABLE(s));
			rows[eu_disable >> 24 << 20]++;
		}
""", "on mmio.read EU_DISABLE[0] nth=2 do or 0x10000000"),
    # What is only run when the chip does not answer.
    Seed("timeout-path", "a time-out path unchecked", "suspend", "display/intel_display_power_well.c", """\
		drm_dbg_kms(&dev_priv->drm, "%s power well enable timeout\\n",
			    intel_power_well_name(power_well));
""", """\
		power_well = NULL;
		drm_dbg_kms(&dev_priv->drm, "%s power well enable timeout\\n",
			    intel_power_well_name(power_well));
""", "on power.well PWR_WELL_CTL[1] do never"),
    # The number is in memory: no instruction has it as a constant.
    Seed("compared-value", "a value of 32 bits compared with memory", "submit", "gt/intel_gt_irq.c", """\
		iir = raw_reg_read(regs, GEN8_GT_IIR(3));
""", """\
		iir = raw_reg_read(regs, GEN8_GT_IIR(3));
		{
			static volatile u32 key = 0x5f3c91a7;

			if (iir == key)
				gt = NULL;
		}
""", "on mmio.read GT_IIR[3] nth=1 do stuck 0x5f3c91a7"),
]

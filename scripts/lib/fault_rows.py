# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults for i915, each with what in the guest meets it: tests/boot/test_faults.py checks the rows, scripts/coverage --faults all runs them."""
import typing

import guest

ENGINE = "/sys/class/drm/card0/engine"
DEBUG = "/sys/kernel/debug/dri/0"
DRIVER, ADDRESS = "/sys/bus/pci/drivers/i915", "0000:00:02.0"
STORE = "timeout 60 gpu_exec store >/dev/null 2>&1 || true"
DETECT = "for c in /sys/class/drm/card0-HDMI-A-*/status; do echo detect >$c; done; sleep 1"
RESET = f"echo 1 >{DEBUG}/gt/reset; sleep 1"


class Row(typing.NamedTuple):
    name: str
    lines: tuple
    script: str
    functions: tuple = ()  # one of which must run; what GCC inlines ftrace does not know
    log: str = ""          # a text that the kernel's log must have, instead or besides


ROWS = (
    Row("a request hangs", ("on cs.request engine=rcs nth=1 do hang",), f"{STORE}; sleep 1",
        ("execlists_capture_work", "i915_capture_error_state", "gen8_engine_reset_prepare"), "GPU HANG"),
    Row("a reset fails at first", ("on cs.request engine=rcs nth=1 do hang", "on gdrst nth=1 do never"), STORE,
        ("gen6_hw_domain_reset", "intel_gt_handle_error")),
    Row("no reset ever works", ("on cs.request engine=rcs nth=1 do hang", "on gdrst do never"), STORE,
        ("__intel_gt_set_wedged", "intel_gt_set_wedged"), "Failed to reset"),
    Row("a reset works again", (), RESET, ("intel_gt_unset_wedged", "__intel_gt_unset_wedged")),
    Row("the state at the first error is read and dropped", (), "cat /sys/class/drm/card0/error >/dev/null; echo 1 >/sys/class/drm/card0/error",
        ("i915_gpu_coredump_copy_to_buffer", "i915_reset_error_state")),
    Row("an engine is not ready for its reset", ("on cs.request engine=rcs nth=1 do hang", "on gdrst.ready engine=rcs do never"), STORE,
        ("intel_gt_handle_error",), "reset request timed out"),
    # GEN9_GAMT_ECO_REG_RW_IA, WaInPlaceDecompressionHang. The resets of the engine alone (GDRST bit 1) fail, so that all of the GT is reset, and verified (wa_verify()).
    Row("a workaround is lost over a reset",
        ("on cs.request engine=rcs nth=1 do hang", "on gdrst mask=2 do never", "on mmio.read 0x4ab0 do zero"), f"{STORE}; sleep 1",
        log="workaround lost"),
    Row("a status event is not written", ("on cs.csb engine=rcs nth=2 do value 0xffffffffffffffff",), STORE, ("wa_csb_read",)),
    Row("a status event comes twice", ("on cs.csb engine=rcs nth=2 do dup",), STORE, ("intel_gt_handle_error", "execlists_reset_csb")),
    Row("a status event is lost", ("on cs.csb engine=rcs nth=2 do drop",), STORE, ("process_csb",)),
    # Status events wake i915 up instead.
    Row("user interrupts are lost", ("on irq source=*.user do drop",), STORE),
    Row("user interrupts come twice", ("on irq source=*.user do dup",), STORE, ("intel_engine_signal_breadcrumbs", "signal_irq_work")),
    Row("an interrupt without a cause", ("on irq every=20ms times=5 do spurious",), "sleep 1", ("gen8_irq_handler",)),
    Row("the master control lies", ("on mmio.read MASTER_INT_CTL times=20 do or 0x00010000",), STORE, ("gen8_de_irq_handler",), "lied"),
    # FPGA_DBG, bit 31: an access that no unit claimed (i915_reg.h).
    Row("accesses are unclaimed", ("on mmio.read 0x42300 times=20 do or 0x80000000",),
        f"echo 1 >{DEBUG}/i915_params/mmio_debug; {STORE}; echo 0 >{DEBUG}/i915_params/mmio_debug", ("__unclaimed_reg_debug",), "nclaimed"),
    Row("a forcewake's acknowledge is stuck", ("on forcewake FORCEWAKE_RENDER p=0.5 times=4 do never",), STORE,
        ("fw_domain_wait_ack_with_fallback",)),
    Row("the power unit answers with an error", ("on pcode do error 2",), f"cat {DEBUG}/gt/llc >/dev/null",
        ("snb_pcode_read", "gen7_check_mailbox_status")),
    Row("the power unit stays busy", ("on pcode nth=1 do busy",), f"cat {DEBUG}/gt/llc >/dev/null", ("snb_pcode_read",)),
    Row("a TLB invalidation is never done", ("on tlb RTCR do never",), STORE, ("mmio_invalidate_full", "intel_gt_invalidate_tlb"),
        "TLB invalidation did not complete"),
    # The engine idles, and heartbeats pass it: the request's own time limit (CONFIG_DRM_I915_REQUEST_TIMEOUT, 20 s) is all that ends it.
    Row("a context's page is lost", ("on cs.image engine=rcs nth=1 do lose",), STORE, log="Fence expiration time out"),
    Row("bits of the status page flip", ("on cs.hwsp engine=bcs times=4 do flip bits=4",), STORE),
    Row("bits of what commands write flip", ("on mem.write engine=bcs domain=commands times=4 do flip bits=2",), STORE),
    Row("an engine is slow", ("on cs.request do slow 1ms..100ms",), STORE),
    Row("the monitor does not acknowledge", ("on edid do nak",), DETECT, ("intel_hdmi_set_edid", "do_gmbus_xfer")),
    Row("an EDID has a wrong checksum", ("on edid do checksum",), DETECT, ("drm_do_get_edid", "_drm_do_get_edid", "intel_hdmi_set_edid")),
    Row("an EDID is short", ("on edid do short 60",), DETECT, ("intel_hdmi_set_edid",)),
    Row("GMBUS is never ready", ("on gmbus do never",), DETECT, ("bit_xfer",)),
    Row("hot plug storms", ("on hotplug connector=0 every=20ms times=40 do raise",), "sleep 3", ("intel_hpd_irq_handler",),
        "interrupt storm detected"),
    Row("a pipe's FIFO runs empty", ("on display.underrun pipe=A every=100ms times=3 do raise",), "sleep 1",
        ("intel_cpu_fifo_underrun_irq_handler",)),
)
# Each takes seconds of timeouts, or a suspend.
SLOW_ROWS = (
    Row("endless extensions", ("on edid do endless",), DETECT, ("intel_hdmi_set_edid",)),
    Row("blanks are lost", ("on display.blank do drop",), "echo 4 >/sys/class/graphics/fb0/blank; sleep 12; echo 0 >/sys/class/graphics/fb0/blank",
        ("drm_atomic_helper_commit_hw_done", "intel_atomic_commit_tail")),
    Row("the frame counter stands", ("on mmio.read PIPE_FRMCNT[0] do freeze",), "echo 4 >/sys/class/graphics/fb0/blank; sleep 2; "
        "echo 0 >/sys/class/graphics/fb0/blank; sleep 2", ("drm_update_vblank_count", "drm_vblank_restore")),
    Row("a power well does not follow", ("on power.well PWR_WELL_CTL[1] do never",), "echo 4 >/sys/class/graphics/fb0/blank; sleep 3; "
        "echo 0 >/sys/class/graphics/fb0/blank; sleep 3", ("hsw_wait_for_power_well_enable", "hsw_power_well_enable")),
    Row("DC_STATE does not follow", ("on mmio.write DC_STATE_EN do drop",), "echo 4 >/sys/class/graphics/fb0/blank; sleep 3; "
        "echo 0 >/sys/class/graphics/fb0/blank; sleep 3", ("gen9_write_dc_state", "gen9_set_dc_state")),
    Row("the device is away at first after a resume", ("on resume do ones 50ms",), "rtcwake -m mem -s 1 >/dev/null; sleep 3",
        ("intel_uncore_resume_early", "intel_gt_resume")),
    # The last one: i915 does not use the engines again until it takes the device anew.
    Row("engines hang when i915 takes the device", ("on cs.request do hang",), f"echo {ADDRESS} >{DRIVER}/unbind; echo {ADDRESS} >{DRIVER}/bind; sleep 4",
        ("intel_gt_set_wedged_on_init",)),
)

# So that a hang ends within a second.
HASTEN = f"for e in {ENGINE}/*; do echo 100 >$e/heartbeat_interval_ms; echo 50 >$e/preempt_timeout_ms; done"
ROW_SECONDS = 180
# With more, Linux takes TCG's time stamp counters for unstable; then local_clock() stops at the next tick (sched_clock_local()), and i915's
# waits with interrupts disabled, as for forcewake, never end. Or boot with tsc=reliable.
CPUS = 1


def run(machine: guest.Guest, row):
    """Runs a row; the plan is empty then. (exit status, output, error output) of its script, and whether a line has fired."""
    before = machine.get("faults-log")
    machine.put("faults-add", "seed 1")
    for line in row.lines:
        machine.put("faults-add", line)
    done = machine.capture(row.script, ROW_SECONDS)
    fired = machine.get("faults-log") != before
    machine.put("faults", "")
    return done, fired

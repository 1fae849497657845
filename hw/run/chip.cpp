// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/chip.h"

#include <i915_drm.h>

#include <algorithm>

#include "hw/run/chip_oa.h"
#include "hw/run/execlists.h"
#include "hw/run/regs.h"
#include "hw/run/rings.h"

namespace softgen::run {
namespace {

// The first list of an image, behind the ring's registers (i915 gt/intel_lrc.c, gen9_rcs_offsets, gen11_rcs_offsets, gen12_rcs_offsets): from
// BB_ADDR_UDW on.
constexpr uint32_t gen9_list[] = {0x168, 0x140, regs::bb_state, 0x11c, 0x114, 0x118, 0x1c0, 0x1c4, 0x1c8};
constexpr uint32_t gen11_render_list[] = {0x168, 0x140, regs::bb_state, 0x11c, 0x114, 0x118, 0x1c0, 0x1c4, 0x1c8, 0x180};
constexpr uint32_t gen12_list[] = {0x168, 0x140, regs::bb_state, 0x1c0, 0x1c4, 0x1c8, 0x180, 0x2b4};

// i915 gt/intel_execlists_submission.c, gen8_csb_parse, GEN8_CTX_STATUS_*.
Switch gen8_entry(uint32_t low, uint32_t) {
  constexpr uint32_t idle_to_active = 1u << 0, active_to_idle = 1u << 3, lite_restore = 1u << 15;
  return {(low & (idle_to_active | lite_restore)) != 0, (low & active_to_idle) != 0};
}

// The same file, gen12_csb_parse, GEN12_*.
Switch gen12_entry(uint32_t low, uint32_t) {
  constexpr uint32_t new_queue = 1u << 0, id_shift = 15, no_id = 0x7ff;
  return {(low & new_queue) != 0, (low >> id_shift & no_id) == no_id};
}

constexpr uint64_t sfc = I915_VIDEO_AND_ENHANCE_CLASS_CAPABILITY_SFC, hevc = I915_VIDEO_CLASS_CAPABILITY_HEVC;

// i915 gt/intel_ggtt.c, gen8_ggtt_pte_encode() and gen6_ggtt_invalidate().
constexpr GlobalTable gen8_table{.window = 8u << 20,
                                 .pages = 1u << 20,
                                 .entry_bytes = 8,
                                 .entry = [](uint64_t gpa) { return gpa | 1; },
                                 .flush = 0x101008,  // GFX_FLSH_CNTL_GEN6
                                 .has_scratch = false};

constexpr Uapi gen9_uapi{.own_tables = true,
                         .relocation_bytes = 8,
                         .llc = true,
                         .coherent_ggtt = true,
                         .schedules = true,
                         .topology = true,
                         .huc = true,
                         .secure_batches = false,
                         .fences = 32,
                         .reset = 2,
                         .context_isolation = 0xf};

// Kaby Lake (i915 gt/intel_gt_irq.c, gen8_gt_irq_handler; gt/intel_execlists_submission.c; gt/intel_workarounds.c, gen9_whitelist_build() and
// kbl_whitelist_build()).
namespace kbl {

constexpr uint32_t gt_irq = 0x44300;  // + 0x10 a block: ISR, IMR, IIR, IER
constexpr uint32_t imr = 4, iir = 8, ier = 12, blocks = 4, block_bytes = 0x10;
constexpr uint32_t master = 0x44200, elsp = 0x230;
constexpr uint32_t forcewake[] = {regs::forcewake_render, regs::forcewake_gt, 0xa270};
constexpr uint32_t open_to_batches[] = {0x2248, 0x2580, 0x7304, 0x7014, 0xb118};

void enable_interrupts(const Registers& registers) {
  for (uint32_t block = 0; block < blocks; ++block) {
    const uint32_t base = gt_irq + block_bytes * block;
    registers.write(base + iir, ~0u);
    registers.write(base + imr, 0);
    registers.write(base + ier, ~0u);
  }
  registers.write(master, regs::master_irq_enable);
}

void hear(const Registers& registers, const EngineInfo& engine, uint32_t heard) {
  registers.write(engine.mmio + regs::ring_imr, ~heard << engine.irq_shift);
}

void acknowledge(const Registers& registers) {
  registers.write(master, 0);
  for (uint32_t block = 0; block < blocks; ++block) {
    const uint32_t at = gt_irq + block_bytes * block + iir;
    if (const uint32_t pending = registers.read(at)) registers.write(at, pending);
  }
  registers.write(master, regs::master_irq_enable);
}

void submit(const Registers& registers, const EngineInfo& engine, uint32_t descriptor, uint32_t id) {
  for (const uint32_t dword : {0u, 0u, id, descriptor}) registers.write(engine.mmio + elsp, dword);
}

constexpr Execlists lists{.run_lists = 0x8000'8000,
                          .csb_entries = 6,
                          .csb_write = 0x1f,
                          .csb_pointers = 0xffff'0505,
                          .open_to_batches = open_to_batches,
                          .render_list = gen9_list,
                          .other_list = gen9_list,
                          .hear = hear,
                          .read_entry = gen8_entry,
                          .context_id = [](uint32_t number) { return number; },
                          .submit = submit};

constexpr Chip chip{.parts = "kbl",
                    .engines = {{"rcs0", I915_ENGINE_CLASS_RENDER, regs::rcs_base, gt_irq, 0, 22, 1u << 1},
                                {"bcs0", I915_ENGINE_CLASS_COPY, regs::bcs_base, gt_irq, 16, 2, 1u << 3},
                                {"vcs0", I915_ENGINE_CLASS_VIDEO, 0x12000, gt_irq + 0x10, 0, 2, 1u << 2, hevc | sfc},
                                {"vecs0", I915_ENGINE_CLASS_VIDEO_ENHANCE, 0x1a000, gt_irq + 0x30, 0, 2, 1u << 4, sfc}},
                    .forcewake = forcewake,
                    .global_table = gen8_table,
                    .enables_64k_pages = true,
                    .uapi = gen9_uapi,
                    .enable_interrupts = enable_interrupts,
                    .acknowledge = acknowledge,
                    .submission = [](const SubmissionHost& host) { return execlist_submission(host, lists); },
                    .oa = &gen9_oa};

}  // namespace kbl

// What Ice Lake and Tiger Lake share (i915 gt/intel_gt_irq.c, gen11_gt_irq_handler and gen11_gt_irq_postinstall;
// gt/intel_execlists_submission.c, write_desc; gt/intel_engine.h, ICL_HWS_CSB_WRITE_INDEX; gt/intel_lrc.c, lrc_descriptor: an id of 11 bits, of which
// all ones is none).
namespace elsq {

constexpr uint32_t master = 0x190010, pending_dwords = 0x190018, identities = 0x190060, selectors = 0x190070;
constexpr uint32_t enables[] = {0x190030, 0x190034};
constexpr uint32_t submit_queue = 0x510, queue_control = 0x550, queue_load = 1;
constexpr uint32_t read_only = 1u << 28, range_4 = 1;  // FORCE_TO_NONPRIV
constexpr uint32_t ids = 0x7fe, id_shift = 5;

uint32_t context_id(uint32_t number) { return (number % ids) << id_shift; }

void enable_interrupts(const Registers& registers) {
  for (const uint32_t enable : enables) registers.write(enable, ~0u);
  registers.write(master, regs::master_irq_enable);
}

void hear(const Registers& registers, const EngineInfo& engine, uint32_t heard) {
  registers.write(engine.irq_register, ~(heard << engine.irq_shift));
}

void acknowledge(const Registers& registers) {
  registers.write(master, 0);
  for (uint32_t bank = 0; bank < 2; ++bank) {
    const uint32_t pending = registers.read(pending_dwords + 4 * bank);
    for (uint32_t bit = 0; bit < 32; ++bit) {
      if (!(pending >> bit & 1)) continue;
      registers.write(selectors + 4 * bank, 1u << bit);
      if (const uint32_t identity = registers.read(identities + 4 * bank)) registers.write(identities + 4 * bank, identity);
    }
    if (pending) registers.write(pending_dwords + 4 * bank, pending);
  }
  registers.write(master, regs::master_irq_enable);
}

void submit(const Registers& registers, const EngineInfo& engine, uint32_t descriptor, uint32_t id) {
  const uint32_t queue = engine.mmio + submit_queue;
  registers.write(queue + 8, 0);
  registers.write(queue + 12, 0);
  registers.write(queue, descriptor);
  registers.write(queue + 4, id);
  registers.write(engine.mmio + queue_control, queue_load);
}

}  // namespace elsq

// Ice Lake (gt/intel_workarounds.c, icl_whitelist_build()).
namespace icl {

using namespace elsq;
constexpr uint32_t forcewake[] = {regs::forcewake_render, regs::forcewake_gt, 0xa540, 0xa560};
constexpr uint32_t open_to_batches[] = {0xe194, 0xe18c, 0x731c, 0x2348 | read_only | range_4, 0x23a8 | read_only};

constexpr Execlists lists{.run_lists = 0x0008'0008,
                          .csb_entries = 12,
                          .csb_write = 0x2f,
                          .csb_pointers = 0xffff'0b0b,
                          .open_to_batches = open_to_batches,
                          .render_list = gen11_render_list,
                          .other_list = gen9_list,
                          .hear = hear,
                          .read_entry = gen8_entry,
                          .context_id = context_id,
                          .submit = submit};

constexpr Uapi uapi = [] {
  Uapi uapi = gen9_uapi;
  uapi.coherent_ggtt = false;
  return uapi;
}();

constexpr Chip chip{.parts = "icl",
                    .engines = {{"rcs0", I915_ENGINE_CLASS_RENDER, regs::rcs_base, 0x190090, 16, 14, 1u << 1},
                                {"bcs0", I915_ENGINE_CLASS_COPY, regs::bcs_base, 0x1900a0, 16, 2, 1u << 2},
                                {"vcs0", I915_ENGINE_CLASS_VIDEO, 0x1c0000, 0x1900a8, 16, 2, 1u << 5, hevc | sfc},
                                {"vecs0", I915_ENGINE_CLASS_VIDEO_ENHANCE, 0x1c8000, 0x1900d0, 16, 2, 1u << 13, sfc}},
                    .forcewake = forcewake,
                    .global_table = gen8_table,
                    .enables_64k_pages = false,
                    .uapi = uapi,
                    .enable_interrupts = enable_interrupts,
                    .acknowledge = acknowledge,
                    .submission = [](const SubmissionHost& host) { return execlist_submission(host, lists); },
                    .oa = &gen11_oa};

}  // namespace icl

// Tiger Lake (gt/intel_workarounds.c, tgl_whitelist_build()).
namespace tgl {

using namespace elsq;
constexpr uint32_t forcewake[] = {regs::forcewake_render, regs::forcewake_gt, 0xa540, 0xa548, 0xa560};
constexpr uint32_t open_to_batches[] = {0x2348 | read_only | range_4, 0x7010, 0x7018, 0x7304, 0x23a8 | read_only};

constexpr Execlists lists = [] {
  Execlists lists = icl::lists;
  lists.open_to_batches = open_to_batches;
  lists.render_list = lists.other_list = gen12_list;
  lists.read_entry = gen12_entry;
  return lists;
}();

constexpr Chip chip = [] {
  Chip chip = icl::chip;
  chip.parts = "tgl";
  chip.forcewake = forcewake;
  chip.submission = [](const SubmissionHost& host) { return execlist_submission(host, lists); };
  chip.oa = &gen12_oa;
  return chip;
}();

}  // namespace tgl

// Ironlake (i915_irq.c, ilk_irq_handler; gt/intel_gt_irq.c, gen5_gt_irq_postinstall; char/agp/intel-gtt.c, i965_write_entry; gt/intel_reset.c,
// ilk_do_reset; gt/intel_workarounds.c, ilk_gt_workarounds_init and rcs_engine_wa_init).
namespace ilk {

constexpr uint32_t display_irq = 0x44000, gt_irq = 0x44010, imr = 4, iir = 8, ier = 12, display_master = 1u << 31;
constexpr uint32_t render_user = 1u << 0, video_user = 1u << 5, heard = render_user | video_user;

void enable_interrupts(const Registers& registers) {
  registers.write(gt_irq + iir, ~0u);
  registers.write(gt_irq + iir, ~0u);  // of two that may be queued
  registers.write(gt_irq + imr, ~heard);
  registers.write(gt_irq + ier, heard);
  registers.write(display_irq + imr, ~0u);
  registers.write(display_irq + ier, display_master);
}

void acknowledge(const Registers& registers) {
  registers.write(display_irq + ier, 0);
  if (const uint32_t pending = registers.read(gt_irq + iir)) registers.write(gt_irq + iir, pending);
  registers.write(display_irq + ier, display_master);
}

constexpr uint64_t entry(uint64_t gpa) {
  constexpr uint64_t valid = 1, snooped = 3u << 1, upper = 0xf0;
  return (gpa & 0xffff'f000) | (gpa >> 28 & upper) | snooped | valid;
}

constexpr uint32_t enabled(uint32_t bits) { return bits << 16 | bits; }
constexpr uint32_t disabled(uint32_t bits) { return bits << 16; }
constexpr RegisterValue workarounds[] = {{0x2120, disabled(1u << 0)},  // CACHE_MODE_0: RC_OP_FLUSH_ENABLE
                                         {0x2120, enabled(1u << 8)},   // CM0_PIPELINED_RENDER_FLUSH_DISABLE
                                         {0x208c, enabled(1u << 14)},  // 3D_CHICKEN2: WM_READ_PIPELINED
                                         {0x209c, enabled(1u << 6)}};  // MI_MODE: VS_TIMER_DISPATCH
constexpr uint32_t reset_enable = 1u << 0, reset_render = 1u << 1, reset_media = 3u << 1;
constexpr uint32_t reset_steps[] = {reset_render | reset_enable, reset_media | reset_enable};
constexpr Rings rings{.workarounds = workarounds, .reset = 0x12ca4, .reset_steps = reset_steps, .reset_pending = reset_enable};

constexpr Chip chip{
    .parts = "ilk",
    .engines = {{.name = "rcs0", .uapi_class = I915_ENGINE_CLASS_RENDER, .mmio = regs::rcs_base, .context_pages = 1},
                {},
                {.name = "vcs0", .uapi_class = I915_ENGINE_CLASS_VIDEO, .mmio = 0x4000},
                {}},
    .forcewake = {},
    .global_table = {.window = 2u << 20, .pages = 512u << 10, .entry_bytes = 4, .entry = entry, .flush = 0, .has_scratch = true},
    .enables_64k_pages = false,
    .uapi = {.own_tables = false,
             .relocation_bytes = 4,
             .llc = false,
             .coherent_ggtt = true,
             .schedules = false,
             .topology = false,
             .huc = false,
             .secure_batches = true,
             .fences = 16,
             .reset = 1,
             .context_isolation = 1u << I915_ENGINE_CLASS_RENDER},
    .enable_interrupts = enable_interrupts,
    .acknowledge = acknowledge,
    .submission = [](const SubmissionHost& host) { return ring_submission(host, rings); },
    .oa = nullptr};

}  // namespace ilk

}  // namespace

const Chip* chip_of(std::string_view parts) {
  static constexpr const Chip* chips[] = {&kbl::chip, &icl::chip, &tgl::chip, &ilk::chip};
  const auto found = std::ranges::find(chips, parts, &Chip::parts);
  return found == std::end(chips) ? nullptr : *found;
}

}  // namespace softgen::run

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/context_image.h"

#include <algorithm>
#include <array>

#include "hw/cs/registers.h"
#include "hw/defs/registers/engines.h"

namespace softgen::cs {
namespace {

struct List {
  uint32_t header;  ///< dword
  uint32_t count;   ///< registers
};
constexpr List lists[] = {{0x01, 14}, {0x21, 9}, {0x41, 1}, {0x51, 44}};

constexpr size_t slot_count = 14 + 9 + 1 + 44;

constexpr std::array<ImageSlot, slot_count> make_slots(ImageSlot list_3) {
  std::array<ImageSlot, slot_count> slots{};
  size_t n = 0;
  uint16_t dword = 0x02;
  const auto add = [&](uint32_t reg, Load load = Load::value) {
    slots[n++] = {dword, static_cast<uint16_t>(reg), load};
    dword += 2;
  };
  add(reg::ctx_control, Load::masked), add(reg::head), add(reg::tail), add(reg::start), add(reg::ctl);
  add(reg::bb_addr_udw), add(reg::bb_addr), add(reg::bb_state), add(reg::sbb_addr_udw), add(reg::sbb_addr), add(reg::sbb_state);
  add(reg::bb_per_ctx_ptr), add(reg::indirect_ctx), add(reg::indirect_ctx_offset);
  dword = 0x22;
  add(reg::ctx_timestamp, Load::never);  // loaded by the streamer: it is a running counter
  for (uint32_t n = 4; n--;) add(reg::pdp + 8 * n + 4), add(reg::pdp + 8 * n);
  dword = 0x42;
  add(list_3.reg, list_3.load);
  dword = 0x52;
  add(reg::excc, Load::masked), add(reg::mi_mode, Load::masked), add(reg::instpm, Load::masked);
  add(reg::pr_ctr_ctl), add(reg::pr_ctr_thrsh), add(reg::timestamp, Load::never), add(reg::bb_start_addr_udw), add(reg::bb_start_addr);
  add(reg::bb_add_diff), add(reg::bb_offset), add(reg::predicate_result_1);
  for (uint32_t half = 0; half < 32; ++half) add(reg::gpr0 + 4 * half);
  add(reg::ipehr);
  return slots;
}

constexpr auto render_slots = make_slots({0, reg::r_pwr_clk_state});
constexpr auto other_slots = make_slots({0, reg::bcs_swctrl, Load::masked});
static_assert(render_slots.back().dword == 0xa8 && render_slots.back().reg == reg::ipehr);

}  // namespace

std::span<const ImageSlot> image_slots(defs::EngineClass engine) {
  return engine == defs::EngineClass::render ? render_slots : other_slots;
}

uint32_t image_size(defs::EngineClass engine) {
  return std::ranges::find(defs::engines, engine, &defs::EngineRow::engine_class)->context_pages * image_page;
}

uint32_t state_offset(defs::EngineClass engine) {
  return engine == defs::EngineClass::render ? 2 * image_page : image_page + list_dwords(engine) * 4;
}

uint32_t state_room(defs::EngineClass engine) { return image_size(engine) - state_offset(engine); }

void write_image_frame(std::span<uint32_t> page, defs::EngineClass engine, uint32_t mmio_base) {
  std::fill_n(page.begin(), documented_dwords, 0);
  for (const List& list : lists) page[list.header] = lri_header(list.count);
  // R_PWR_CLK_STATE's list is the one that hardware does not mark Force Posted (i915 gt/intel_lrc.c, gen9_rcs_offsets).
  if (engine == defs::EngineClass::render) page[0x41] = 0x1100'0001;
  for (const ImageSlot& slot : image_slots(engine)) page[slot.dword] = mmio_base + slot.reg;
}

}  // namespace softgen::cs

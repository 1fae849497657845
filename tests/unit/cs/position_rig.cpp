// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/cs/position_rig.h"

#include "hw/cs/submission/elsq.h"
#include "hw/defs/gen11/set.h"
#include "hw/mmio/interrupts/gen11.h"
#include "hw/mmio/reset_control.h"

namespace softgen::cs::test {
namespace {

constexpr uint32_t csb_entries = 12, csb_index = 0xbc;

Form gen11_form() {
  return {&defs::gen11::commands,       &defs::gen11::registers,
          &defs::gen11::context_images, &elsq_gen11,
          mmio::gen11_interrupts,       1 | 2 | 1u << static_cast<unsigned>(EngineId::pocs)};
}

}  // namespace

PositionRig::PositionRig(bool threaded) : Machine(threaded, gen11_form()), threaded_(threaded) {
  mmio::attach_reset_control(
      registers, interrupts, [this](uint32_t mask) { cs->stop_engines(mask); }, [this](uint32_t mask) { cs->restart_engines(mask); });
  enable();
}

PositionRig::~PositionRig() { cs.reset(); }

void PositionRig::enable() {
  const EngineId e = EngineId::rcs;
  set_reg(e, softgen::reg::RING_MODE, 0x0008'0008);
  set_reg(e, softgen::reg::RING_MI_MODE, 0x0100'0000);
  set_reg(e, softgen::reg::RING_HWS_PGA, hwsp(e));
  set_reg(e, softgen::reg::RING_EMR, ~1u);
  set_reg(e, softgen::reg::RING_CONTEXT_STATUS_PTR, 0xffff'0b0b);
  csb_head_ = csb_entries - 1;
  write(hwsp(e) + csb_index, csb_head_);
}

void PositionRig::submit(const Context& context) {
  const_cast<Context&>(context).set_image(7, context.tail);
  for (uint32_t i = 0; i < max_elements; ++i) {
    const uint64_t descriptor = i ? 0 : context.descriptor();
    set_reg(EngineId::rcs, softgen::reg::RING_EXECLIST_SQ(i, 0), static_cast<uint32_t>(descriptor));
    set_reg(EngineId::rcs, softgen::reg::RING_EXECLIST_SQ(i, 1), static_cast<uint32_t>(descriptor >> 32));
  }
  set_reg(EngineId::rcs, softgen::reg::RING_EXECLIST_CONTROL, 1);
}

std::vector<Event> PositionRig::events() {
  std::vector<Event> found;
  const uint32_t tail = load(hwsp(EngineId::rcs) + csb_index);
  while (csb_head_ != tail) {
    csb_head_ = (csb_head_ + 1) % csb_entries;
    const uint32_t at = hwsp(EngineId::rcs) + 0x40 + 8 * csb_head_;
    found.push_back({load(at), load(at + 4)});
  }
  return found;
}

void PositionRig::reset_render() { registers.write(softgen::reg::GDRST, softgen::reg::field::GDRST_RENDER.mask()); }

uint32_t PositionRig::load(uint32_t at) {
  return __atomic_load_n(reinterpret_cast<const uint32_t*>(memory.resolve(at, Access::read).data), __ATOMIC_ACQUIRE);
}

void PositionRig::release(uint32_t at, uint32_t value) {
  __atomic_store_n(reinterpret_cast<uint32_t*>(memory.resolve(at, Access::write).data), value, __ATOMIC_RELEASE);
}

// i915's CTX_SR_CTL of a first submission, and POSH Enable.
PositionContext::PositionContext(PositionRig& rig, uint32_t context_id, bool enabled) : Context(rig, EngineId::rcs, context_id) {
  position_lrca = rig.allocate(14);
  std::vector<uint32_t> page(1024);
  write_image_frame(page, rig.contexts.of(EngineId::pocs), rig.registers.engine_register(EngineId::pocs, 0));
  rig.write(position_lrca + 0x1000, page);
  set_position_image(0x03, 0x0001'0001);
  set_position_image(0x09, ring);
  set_position_image(0x0b, (ring_bytes - 4096) | 1);
  set_position_image(0x55, 0x0100'0000);
  if (enabled) set_image(0x03, 0x0019'0019);
  set_image(0x36, position_lrca);
}

uint32_t PositionContext::position_image(uint32_t dword) const { return machine.read(position_lrca + 0x1000 + 4 * dword); }
void PositionContext::set_position_image(uint32_t dword, uint32_t value) { machine.write(position_lrca + 0x1000 + 4 * dword, value); }

}  // namespace softgen::cs::test

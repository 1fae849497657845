// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/ring/process_tables.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/memory/ggtt.h"

namespace softgen::cs {
namespace {

namespace all = softgen::reg;
namespace field = softgen::reg::field;
using Format = defs::TwoLevelPages;

constexpr uint32_t steer_batch = field::PGTBL_STR2_BATCH_BUFFER.mask(), steer_state = field::PGTBL_STR2_INDIRECT_STATE.mask(),
                   steer_vertices = field::PGTBL_STR2_VERTEX_FETCH.mask(), steer_sampler = field::PGTBL_STR2_SAMPLER.mask(),
                   steer_render = field::PGTBL_STR2_RENDER_DEPTH_AND_BLIT.mask();

/// Of PGTBL_CTL2's Size: 64 KiB to 1 MiB. Reserved codes have the last one's.
constexpr uint64_t flat_entries(uint32_t code) { return (uint64_t{64 << 10} << std::min(code, 4u)) / 4; }

}  // namespace

const uint32_t ProcessTables::ring_bit_ = field::PGTBL_STR2_RING.mask();

ProcessTables::Registers ProcessTables::registers_of(EngineId id) {
  if (id == EngineId::rcs) return {all::GFX_MODE, field::GFX_MODE_PER_PROCESS_GTT_ENABLE.mask(), all::PP_DIR_BASE, all::PP_DCLV(0)};
  return {all::VCS_GFX_MODE, field::VCS_GFX_MODE_PER_PROCESS_GTT_ENABLE.mask(), all::VCS_PP_DIR_BASE, all::VCS_PP_DCLV(0)};
}

ProcessTables::ProcessTables(EngineCore& core)
    : core_(core), registers_(registers_of(core.config().id)), flat_(core.links().memory, core.links().faults, core.config().id) {
  mmio::RegisterFile& registers = core.links().registers;
  if (core.config().id == EngineId::rcs)
    registers.on_read(all::PP_DCDR, [this, &registers](uint32_t) {
      return directory_.entry(field::PP_DCIR_DIRECTORY_CACHE_INDEX.of(registers.peek(all::PP_DCIR))) & Format::directory_bits;
    });
}

// The flat table is render's alone. With both on, the one of two levels is used (chosen).
ProcessTables::Form ProcessTables::current() const {
  const mmio::RegisterFile& registers = core_.links().registers;
  if (registers.peek(registers_.mode) & registers_.enable) return Form::two_level;
  const bool flat = core_.config().id == EngineId::rcs && field::PGTBL_CTL2_PAGE_TABLE_ENABLE.of(registers.peek(all::PGTBL_CTL2));
  return flat ? Form::flat : Form::off;
}

memory::AddressSpace ProcessTables::flat_space() const {
  const uint32_t control = core_.links().registers.peek(all::PGTBL_CTL2);
  const uint64_t high = field::PGTBL_CTL2_PHYSICAL_START_ADDRESS_EXTENSION.of(control);
  return memory::AddressSpace::flat(field::PGTBL_CTL2_PAGE_TABLE_BASE_ADDRESS.in_place(control) | high << 32,
                                    flat_entries(field::PGTBL_CTL2_SIZE.of(control)), core_.links().tlb);
}

// What engines do goes through the view of render cache, depth and blits, but for what they fetch (3.6.2).
void ProcessTables::follow() {
  form_ = current();
  EngineEnv& env = core_.env();
  env.vertices = env.states = env.constants = nullptr;
  const memory::AddressSpace global = memory::AddressSpace::ggtt(core_.links().ggtt);
  if (form_ == Form::off) return core_.set_address_space(global);
  if (form_ == Form::two_level) return core_.set_address_space(memory::AddressSpace::two_level(directory_, core_.links().tlb));
  const memory::AddressSpace space = flat_space();
  flat_.set_space(space);
  core_.set_address_space(steered(steer_render) ? space : global);
  env.vertices = steered(steer_vertices) ? &flat_ : &core_.ggtt();
  env.states = steered(steer_state) ? &flat_ : &core_.ggtt();
  if (steered(steer_sampler) != steered(steer_render)) unimplemented("Ironlake: sampler and render cache in different tables");
}

// Without a flat table the space of a batch follows from its security (1.3; part 4, 1.2.3).
memory::View& ProcessTables::batch(bool nonsecure) {
  if (form_ == Form::flat) return steered(steer_batch) ? flat_ : core_.ggtt();
  return nonsecure ? core_.ppgtt() : core_.ggtt();
}

uint64_t ProcessTables::entry_address(uint64_t page) const {
  if (form_ == Form::flat) {
    const memory::AddressSpace space = flat_space();
    return page < space.roots[1] ? space.roots[0] + page * 4 : 0;
  }
  const uint32_t pde = directory_.entry(static_cast<uint32_t>(page / Format::entries));
  if (form_ == Form::off || !(pde & Format::present)) return 0;
  return Format::table_of(pde) + page % Format::entries * 4;
}

void ProcessTables::load_directory() {
  const mmio::RegisterFile& registers = core_.links().registers;
  // The render streamer's field has 15 bits; so many lines has the global table. The video streamer's has one more.
  const uint32_t line = field::PP_DIR_BASE_PAGE_DIRECTORY_BASE_OFFSET.of(registers.peek(registers_.base));
  directory_.load(core_.links().ggtt, line, registers.peek(registers_.valid));
  invalidate();
}

void ProcessTables::reset() {
  directory_.clear();
  invalidate();
  follow();
}

}  // namespace softgen::cs

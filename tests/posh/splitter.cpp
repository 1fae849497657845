// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/posh/splitter.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "hw/cs/decode/packets.h"
#include "hw/cs/image_layout.h"
#include "hw/cs/relative_registers.h"
#include "hw/defs/registers/registers.h"

namespace softgen::posh {
namespace {

using defs::CommandId;

/// What becomes of a command that is no draw.
enum class Kind : uint8_t {
  render,     ///< the render engine's alone
  both,       ///< state of both
  registers,  ///< of the streamer, of which each has its own
  writes,     ///< the render engine's alone, and POCS must wait for it
  nothing,
};

bool is_mi(const defs::Command& command) { return command.match >> 29 == 0; }

bool writes(const gen11::PIPE_CONTROL::View& control) {
  return control.command_streamer_stall_enable() || control.render_target_cache_flush_enable() || control.dc_flush_enable() ||
         control.depth_cache_flush_enable() || control.post_sync_operation() != gen11::PIPE_CONTROL::PostSyncOperation::NO_WRITE;
}

Kind kind_of(const defs::Command& command, std::span<const uint32_t> dwords) {
  switch (command.id) {
    case CommandId::MI_NOOP: return Kind::nothing;
    case CommandId::MI_ARB_CHECK:
    case CommandId::MI_ARB_ON_OFF: return Kind::render;
    case CommandId::MI_LOAD_REGISTER_IMM:
    case CommandId::MI_LOAD_REGISTER_MEM:
    case CommandId::MI_LOAD_REGISTER_REG:
    case CommandId::MI_MATH:
    case CommandId::MI_PREDICATE:
    case CommandId::MI_SET_PREDICATE: return Kind::registers;
    case CommandId::MI_BATCH_BUFFER_START:
    case CommandId::MI_CONDITIONAL_BATCH_BUFFER_END: throw std::runtime_error("a batch that is left in its middle cannot be rewritten");
    case CommandId::PIPE_CONTROL: return writes(gen11::PIPE_CONTROL::View(dwords)) ? Kind::writes : Kind::render;
    case CommandId::_3DSTATE_WM_HZ_OP: return Kind::writes;
    default: break;
  }
  if (is_mi(command) || command.dispatches) return Kind::writes;
  return command.position ? Kind::both : Kind::render;
}

constexpr uint32_t rectangle_list = static_cast<uint32_t>(gen11::PrimitiveTopologyType::_3DPRIM_RECTLIST);

/// The register of POCS that is the render engine's at `offset`; none: POCS has none of its own.
std::optional<uint32_t> position_register(const defs::Platform& platform, uint32_t offset) {
  const uint32_t render = platform.registers->engine(EngineId::rcs)->mmio_base;
  if (offset - render >= cs::streamer_block) return std::nullopt;
  const uint32_t own = offset - render + platform.registers->engine(EngineId::pocs)->mmio_base;
  const defs::Register* row = platform.registers->find(own);
  return row && !row->block ? std::optional(own) : std::nullopt;  // a block stands for what POCS lacks
}

}  // namespace

Splitter::Splitter(const defs::Platform& platform, debug::ContextState& state, const Options& options)
    : platform_(platform), state_(state), options_(options) {}

void Splitter::packet(const defs::Command& command, std::span<const uint32_t> dwords) {
  if (command.draws) draw(command, dwords);
  else other(command, dwords);
  state_.note({.address = 0, .level = debug::BatchLevel::first, .ppgtt = true, .command = &command, .dwords = dwords});
}

void Splitter::other(const defs::Command& command, std::span<const uint32_t> dwords) {
  const Kind kind = kind_of(command, dwords);
  if (kind == Kind::nothing) return;
  if (kind == Kind::writes || options_.passes.count() > 1) close();
  written_ |= kind == Kind::writes;
  render_.copy(dwords);
  if (kind == Kind::both) position_.copy(dwords);
  if (kind == Kind::registers) registers(command, dwords);
}

void Splitter::end() {
  close();
  render_.end_batch();
  position_.end_batch();
}

void Splitter::registers(const defs::Command& command, std::span<const uint32_t> dwords) {
  const auto relative = [&](std::string_view field) { return (dwords[0] & cs::header_bit(command, field)) != 0; };
  std::vector<uint32_t> own(dwords.begin(), dwords.end());
  const auto move = [&](size_t dword) {
    const auto found = position_register(platform_, own[dword] & cs::register_offset_mask);
    if (found) own[dword] = *found;
    return found.has_value();
  };
  switch (command.id) {
    case CommandId::MI_LOAD_REGISTER_IMM: return load_registers(command, dwords);
    case CommandId::MI_LOAD_REGISTER_MEM:
      if (!relative(cs::relative_field) && !move(1)) return;
      meet();
      break;
    case CommandId::MI_LOAD_REGISTER_REG:
      if (!relative(cs::relative_source_field) && !move(1)) return;
      if (!relative(cs::relative_destination_field) && !move(2)) return;
      break;
    default: break;
  }
  position_.copy(own);
}

void Splitter::load_registers(const defs::Command& command, std::span<const uint32_t> dwords) {
  if (dwords[0] & cs::header_bit(command, cs::relative_field)) return position_.copy(dwords);
  const gen11::MI_LOAD_REGISTER_IMM::View load(dwords);
  for (uint32_t i = 0; i < load.elements(); ++i)
    if (const auto own = position_register(platform_, load.register_offset(i))) position_.load_register(*own, load.data_dword(i));
}

/// Another effect than that of objects that are seen would be lost: docs/posh.md.
bool Splitter::skippable() const {
  const auto of = [this](CommandId id) { return state_.packet(id); };
  const gen11::_3DSTATE_VS::View vertex(of(CommandId::_3DSTATE_VS));
  if (vertex.enable() && vertex.accesses_uav()) return false;
  if (gen11::_3DSTATE_HS::View(of(CommandId::_3DSTATE_HS)).enable()) return false;
  if (gen11::_3DSTATE_GS::View(of(CommandId::_3DSTATE_GS)).enable()) return false;
  if (gen11::_3DSTATE_STREAMOUT::View(of(CommandId::_3DSTATE_STREAMOUT)).so_function_enable()) return false;
  const gen11::_3DSTATE_VF_TOPOLOGY::View topology(of(CommandId::_3DSTATE_VF_TOPOLOGY));
  const bool rectangles = static_cast<uint32_t>(topology.primitive_topology_type()) == rectangle_list;
  // Clears and resolves give their rectangles in other units than pixels, so that these cannot be divided.
  return !rectangles || (options_.rectangles && options_.passes.count() == 1);
}

void Splitter::draw(const defs::Command& command, std::span<const uint32_t> dwords) {
  if (!skippable()) {
    close();
    written_ = true;
    return render_.copy(dwords);
  }
  if (!open_) open();
  std::vector<uint32_t> marked(dwords.begin(), dwords.end());
  marked[0] |= cs::header_bit(command, "POSH Enable");
  position_.copy(marked);
  if (options_.passes.count() > 1) waiting_.push_back(std::move(marked));
  else render_.copy(marked);
  ++draws_;
}

/// Behind it, POCS sees all that the render engine has written.
void Splitter::meet() {
  if (!written_) return;
  ++options_.met;
  render_.finish_and_store(options_.meeting.reached, options_.met);
  position_.wait(options_.meeting.reached, options_.met);
  gen11::PIPE_CONTROL forget;
  forget.vf_cache_invalidation_enable = forget.constant_cache_invalidation_enable = forget.state_cache_invalidation_enable = true;
  position_.add(forget);
  written_ = false;
}

void Splitter::open() {
  written_ = true;  // what the record before was kept in is taken again
  meet();
  position_.begin_record(options_.record, options_.passes);
  if (options_.awaited) render_.wait(options_.meeting.recorded, options_.met);
  render_.read_record(options_.record, options_.passes);
  if (options_.passes.count() == 1) render_.select(0, options_.visibility);
  open_ = true;
}

void Splitter::close() {
  if (!open_) return;
  open_ = false;
  position_.finish_and_store(options_.meeting.recorded, options_.met);
  if (options_.passes.count() > 1) render_passes();
}

void Splitter::render_passes() {
  const auto known = state_.packet(CommandId::_3DSTATE_DRAWING_RECTANGLE);
  if (known.empty()) throw std::runtime_error("a draw without a drawing rectangle");
  const auto whole = gen11::_3DSTATE_DRAWING_RECTANGLE::unpack(known);
  const Passes& passes = options_.passes;
  for (uint32_t pass = 0; pass < passes.count(); ++pass) {
    const uint32_t x = pass % passes.columns * passes.width, y = pass / passes.columns * passes.height;
    auto part = whole;
    part.clipped_drawing_rectangle_x_min = std::max(whole.clipped_drawing_rectangle_x_min, x);
    part.clipped_drawing_rectangle_y_min = std::max(whole.clipped_drawing_rectangle_y_min, y);
    part.clipped_drawing_rectangle_x_max = std::min(whole.clipped_drawing_rectangle_x_max, x + passes.width - 1);
    part.clipped_drawing_rectangle_y_max = std::min(whole.clipped_drawing_rectangle_y_max, y + passes.height - 1);
    if (part.clipped_drawing_rectangle_x_min > part.clipped_drawing_rectangle_x_max ||
        part.clipped_drawing_rectangle_y_min > part.clipped_drawing_rectangle_y_max)
      continue;
    render_.add(part);
    render_.select(pass, options_.visibility);
    for (const std::vector<uint32_t>& draw : waiting_) render_.copy(draw);
  }
  render_.add(whole);
  waiting_.clear();
}

}  // namespace softgen::posh

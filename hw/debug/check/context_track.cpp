// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/check/context_track.h"

#include <algorithm>

namespace softgen::debug::check {
namespace {

using defs::CommandId;

constexpr CommandId urb_commands[] = {CommandId::_3DSTATE_URB_VS, CommandId::_3DSTATE_URB_HS, CommandId::_3DSTATE_URB_DS,
                                      CommandId::_3DSTATE_URB_GS};
constexpr CommandId constant_space_commands[] = {CommandId::_3DSTATE_PUSH_CONSTANT_ALLOC_VS, CommandId::_3DSTATE_PUSH_CONSTANT_ALLOC_HS,
                                                 CommandId::_3DSTATE_PUSH_CONSTANT_ALLOC_DS, CommandId::_3DSTATE_PUSH_CONSTANT_ALLOC_GS,
                                                 CommandId::_3DSTATE_PUSH_CONSTANT_ALLOC_PS};
constexpr uint32_t select_mask = 3;  ///< Mask Bits of Pipeline Selection

}  // namespace

// Flushes act at the bottom of the pipe, in order: a stall also waits for those of earlier PIPE_CONTROLs.
void WorkOrder::note(const PipeControl& control) {
  using enum PipeControl::Bit;
  if (control.has(flush_color)) color_flush = now;
  if (control.has(flush_depth)) depth_flush = now;
  if (control.has(flush_data)) data_flush = now;
  if (control.has(PipeControl::depth_stall)) this->depth_stall = now;
  if (control.has(cs_stall)) {
    stall = now;
    color_done = color_flush, depth_done = depth_flush, data_done = data_flush;
  }
  if (control.has(invalidate_textures)) textures = now;
  if (control.has(invalidate_constants)) constants = now;
  if (control.has(invalidate_state)) states = now;
  if (control.has(invalidate_instructions)) instructions = now;
}

void ContextTrack::begin(bool whole) {
  *this = {};
  whole_ = whole;
}

void ContextTrack::follow(const CommandLayouts& layouts, const WatchedPacket& packet, const PipeControl* control) {
  const defs::Command& command = *packet.packet.command;
  ++order_.now;
  if (static_cast<size_t>(command.id) < set_.size()) set_[static_cast<size_t>(command.id)] = true;
  if (control) {
    follow_control(*control);
    if (control->global && control->write == PipeControl::Write::immediate)
      breadcrumb_ = {control->address, static_cast<uint32_t>(control->data)}, wrote_ = true;
    wrote_ |= control->post_sync();
    null_before_ = control->null;
    return;
  }
  if (!command.overlaps) null_before_ = false;
  if (command.draws) order_.draw = order_.now, order_.draw_address = packet.packet.address, color_.drawn = color_.use;
  if (command.dispatches) order_.walker = order_.now, order_.walker_address = packet.packet.address;
  if (command.keeps_state) return follow_state(layouts, packet);
  follow_store(layouts, packet);
}

void ContextTrack::follow_control(const PipeControl& control) {
  order_.note(control);
  using enum PipeControl::Bit;
  if (control.has(cs_stall | flush_color) && control.post_sync()) color_.end_of_pipe = order_.now;
  // Three steps (SKL PRM vol 7, "L3 Cache Configuration"; Mesa's emit_l3_config): flush, invalidate, flush again.
  if (control.has(flush_data | cs_stall)) {
    (l3_.invalidated > order_.work() ? l3_.ready : l3_.flushed) = order_.now;
  } else if (control.has(invalidate_textures | invalidate_constants | invalidate_instructions | invalidate_state) &&
             l3_.flushed > order_.work()) {
    l3_.invalidated = order_.now;
  }
}

void ContextTrack::follow_state(const CommandLayouts& layouts, const WatchedPacket& packet) {
  const TrackedFields& fields = layouts.tracked();
  const std::span<const uint32_t> dwords = packet.packet.dwords;
  const CommandId id = packet.packet.command->id;
  switch (id) {
    case CommandId::PIPELINE_SELECT:
      if (fields.pipeline_mask.there() && (fields.pipeline_mask.of(dwords) & select_mask) != select_mask) return;
      pipeline_ = static_cast<Pipeline>(fields.pipeline.of(dwords) + 1);
      selected_ = order_.now;
      return;
    case CommandId::_3DSTATE_CC_STATE_POINTERS: color_calc_valid_ = fields.color_calc_valid.of(dwords); return;
    case CommandId::_3DSTATE_PS:
      color_.use = fields.fast_clear.of(dwords) ? ColorUse::clear : fields.resolve.of(dwords) ? ColorUse::resolve : ColorUse::render;
      return;
    case CommandId::_3DSTATE_WM_HZ_OP:
      clears_ = 0;
      for (size_t i = 0; i < fields.clears.size(); ++i) clears_ |= static_cast<uint32_t>(fields.clears[i].of(dwords) != 0) << i;
      if (clears_) order_.clear = order_.now, order_.clear_address = packet.packet.address;
      return;
    default: break;
  }
  for (size_t i = 0; i < urb_stages; ++i)
    if (id == urb_commands[i])
      urb_[i] = {true, static_cast<uint32_t>(fields.urb[i].start.of(dwords)), static_cast<uint32_t>(fields.urb[i].entries.of(dwords)),
                 (static_cast<uint32_t>(fields.urb[i].size.of(dwords)) + 1) * 64};
  for (size_t i = 0; i < constant_stages; ++i)
    if (id == constant_space_commands[i]) constant_space_[i] = static_cast<uint32_t>(fields.constant_space[i].of(dwords)) * 1024;
}

void ContextTrack::follow_store(const CommandLayouts& layouts, const WatchedPacket& packet) {
  const TrackedFields& fields = layouts.tracked();
  const std::span<const uint32_t> dwords = packet.packet.dwords;
  switch (packet.packet.command->id) {
    case CommandId::MEDIA_STATE_FLUSH: order_.media_flush = order_.now; break;
    case CommandId::MI_ARB_ON_OFF: arbitration_off_ = fields.arbitration.of(dwords) ? 0 : packet.packet.address; break;
    case CommandId::MI_USER_INTERRUPT: wrote_ = false; break;
    case CommandId::MI_STORE_DATA_INDEX:
    case CommandId::MI_ATOMIC:
    case CommandId::MI_STORE_REGISTER_MEM:
    case CommandId::MI_COPY_MEM_MEM:
    case CommandId::MI_SEMAPHORE_SIGNAL: wrote_ = true; break;
    case CommandId::MI_STORE_DATA_IMM:
      wrote_ = true;
      if (fields.store_global.of(dwords))
        breadcrumb_ = {fields.store_address.of(dwords), static_cast<uint32_t>(fields.store_data.of(dwords))};
      break;
    case CommandId::MI_FLUSH_DW:
      if (fields.flush_write.of(dwords)) wrote_ = true;
      if (fields.flush_write.of(dwords) == static_cast<uint64_t>(PipeControl::Write::immediate) && fields.flush_global.of(dwords))
        breadcrumb_ = {fields.flush_address.of(dwords), static_cast<uint32_t>(fields.flush_data.of(dwords))};
      break;
    default: break;
  }
}

}  // namespace softgen::debug::check

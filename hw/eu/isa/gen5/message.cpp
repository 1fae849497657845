// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's message descriptors (hw/defs/gen5/messages.def) as MessageOps, and in words.
#include <fmt/format.h>

#include <iterator>

#include "hw/defs/messages/gen5.h"
#include "hw/eu/isa/gen5/parts.h"

namespace softgen::eu::gen5 {
namespace {

using namespace defs::gen5::message;
using Type = defs::MessageType<Fields>;

const defs::MessageFunction<Fields>& function_of(unsigned sfid) { return functions[sfid & 15]; }

void math(MessageOp& op, Math d) {
  op.operation = static_cast<uint8_t>(d.function());
  op.is_signed = d.signed_integers();
  op.saturates = d.saturate();
  op.scalar = d.scalar();
}

void sampler(MessageOp& op, const Type& type, Sampler d) {
  constexpr uint8_t channels[4] = {MessageOp::simd4x2, 8, 16, 0};
  op.sampler = static_cast<uint8_t>(d.sampler_index());
  op.simd = channels[d.simd_mode()];
  if (static_cast<SamplerSimd>(d.simd_mode()) == SamplerSimd::SIMD32_64) op.kind = type.media_kind, op.sampled = nullptr;
}

void oword_block(MessageOp& op, OwordBlock d) {
  const auto size = static_cast<BlockSize>(d.block_size());
  if (!text(size).empty()) op.owords = size <= BlockSize::OWORD_1_HIGH ? 1 : static_cast<uint8_t>(1u << (d.block_size() - 1));
  op.first_oword = size == BlockSize::OWORD_1_HIGH;
}

void scattered(MessageOp& op, Scattered d) {
  const auto size = static_cast<ScatteredSize>(d.block_size());
  op.simd = size == ScatteredSize::DWORDS_8 ? 8 : size == ScatteredSize::DWORDS_16 ? 16 : 0;
  op.elements = 1;
}

/// intel-vaapi-driver shaders/h264/ildb/ILDB_header.inc: ENMSGDSCFM, ENMSGDSCTF, ENMSGDSCBF.
void media_block(MessageOp& op, MediaBlock d) {
  if (!d.override_lines()) return;
  op.lines = !d.line_stride() ? LineSelect::all : d.line_offset() ? LineSelect::bottom_field : LineSelect::top_field;
}

void render_target_write(MessageOp& op, RenderTargetWrite d) {
  const auto subtype = static_cast<RenderTargetSubtype>(d.subtype());
  op.last_target = d.last_render_target();
  if (text(subtype).empty()) return;
  op.replicated = subtype == RenderTargetSubtype::SIMD16_REPLICATED;
  op.simd = op.replicated || subtype == RenderTargetSubtype::SIMD16 ? 16 : 8;
  op.second_half = subtype == RenderTargetSubtype::SIMD8_DUAL_SOURCE_HIGH;
  op.dual_source = op.second_half || subtype == RenderTargetSubtype::SIMD8_DUAL_SOURCE_LOW;
}

void urb(MessageOp& op, Urb d) {
  const auto swizzle = static_cast<UrbSwizzle>(d.swizzle());
  op.offset = static_cast<uint16_t>(d.offset());
  op.interleaved = swizzle == UrbSwizzle::INTERLEAVE, op.transposed = swizzle == UrbSwizzle::TRANSPOSE;
  op.allocates = d.allocate(), op.used = d.used(), op.complete = d.complete();
}

/// What the descriptor says besides the type.
void control(MessageOp& op, const Type& type, uint32_t d) {
  switch (type.fields) {
    case Fields::Math: return math(op, {d});
    case Fields::Sampler: return sampler(op, type, {d});
    case Fields::Gateway: op.acknowledged = Gateway{d}.acknowledge(), op.notifies = Gateway{d}.notify(); return;
    case Fields::ThreadSpawner:
      op.child = ThreadSpawner{d}.message_type() & 2, op.keeps_urb = ThreadSpawner{d}.no_urb_dereference();
      return;
    case Fields::Urb: return urb(op, {d});
    case Fields::OwordBlock: op.byte_offset = true; return oword_block(op, {d});
    case Fields::OwordDualBlock:
      op.byte_offset = true;
      op.owords = static_cast<DualBlockSize>(OwordDualBlock{d}.block_size()) == DualBlockSize::OWORDS_4 ? 4 : 1;
      return;
    case Fields::Scattered: op.byte_offset = true; return scattered(op, {d});
    case Fields::MediaBlock: return media_block(op, {d});
    case Fields::RenderTargetWrite: return render_target_write(op, {d});
    case Fields::Descriptor:
    case Fields::Vme:
    case Fields::DataPort:
    case Fields::DataRead:
    case Fields::DataWrite: return;
  }
}

/// What follows the type's name.
std::string details(const Type& type, uint32_t d) {
  const unsigned surface = DataPort{d}.binding_table_index();
  switch (type.fields) {
    case Fields::Math: {
      const Math m{d};
      return fmt::format("{}{}{}{}", m.signed_integers() ? " signed" : "", m.partial_precision() ? " partial_precision" : "",
                         m.saturate() ? " sat" : "", m.scalar() ? " scalar" : "");
    }
    case Fields::Sampler:
      return fmt::format(" {} Surface = {} Sampler = {}", text(static_cast<SamplerSimd>(Sampler{d}.simd_mode())), surface,
                         Sampler{d}.sampler_index());
    case Fields::Gateway: return fmt::format("{}{}", Gateway{d}.acknowledge() ? " ack" : "", Gateway{d}.notify() ? " notify" : "");
    case Fields::ThreadSpawner:
      return fmt::format(" {} thread{}", ThreadSpawner{d}.message_type() & 2 ? "child" : "root",
                         ThreadSpawner{d}.no_urb_dereference() ? " no URB" : "");
    case Fields::Urb: {
      const Urb u{d};
      const auto swizzle = static_cast<UrbSwizzle>(u.swizzle());
      return fmt::format(" {}{}{}{}", swizzle == UrbSwizzle::NONE ? "" : text(swizzle), u.allocate() ? " allocate" : "",
                         u.used() ? " used" : "", u.complete() ? " complete" : "");
    }
    case Fields::RenderTargetWrite:
      return fmt::format(" {}{} Surface = {}", text(static_cast<RenderTargetSubtype>(RenderTargetWrite{d}.subtype())),
                         RenderTargetWrite{d}.last_render_target() ? " LastRT" : "", surface);
    case Fields::DataWrite: return fmt::format(" MsgCtrl = 0x{:x} Surface = {}", DataWrite{d}.message_control(), surface);
    default: return fmt::format(" MsgCtrl = 0x{:x} Surface = {}", DataRead{d}.message_control(), surface);
  }
}

}  // namespace

MessageFields message_fields(uint32_t descriptor) {
  const Descriptor d{descriptor};
  return {d.header_present(), d.response_length(), d.message_length()};
}

MessageOp decode_message(unsigned sfid, uint32_t descriptor, uint32_t extended) {
  const auto& function = function_of(sfid);
  const Descriptor common{descriptor};
  MessageOp op;
  op.descriptor = descriptor, op.extended = extended;
  op.sfid = function.text.empty() ? static_cast<Sfid>(sfid & 15) : function.sfid;
  op.header = common.header_present();
  op.length = static_cast<uint8_t>(common.message_length()), op.response_length = static_cast<uint8_t>(common.response_length());
  op.binding = {.index = static_cast<uint8_t>(DataPort{descriptor}.binding_table_index())};
  if (function.types.empty()) {
    if (op.sfid == Sfid::vme && !function.text.empty()) op.kind = MessageKind::unimplemented;
    return op;
  }
  op.type = static_cast<uint8_t>(function.code_of(descriptor));
  const Type* const type = function.type_of(op.type);
  if (!type) return op;
  op.kind = type->kind;
  op.sampled = type->sampler;
  control(op, *type, descriptor);
  return op;
}

std::string_view sfid_name(unsigned sfid) { return sfid < 16 ? functions[sfid].text : std::string_view(); }

std::string message_type_name(unsigned sfid, unsigned type) {
  const Type* const row = function_of(sfid).type_of(type);
  return row ? std::string(row->text) : fmt::format("type {}", type);
}

/// As Mesa's disassembler (brw_disasm.c) writes it, as far as its words say all.
std::string describe_message(unsigned sfid, uint32_t descriptor) {
  const auto& function = function_of(sfid);
  if (sfid > 15 || function.text.empty()) return "*reserved*";
  if (function.types.empty()) return {};
  const Type* const type = function.type_of(function.code_of(descriptor));
  if (!type) return "*reserved*";
  const std::string offset = type->fields == Fields::Urb ? fmt::format("{} ", Urb{descriptor}.offset()) : std::string();
  return offset + std::string(type->text) + details(*type, descriptor);
}

bool message_is_known(unsigned sfid, uint32_t descriptor) {
  const auto& function = function_of(sfid);
  if (sfid > 15 || function.text.empty()) return false;
  return function.types.empty() || function.type_of(function.code_of(descriptor));
}

/// There is no extended descriptor: the instruction has SFID and end of thread.
uint32_t sent_extended_descriptor(uint32_t, unsigned sfid, bool end_of_thread) { return sfid | (end_of_thread ? 1u << 5 : 0); }
unsigned extended_message_length(uint32_t) { return 0; }
/// Threads do not meet at barriers on Gen5.
BarrierFields barrier(const uint32_t*) { return {0, 0}; }

}  // namespace softgen::eu::gen5

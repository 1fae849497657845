// SPDX-License-Identifier: GPL-2.0-or-later
// Gen9's message descriptors (hw/defs/gen9/messages.def) as MessageOps.
#include "hw/eu/isa/gen9/parts.h"

#include <fmt/format.h>

#include "hw/defs/messages/gen9.h"
#include "hw/defs/messages/headers.h"

namespace softgen::eu::gen9 {
namespace {

using namespace defs::gen9::message;
using Type = defs::MessageType<Fields>;

void oword_block(MessageOp& op, OwordBlock d) {
  const auto size = static_cast<BlockSize>(d.block_size());
  if (!text(size).empty()) op.owords = size <= BlockSize::OWORD_1_HIGH ? 1 : static_cast<uint8_t>(1u << (d.block_size() - 1));
  op.first_oword = size == BlockSize::OWORD_1_HIGH;
  op.aligned = d.alignment() == 0;
}

void scratch_block(MessageOp& op, ScratchBlock d) {
  op.registers = static_cast<uint8_t>(1u << d.block_size());
  op.offset = static_cast<uint16_t>(d.offset());
  op.dword_channels = d.channel_mode_dword();
}

void untyped_surface(MessageOp& op, UntypedSurface d) {
  constexpr uint8_t channels[4] = {MessageOp::simd4x2, 16, 8, 0};
  op.simd = channels[d.simd_mode()];
  op.components = ~d.channel_mask() & 0xf;
}

void typed_surface(MessageOp& op, TypedSurface d) {
  constexpr uint8_t channels[4] = {MessageOp::simd4x2, 8, 8, 0};
  op.simd = channels[d.slot_group()];
  op.high_slots = static_cast<SlotGroup>(d.slot_group()) == SlotGroup::HIGH;
  op.components = ~d.channel_mask() & 0xf;
}

/// Bytes are up to four, or eight as two dwords, in one channel; dwords and qwords are up to eight, each in registers of its own.
void a64_scattered(MessageOp& op, A64Scattered d) {
  op.simd = d.simd16() ? 16 : 8;
  switch (static_cast<ScatteredElement>(d.block_size())) {
    case ScatteredElement::BYTE:
      op.log2_size = static_cast<uint8_t>(d.data_elements() < 3 ? d.data_elements() : 2);
      op.elements = d.data_elements() < 3 ? 1 : 2;
      break;
    case ScatteredElement::DWORD: op.log2_size = 2, op.elements = static_cast<uint8_t>(1u << d.data_elements()); break;
    case ScatteredElement::QWORD: op.log2_size = 3, op.elements = static_cast<uint8_t>(1u << d.data_elements()); break;
  }
}

void render_target_write(MessageOp& op, RenderTargetWrite d) {
  const auto subtype = static_cast<RenderTargetSubtype>(d.subtype());
  if (subtype > RenderTargetSubtype::SIMD8) return;  // image writes and SIMD16_REPLICATED_111: no driver sends them
  op.replicated = subtype == RenderTargetSubtype::SIMD16_REPLICATED;
  op.simd = op.replicated || subtype == RenderTargetSubtype::SIMD16 ? 16 : 8;
  op.second_half = subtype == RenderTargetSubtype::SIMD8_DUAL_SOURCE_HIGH;
  op.dual_source = op.second_half || subtype == RenderTargetSubtype::SIMD8_DUAL_SOURCE_LOW;
  op.high_slots = d.slot_group_high();
}

void urb(MessageOp& op, Urb d) {
  op.offset = static_cast<uint16_t>(d.global_offset());
  op.per_slot = d.per_slot_offset();
  const bool simd8 = op.kind == MessageKind::urb_simd8_write || op.kind == MessageKind::urb_simd8_read;
  op.masked = simd8 && d.channel_mask_present();
  op.interleaved = !simd8 && d.swizzle_interleave();
}

void pixel_interpolator(MessageOp& op, PixelInterpolator d) {
  op.data = static_cast<uint8_t>(d.message_data());
  op.simd = d.simd16() ? 16 : 8;
  op.high_slots = d.slot_group_high();
  op.linear = d.linear();
}

void sampler(MessageOp& op, const Type& type, Sampler d) {
  constexpr uint8_t channels[4] = {0, 8, 16, 0};
  op.sampler = static_cast<uint8_t>(d.sampler_index());
  op.simd = channels[d.simd_mode()];
  if (static_cast<SamplerSimd>(d.simd_mode()) == SamplerSimd::SIMD32_64) op.kind = type.media_kind, op.sampled = nullptr;
  op.returns_half = d.return_format_16_bit();
}

void atomic(MessageOp& op, bool simd4x2, unsigned simd, unsigned operation) {
  op.simd = simd4x2 ? MessageOp::simd4x2 : static_cast<uint8_t>(simd);
  op.operation = static_cast<uint8_t>(operation);
}

/// What the descriptor says besides the type.
void control(MessageOp& op, const Type& type, uint32_t d) {
  switch (type.fields) {
    case Fields::Sampler: return sampler(op, type, {d});
    case Fields::Urb: return urb(op, {d});
    case Fields::PixelInterpolator: return pixel_interpolator(op, {d});
    case Fields::OwordBlock: return oword_block(op, {d});
    case Fields::OwordDualBlock:
      op.owords = static_cast<DualBlockSize>(OwordDualBlock{d}.block_size()) == DualBlockSize::OWORDS_4 ? 4 : 1;
      return;
    case Fields::ByteScattered:
      op.simd = ByteScattered{d}.simd16() ? 16 : 8;
      op.log2_size = static_cast<uint8_t>(ByteScattered{d}.data_size());
      op.elements = op.log2_size <= 2;
      return;
    case Fields::Vme: op.streams = static_cast<uint8_t>(Vme{d}.stream_mode()); return;
    case Fields::Scattered: op.simd = Scattered{d}.simd16() ? 16 : 8, op.elements = 1; return;
    case Fields::ScratchBlock: return scratch_block(op, {d});
    case Fields::MediaBlock: op.strided = MediaBlock{d}.vertical_line_stride(); return;
    case Fields::UntypedSurface: return untyped_surface(op, {d});
    case Fields::TypedSurface: return typed_surface(op, {d});
    case Fields::UntypedAtomic: return atomic(op, type.simd4x2, UntypedAtomic{d}.simd8() ? 8 : 16, UntypedAtomic{d}.operation());
    case Fields::TypedAtomic:
      op.high_slots = TypedAtomic{d}.slot_group_high();
      return atomic(op, type.simd4x2, 8, TypedAtomic{d}.operation());
    case Fields::FloatAtomic:
      return atomic(op, type.simd4x2, type.kind == MessageKind::a64_atomic_float || FloatAtomic{d}.simd8() ? 8 : 16,
                    FloatAtomic{d}.operation());
    case Fields::A64Atomic: op.wide = A64Atomic{d}.data_size_64_bit(); return atomic(op, type.simd4x2, 8, A64Atomic{d}.operation());
    case Fields::A64Scattered: return a64_scattered(op, {d});
    case Fields::RenderTargetWrite: return render_target_write(op, {d});
    case Fields::RenderTargetRead:
      op.simd = RenderTargetRead{d}.simd8() ? 8 : 16, op.high_slots = RenderTargetRead{d}.slot_group_high();
      return;
    case Fields::Descriptor:
    case Fields::ExtendedDescriptor:
    case Fields::Gateway:
    case Fields::ThreadSpawner:
    case Fields::DataPort:
    case Fields::Fence: return;
  }
}

const defs::MessageFunction<Fields>& function_of(unsigned sfid) { return functions[sfid & 15]; }

}  // namespace

MessageFields message_fields(uint32_t descriptor) {
  const Descriptor d{descriptor};
  return {d.header_present(), d.response_length(), d.message_length()};
}

unsigned extended_message_length(uint32_t extended) { return ExtendedDescriptor{extended}.extended_message_length(); }

BarrierFields barrier(const uint32_t* header) {
  const message_header::Barrier fields{header};
  return {fields.barrier_id() % barrier_ids, fields.barrier_count_enable() ? fields.barrier_count() : 0};
}

uint32_t sent_extended_descriptor(uint32_t extended, unsigned sfid, bool end_of_thread) {
  constexpr uint32_t own = 0x3f, end_bit = 1u << 5;
  static_assert(ExtendedDescriptor{end_bit}.end_of_thread() && ExtendedDescriptor{own}.shared_function() == 15);
  return (extended & ~own) | sfid | (end_of_thread ? end_bit : 0);
}

MessageOp decode_message(unsigned sfid, uint32_t descriptor, uint32_t extended) {
  const auto& function = function_of(sfid);
  const Descriptor common{descriptor};
  const ExtendedDescriptor more{extended};
  MessageOp op;
  op.descriptor = descriptor, op.extended = extended;
  op.sfid = static_cast<Sfid>(sfid);
  op.header = common.header_present();
  op.length = static_cast<uint8_t>(common.message_length()), op.response_length = static_cast<uint8_t>(common.response_length());
  op.extended_length = static_cast<uint8_t>(more.extended_message_length());
  op.binding = {static_cast<uint8_t>(DataPort{descriptor}.binding_table_index()), more.bindless_surface_offset()};
  if (function.types.empty()) return op;
  const uint32_t code = function.code_of(descriptor);
  op.type = static_cast<uint8_t>(code);
  const Type* const type = function.type_of(code);
  if (!type) return op;
  op.type = type->code;
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

}  // namespace softgen::eu::gen9

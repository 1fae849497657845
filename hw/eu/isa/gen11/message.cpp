// SPDX-License-Identifier: GPL-2.0-or-later
// Gen11's messages have Gen9's codes and fields, and those of hw/defs/gen11/messages.def besides.
#include "hw/defs/messages/gen11.h"

#include "hw/eu/isa/gen11/parts.h"
#include "hw/eu/isa/gen9/parts.h"

namespace softgen::eu::gen11 {

namespace {

using namespace defs::gen11::message;

/// What headers alone say on Gen9 may stand in the extended descriptor, which holds without a header.
void render_target_write(MessageOp& op) {
  const ExtendedRenderTarget target{op.extended};
  op.target = static_cast<uint8_t>(target.render_target_index());
  op.alpha_present = target.source_0_alpha_present();
  op.null_target = target.null_render_target();
  op.coarse = RenderTargetWrite{op.descriptor}.coarse();
}

void sampler(MessageOp& op) {
  const Sampler d{op.descriptor};
  if (!d.simd_mode_upper()) return;
  op.simd = d.simd_mode() == 1 ? 8 : d.simd_mode() == 2 ? 16 : 0;
  op.half_parameters = true;
  if (!op.sampled) op.kind = MessageKind::reserved;  // media messages have no such parameters
}

}  // namespace

MessageOp decode_message(unsigned sfid, uint32_t descriptor, uint32_t extended) {
  MessageOp op = gen9::decode_message(sfid, descriptor, extended);
  if (op.kind == MessageKind::render_target_write) render_target_write(op);
  if (op.sfid == Sfid::sampler) sampler(op);
  if (op.sfid == Sfid::pixel_interpolator) op.coarse = PixelInterpolator{descriptor}.coarse();
  return op;
}

/// The count has one bit more below (Mesa brw_fs_nir.cpp, emit_tcs_barrier).
BarrierFields barrier(const uint32_t* header) {
  const BarrierHeader fields{header[2]};
  return {fields.barrier_id() % barrier_ids, fields.barrier_count_enable() ? fields.barrier_count() : 0};
}

}  // namespace softgen::eu::gen11

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/uniform_color.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstring>

#include "hw/eu/program/op.h"
#include "hw/render/fill.h"
#include "hw/render/raster.h"
#include "hw/render/thread_count.h"
#include "hw/render/windower.h"

namespace softgen::render {
namespace {

using eu::Instruction;
using eu::Opcode;
using eu::Operand;
using eu::RegFile;

constexpr size_t max_moves = 16;

/// Whether a register comes after the payload's per-pixel part (positions, barycentrics): it is the same for all pixels of an object.
bool uniform_register(const Operand& o, unsigned first) { return o.file == RegFile::grf && !o.indirect && o.reg >= first; }
/// A message's first payload is always in the GRF; for split sends Mesa leaves the register file's bits 0 (brw_eu_emit.c, brw_set_src0).
bool uniform_payload(const Operand& o, unsigned first) { return !o.indirect && o.reg >= first; }

/// Whether the instruction moves an initial uniform value. Registers that another move wrote are not accepted: it may have skipped
/// channels.
bool moves(const Instruction& i, unsigned first, std::bitset<128>& written) {
  if (i.opcode != Opcode::mov || i.pred_control || i.cond_mod || i.access_mode != eu::AccessMode::align1) return false;
  constexpr unsigned longest = 4;  // registers that a region may span
  if (!uniform_register(i.dst, first) || i.dst.hstride != 1 || i.exec_size > 16) return false;
  if (i.src[0].file != RegFile::imm) {
    if (!uniform_register(i.src[0], first)) return false;
    for (unsigned r = 0; r < longest; ++r)
      if (written[(i.src[0].reg + r) & 127]) return false;
  }
  for (unsigned r = 0; r < longest; ++r) written.set((i.dst.reg + r) & 127);
  return true;
}

/// It waits for instructions before it, which are finished here.
bool only_orders(const Instruction& i) { return i.opcode == Opcode::sync && !i.is_wait(); }

/// A final render target write: single source, SIMD8, SIMD16 or SIMD16 with a replicated colour, without a header.
bool sends_all(const eu::Op& op, unsigned first) {
  const Instruction& i = *op.instruction;
  const eu::OpcodeInfo* const row = i.info();
  if (!row || !op.message || i.pred_control || !i.end_of_thread) return false;
  const MessageOp& m = *op.message;
  const bool split = row->form == eu::Form::split_send;
  if (split && (i.ex_descriptor_in_register || (m.extended_length && !uniform_register(i.src[1], first)))) return false;
  return m.kind == MessageKind::render_target_write && !m.dual_source && !m.high_slots && !m.header && m.is_plain() &&
         i.exec_size == m.simd && uniform_payload(i.src[0], first);
}

/// What sends_one_color_behind_header() accepts as the end: a write whose first register is r0.
bool sends_behind_header(const eu::Op& op) {
  const Instruction& i = *op.instruction;
  if (!op.message || op.message->kind != MessageKind::render_target_write || i.pred_control || !i.end_of_thread) return false;
  const Operand& header = i.src[0];
  return header.file == RegFile::grf && !header.indirect && !header.reg && !header.subreg && !header.negate && !header.abs;
}

/// Whether the instruction moves to one register, `reg`, alone.
bool moves_to(const Instruction& i, unsigned reg) {
  const Operand& d = i.dst;
  return i.opcode == Opcode::mov && i.access_mode == eu::AccessMode::align1 && !i.cond_mod && d.file == RegFile::grf && !d.indirect &&
         d.reg == reg && d.subreg == 0 && d.hstride == 1 && i.exec_size * size_of(d.type) <= sizeof(Grf);
}

/// An initial uniform value or constant moved to registers behind the payload's per-pixel part. `written`: by such moves.
bool moves_uniform(const Instruction& i, unsigned first, std::bitset<256>& written) {
  if (i.opcode != Opcode::mov || i.pred_control || i.cond_mod || i.access_mode != eu::AccessMode::align1 || i.exec_size > 16) return false;
  constexpr unsigned longest = 4;  // registers that a region may span
  // The halves of a destination may be four registers apart.
  constexpr unsigned longest_result = 8;
  const auto& from = i.src[0];
  if (!uniform_register(i.dst, first) || i.dst.hstride != 1) return false;
  if (from.file != RegFile::imm) {
    if (!uniform_register(from, first) || from.reg + longest > eu::grf_count) return false;
    for (unsigned r = 0; r < longest; ++r)
      if (written[from.reg + r]) return false;
  }
  for (unsigned r = 0; r < longest_result; ++r) written.set((i.dst.reg + r) & 255);
  return true;
}

uint64_t area(const PixelRect& r) { return r.empty() ? 0 : static_cast<uint64_t>(r.x1 - r.x0) * static_cast<uint64_t>(r.y1 - r.y0); }

/// Stores `word` to those of the 4x4 pixels at `at` that are in `mask`; rows are `stride` bytes apart.
void store_part(std::byte* at, size_t stride, uint32_t mask, uint32_t word) {
  for (unsigned row = 0; row < 4; ++row, mask >>= 4)
    for (unsigned x = 0; x < 4; ++x)
      if (mask >> x & 1) std::memcpy(at + row * stride + 4 * x, &word, 4);
}
void store_line(std::byte* at, uint32_t word) {
  typedef uint32_t Four __attribute__((vector_size(16)));
  const Four four{word, word, word, word};
  for (unsigned i = 0; i < 4; ++i) std::memcpy(at + 16 * i, &four, sizeof four);
}

}  // namespace

bool sends_one_color(const eu::Program& program, unsigned first) {
  const auto lines = program.lines();
  std::bitset<128> written;
  size_t i = 0;
  while (i < std::min(lines.size(), max_moves) && (only_orders(lines[i].instruction) || moves(lines[i].instruction, first, written))) ++i;
  // Code after the end of the thread is not reached: there are no branches.
  return i < lines.size() && sends_all(program.ops()[i], first);
}

bool sends_one_color_behind_header(const eu::Program& program, unsigned first) {
  const auto ops = program.ops();
  const auto end = std::find_if(ops.begin(), ops.end(), [](const eu::Op& op) { return op.instruction->end_of_thread; });
  if (end == ops.end() || static_cast<size_t>(end - ops.begin()) > max_moves || !sends_behind_header(*end)) return false;
  const unsigned header = eu::grf_count + end->instruction->first_message + 1u;
  std::bitset<256> written;
  return std::all_of(ops.begin(), end,
                     [&](const eu::Op& op) { return moves_to(*op.instruction, header) || moves_uniform(*op.instruction, first, written); });
}

bool writes_only_targets(const eu::Program& program) {
  for (const eu::Op& op : program.ops()) {
    const Instruction& i = *op.instruction;
    const eu::OpcodeInfo* const row = i.info();
    if (!row || (row->form != eu::Form::send && row->form != eu::Form::split_send)) continue;
    switch (static_cast<Sfid>(i.sfid())) {
      case Sfid::null:
      case Sfid::sampler:
      case Sfid::pixel_interpolator:
      case Sfid::dp_constant: break;
      case Sfid::dp_render:
        if (!op.message || (op.message->kind != MessageKind::render_target_write && op.message->kind != MessageKind::render_target_read))
          return false;
        break;
      default: return false;
    }
  }
  return true;
}

void RenderTarget::fill_block(memory::View& view, uint32_t x, uint32_t y, uint32_t slice, uint64_t pixels, uint32_t word) const {
  for (unsigned py = 0; py < 8; py += 4)
    for (unsigned px = 0; px < 8; px += 4) {
      const uint32_t mask = part_mask(pixels, px, py);
      if (!mask) continue;
      const uint64_t at = level->address(x + px, y + py, slice);
      switch (surface.tiling) {
        case surface::Tiling::y:
        case surface::Tiling::yf: {
          std::byte* line = view.at_for_write(at);
          if (mask == 0xffff) store_line(line, word);
          else store_part(line, 16, mask, word);
          break;
        }
        case surface::Tiling::x: store_part(view.at_for_write(at), 512, mask, word); break;
        default:
          for (unsigned row = 0; row < 4; ++row)
            if (const uint32_t part = mask >> 4 * row & 15)
              store_part(view.at_for_write(level->address(x + px, y + py + row, slice)), 16, part, word);
      }
    }
}

/// Whether all covered pixels of object_ are written without tests, in blocks with one sample per pixel.
bool Windower::fills_uniformly() const {
  const DepthStencil& tests = draw_->depth_stencil;
  if (!early_ || stippled_ || tests.any_test() || tests.any_write() || draw_->state.pixel.per_sample) return false;
  for (const Coverage& part : object_->parts)
    if (!PartRaster(part, draw_->raster).by_blocks()) return false;
  return true;
}

/// Fills the part of object_ in `tile` if the kernel writes a single colour. False: it does not, and no pixel was drawn.
bool Windower::fill_object(const PixelRect& tile) {
  if (!fills_uniformly()) return false;
  const CapturedColor color = threads_.capture();
  if (!color.target) return false;
  uint64_t pixels = 0;
  ThreadCount threads(draw_->simd, squares_ ? WholeSquares::full : WholeSquares::none);
  for (const Coverage& part : object_->parts) pixels += fill_part(part, tile, color, threads);
  PixelTally& tally = context_.tally;
  tally.rasterized += pixels, tally.depth += pixels, tally.invocations += pixels, tally.filled += pixels;
  tally.add_threads(threads.threads(), *draw_->kernel.program);
  return true;
}

/// Returns the number of covered pixels, including those outside the target. `threads` adds up those that the
/// fill replaces.
uint64_t Windower::fill_part(const Coverage& part, const PixelRect& tile, const CapturedColor& color, ThreadCount& threads) {
  const RenderTarget& rt = *color.target;
  const PixelRect there{0, 0, static_cast<int32_t>(rt.level->extent().width), static_cast<int32_t>(rt.level->extent().height)};
  const bool has_layer = object_->layer < rt.surface.view_extent;
  const uint32_t slice = object_->layer + rt.surface.min_array_element;
  PartRaster raster(part, draw_->raster);
  PixelRect rect = tile;
  rect.clip(part.bounds);
  if (!rect.empty() && raster.covers(rect)) {
    const uint64_t pixels = area(rect);
    threads.add_rect(rect);
    rect.clip(there);
    if (!has_layer) return pixels;
    context_.tally.written += area(rect);
    fill(context_.view, rt.surface, *rt.level, rect, slice, 0, reinterpret_cast<const std::byte*>(&color.word),
         {draw_->stop, StopFlag::dropping});
    return pixels;
  }
  uint64_t pixels = 0;
  raster.each_block(tile, [&](uint32_t x, uint32_t y, uint64_t covered) {
    if (draw_->stop.aborting()) return false;
    const auto count = static_cast<uint64_t>(std::popcount(covered));
    pixels += count;
    threads.add_block(covered);
    if (!has_layer) return true;
    const uint64_t inside = covered & PartRaster::within(there, static_cast<int32_t>(x), static_cast<int32_t>(y));
    context_.tally.written += inside == covered ? count : static_cast<uint64_t>(std::popcount(inside));
    rt.fill_block(context_.view, x, y, slice, inside, color.word);
    return true;
  });
  return pixels;
}

}  // namespace softgen::render

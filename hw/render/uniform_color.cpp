// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/uniform_color.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstring>

#include "hw/eu/program/op.h"
#include "hw/render/covered_fill.h"
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

constexpr unsigned longest_region = 4;  // registers

/// Registers that moves have written.
struct Moved {
  unsigned registers;       ///< of the file, a power of two: an operand goes on at its begin
  unsigned longest_result;  ///< registers from a destination's first to its last
  std::bitset<256> written = {};
};

/// Whether the instruction moves an initial uniform value or a constant to registers behind the payload's per-pixel part. Registers that another move
/// wrote are not accepted: it may have skipped channels.
bool moves_uniform(const Instruction& i, unsigned first, Moved& moved) {
  if (i.opcode != Opcode::mov || i.pred_control || i.cond_mod || i.access_mode != eu::AccessMode::align1) return false;
  if (!uniform_register(i.dst, first) || i.dst.hstride != 1 || i.exec_size > 16) return false;
  const Operand& from = i.src[0];
  if (from.file != RegFile::imm) {
    if (!uniform_register(from, first)) return false;
    for (unsigned r = 0; r < longest_region; ++r)
      if (moved.written[(from.reg + r) % moved.registers]) return false;
  }
  for (unsigned r = 0; r < moved.longest_result; ++r) moved.written.set((i.dst.reg + r) % moved.registers);
  return true;
}

/// It waits for instructions before it, which are finished here.
bool only_orders(const Instruction& i) { return i.opcode == Opcode::sync && !i.is_wait(); }

/// A final write of colours that are the same for all pixels.
bool sends_all(const eu::Op& op, unsigned first) {
  if (!writes_plain_colors(op)) return false;
  const Instruction& i = *op.instruction;
  const bool split = i.info()->form == eu::Form::split_send;
  return !(split && op.message->extended_length && !uniform_register(i.src[1], first)) && uniform_payload(i.src[0], first);
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

/// What message registers hold when a thread starts differs from thread to thread.
bool reads_message_registers(const Instruction& i) {
  return i.src[0].file == RegFile::grf && i.src[0].reg + longest_region > eu::grf_count;
}

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
  Moved moved{.registers = eu::grf_count, .longest_result = longest_region};
  size_t i = 0;
  while (i < std::min(lines.size(), max_moves) && (only_orders(lines[i].instruction) || moves_uniform(lines[i].instruction, first, moved)))
    ++i;
  // Code after the end of the thread is not reached: there are no branches.
  return i < lines.size() && sends_all(program.ops()[i], first);
}

bool sends_one_color_behind_header(const eu::Program& program, unsigned first) {
  const auto ops = program.ops();
  const auto end = std::find_if(ops.begin(), ops.end(), [](const eu::Op& op) { return op.instruction->end_of_thread; });
  if (end == ops.end() || static_cast<size_t>(end - ops.begin()) > max_moves || !sends_behind_header(*end)) return false;
  const unsigned header = eu::grf_count + end->instruction->first_message + 1u;
  // The halves of a destination may be four registers apart.
  Moved moved{.registers = 2 * eu::grf_count, .longest_result = 2 * longest_region};
  return std::all_of(ops.begin(), end, [&](const eu::Op& op) {
    const Instruction& i = *op.instruction;
    return moves_to(i, header) || (!reads_message_registers(i) && moves_uniform(i, first, moved));
  });
}

bool writes_plain_colors(const eu::Op& op) {
  const Instruction& i = *op.instruction;
  if (!i.info() || !op.message || i.pred_control || !i.end_of_thread) return false;
  const MessageOp& m = *op.message;
  if (i.info()->form == eu::Form::split_send && i.ex_descriptor_in_register) return false;
  return m.kind == MessageKind::render_target_write && !m.dual_source && !m.high_slots && !m.header && m.is_plain() &&
         i.exec_size == m.simd;
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
bool Windower::writes_all_covered() const {
  const DepthStencil& tests = draw_->depth_stencil;
  if (stippled_ || tests.any_test() || tests.any_write() || draw_->state.pixel.per_sample) return false;
  for (const Coverage& part : object_->parts)
    if (!PartRaster(part, draw_->raster).by_blocks()) return false;
  return true;
}

/// Fills the part of object_ in `tile` if the kernel writes a single colour. False: it does not, and no pixel was drawn.
bool Windower::fill_object(const PixelRect& tile) {
  if (!early_ || !writes_all_covered()) return false;
  const CapturedColor color = threads_.capture();
  if (!color.target) return false;
  const RenderTarget& rt = *color.target;
  CoveredFill how{.view = context_.view, .target = rt, .slice = {}, .word = color.word, .stop = draw_->stop};
  if (object_->layer < rt.surface.view_extent) how.slice = object_->layer + rt.surface.min_array_element;
  FilledPixels all;
  ThreadCount threads(draw_->simd, squares_ ? WholeSquares::full : WholeSquares::none);
  for (const Coverage& part : object_->parts) {
    const FilledPixels filled = fill_covered(how, part, draw_->raster, tile, threads);
    all.covered += filled.covered, all.written += filled.written;
  }
  count_replaced(all.covered, all.written, threads);
  context_.tally.filled += all.covered;
  return true;
}

/// What `threads` would count that are replaced: their covered pixels, and those within the target.
void Windower::count_replaced(uint64_t covered, uint64_t written, const ThreadCount& threads) {
  PixelTally& tally = context_.tally;
  tally.rasterized += covered, tally.depth += covered, tally.invocations += covered, tally.written += written;
  tally.add_threads(threads.threads(), *draw_->kernel.program);
}

}  // namespace softgen::render

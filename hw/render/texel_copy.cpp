// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/texel_copy.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "hw/base/work.h"
#include "hw/eu/program/op.h"
#include "hw/render/raster.h"
#include "hw/render/symbolic_kernel.h"
#include "hw/render/thread_count.h"
#include "hw/render/tile_bins.h"
#include "hw/render/uniform_color.h"
#include "hw/render/windower.h"
#include "hw/surface/binding.h"

namespace softgen::render {
namespace {

using eu::Form;
using Kind = Symbol::Kind;

constexpr size_t max_ops = 32;
constexpr unsigned components = 4, pixels_of_quad = 4;

bool is_send(const eu::Op& op) {
  const eu::OpcodeInfo* const row = op.instruction->info();
  return row && (row->form == Form::send || row->form == Form::split_send);
}

unsigned registers_of(unsigned simd) { return simd / 8; }

/// The registers of a message's payload, whether it is split or not.
class Payload {
 public:
  explicit Payload(const eu::Op& op)
      : first_(op.instruction->src[0].reg), second_(op.instruction->src[1].reg), length_(op.message->length), split_(is_split(op)) {}
  unsigned reg(unsigned n) const { return n < length_ || !split_ ? first_ + n : second_ + n - length_; }

 private:
  static bool is_split(const eu::Op& op) { return op.instruction->info()->form == Form::split_send && op.message->extended_length; }
  const unsigned first_, second_, length_;
  const bool split_;
};

/// No register says what the message does, and all channels send.
bool is_fixed(const eu::Op& op) {
  const eu::Instruction& i = *op.instruction;
  return op.message && !op.pred && !op.message_registers && !i.ex_descriptor_in_register && !i.src[0].indirect && !i.src[1].indirect &&
         !op.message->header;
}

bool loads_texels(const eu::Op& op, unsigned simd) {
  const eu::Instruction& i = *op.instruction;
  if (!is_fixed(op) || i.end_of_thread || i.dst.indirect || i.dst.file != eu::RegFile::grf) return false;
  const MessageOp& m = *op.message;
  return m.sfid == Sfid::sampler && m.kind == MessageKind::load && m.sampled && m.simd == simd && i.exec_size == simd && op.shift == 0 &&
         m.response_length == components * registers_of(simd) && !m.returns_half && !m.half_parameters &&
         m.binding.index <= surface::last_table_index;
}

bool stores_colors(const eu::Op& op, unsigned simd) {
  return is_fixed(op) && writes_plain_colors(op) && !op.message->replicated && op.message->binding.index == 0 && op.message->simd == simd &&
         op.shift == 0;
}

/// The parameter `letter` of a load.
class Parameter {
 public:
  Parameter(const eu::Op& op, const SymbolicKernel& kernel, char letter, unsigned simd) : kernel_(kernel), payload_(op), simd_(simd) {
    place_ = op.message->sampled->positions[defs::parameter_letters.find(letter)];
    const unsigned length = op.message->length + op.message->extended_length;
    if (place_ != defs::no_parameter && (place_ + 1u) * registers_of(simd) > length) place_ = defs::no_parameter;
  }
  bool is_there() const { return place_ != defs::no_parameter; }
  Symbol at(unsigned channel) const {
    return kernel_.dword(payload_.reg(place_ * registers_of(simd_) + channel / 8), channel % 8, channel);
  }
  /// Of all channels: the coordinate of its pixel plus the same number. Nothing: it is something else.
  std::optional<int32_t> distance(Kind axis) const {
    std::optional<int32_t> result;
    for (unsigned c = 0; is_there() && c < simd_; ++c) {
      const Symbol s = at(c);
      const auto in_quad = static_cast<int32_t>(axis == Kind::quad_x ? c & 1 : c >> 1 & 1);
      const int32_t number = s.halves / 2 - in_quad;
      if (s.kind != axis || s.index != c / pixels_of_quad || (result && *result != number)) return std::nullopt;
      result = number;
    }
    return result;
  }
  /// Of all channels the same number that is not negative; 0 without the parameter.
  std::optional<uint32_t> number() const {
    if (!is_there()) return 0;
    const Symbol first = at(0);
    for (unsigned c = 0; c < simd_; ++c)
      if (at(c) != first || first.kind != Kind::constant || first.halves < 0) return std::nullopt;
    return static_cast<uint32_t>(first.halves / 2);
  }

 private:
  const SymbolicKernel& kernel_;
  const Payload payload_;
  const unsigned simd_;
  uint8_t place_;
};

std::optional<TexelSource> source_of(const eu::Op& op, const SymbolicKernel& kernel, unsigned simd) {
  const auto x = Parameter(op, kernel, 'u', simd).distance(Kind::quad_x), y = Parameter(op, kernel, 'v', simd).distance(Kind::quad_y);
  const auto slice = Parameter(op, kernel, 'r', simd).number(), level = Parameter(op, kernel, 'l', simd).number();
  if (!x || !y || !slice || !level) return std::nullopt;
  return TexelSource{op.message->binding, op.message->sampled->zero_lod ? 0 : *level, *slice, *x, *y};
}

/// Whether each channel writes the four components that it was given.
bool passes_on(const eu::Op& op, const SymbolicKernel& kernel, unsigned simd) {
  const Payload payload(op);
  for (unsigned c = 0; c < components; ++c)
    for (unsigned channel = 0; channel < simd; ++channel) {
      const Symbol s = kernel.dword(payload.reg(c * registers_of(simd) + channel / 8), channel % 8, channel);
      if (s != Symbol{.kind = Kind::texel, .index = static_cast<uint8_t>(channel), .halves = static_cast<int32_t>(c)}) return false;
    }
  return true;
}

/// Whether an element has no bits but its channels', and comes back with its bits when what ld makes of it is stored.
bool keeps_bits(const surface::Format& format) {
  if (format.kind != surface::FormatKind::plain || format.srgb || format.block_bytes() > sizeof(surface::Word4)) return false;
  unsigned bits = 0;
  for (unsigned c = 0; c < format.channels; ++c) {
    // A float holds the codes of up to 16 bits exactly.
    if (format.numeric == surface::Numeric::floating &&
        (format.channel[c].type != surface::ChannelType::unorm || format.channel[c].bits > 16))
      return false;
    bits += format.channel[c].bits;
  }
  return bits == format.block_bits;
}

/// Whether each component that the format stores is read as itself.
bool selects_stored(const surface::Surface& surface) {
  const auto as_themselves = surface::SurfaceWindow{}.select;
  for (size_t c = 0; c < as_themselves.size(); ++c)
    if (surface.format->output[c] >= 0 && surface.select[c] != as_themselves[c]) return false;
  return true;
}

}  // namespace

bool may_copy_texels(const eu::Program& program, unsigned simd) {
  const auto ops = program.ops();
  if (simd > 16 || ops.size() > max_ops) return false;
  unsigned sends = 0;
  for (const eu::Op& op : ops) {
    if (!is_send(op)) continue;
    if (++sends == 1 ? !loads_texels(op, simd) : !stores_colors(op, simd)) return false;
    // Code after the end of the thread is not reached.
    if (sends == 2) return true;
  }
  return false;
}

std::optional<TexelSource> find_texel_source(const PixelDraw& draw, const PreparedObject& object) {
  const SharedRegisters shared{draw.kernel.grf_start,
                               draw.kernel.constants,
                               {reinterpret_cast<const Grf*>(object.attributes.begin()), 2 * object.attributes.size()}};
  SymbolicKernel kernel(draw.simd, shared);
  std::optional<TexelSource> result;
  for (const eu::Op& op : draw.kernel.program->ops()) {
    if (!is_send(op)) {
      if (!kernel.execute(op)) return std::nullopt;
      continue;
    }
    if (op.instruction->end_of_thread) return passes_on(op, kernel, draw.simd) ? result : std::nullopt;
    if (!(result = source_of(op, kernel, draw.simd))) return std::nullopt;
    kernel.give(op.instruction->dst.reg, components);
  }
  return std::nullopt;
}

std::optional<CopyPlan> plan_copy(const surface::Surface& from, const RenderTarget& to, const TexelSource& source, const PixelRect& rect) {
  if (from.type != surface::SurfaceType::two_d || from.format != to.format || from.samples != 1 || from.aux != surface::AuxMode::none ||
      from.aux_mapped || from.field != surface::Field::none || source.level > from.mip_count)
    return std::nullopt;
  if (!keeps_bits(*from.format) || !selects_stored(from)) return std::nullopt;
  const uint32_t slices = from.array ? from.depth : 1, slice = from.array ? source.slice : 0;
  CopyPlan plan{surface::Level(from, from.min_lod + source.level), slice + from.min_array_element, source.x, source.y,
                from.format->block_bytes()};
  const auto width = static_cast<int32_t>(plan.from.extent().width), height = static_cast<int32_t>(plan.from.extent().height);
  if (slice >= slices || rect.x0 + plan.x < 0 || rect.y0 + plan.y < 0 || rect.x1 + plan.x > width || rect.y1 + plan.y > height)
    return std::nullopt;
  return plan;
}

void copy_texels(memory::View& view, const CopyPlan& plan, const RenderTarget& target, uint32_t slice, const PixelRect& rect) {
  constexpr uint64_t page = memory::View::page_size;
  for (int32_t y = rect.y0; y < rect.y1; ++y)
    for (int32_t x = rect.x0; x < rect.x1;) {
      const auto from_x = static_cast<uint32_t>(x + plan.x), from_y = static_cast<uint32_t>(y + plan.y), to_x = static_cast<uint32_t>(x);
      const uint64_t from = plan.from.address(from_x, from_y, plan.from_slice),
                     to = target.level->address(to_x, static_cast<uint32_t>(y), slice);
      const uint64_t size = std::min({uint64_t{plan.bytes} * static_cast<uint64_t>(rect.x1 - x), page - from % page, page - to % page,
                                      uint64_t{plan.from.piece(from_x * plan.bytes, plan.from_slice)},
                                      uint64_t{target.level->piece(to_x * plan.bytes, slice)}}) /
                            plan.bytes * plan.bytes;
      if (!size) {
        // A texel that crosses a page.
        std::array<std::byte, sizeof(surface::Word4)> texel;
        view.read(from, texel.data(), plan.bytes);
        view.write(to, texel.data(), plan.bytes);
        ++x;
        continue;
      }
      const std::byte* const source = view.at(from);
      std::memmove(view.at_for_write(to), source, size);
      x += static_cast<int32_t>(size / plan.bytes);
    }
}

/// Copies the part of object_ in `tile` if its pixels are texels, and there are many. False: they are not, and no pixel was drawn.
bool Windower::copy_object(const PixelRect& tile) {
  constexpr int64_t min_pixels = 128;
  if (object_->parts.size() != 1 || !writes_all_covered()) return false;
  const Coverage& part = object_->parts[0];
  PixelRect rect = tile;
  rect.clip(part.bounds);
  if (pixels_of(rect) < min_pixels || !PartRaster(part, draw_->raster).covers(rect)) return false;
  if (copied_of_ != object_) copied_of_ = object_, copied_ = find_texel_source(*draw_, *object_);
  if (!copied_) return false;
  const RenderTarget& target = draw_->targets[0];
  PixelRect inside = rect;
  inside.clip(target.bounds());
  if (inside.empty() || object_->layer >= target.surface.view_extent) return false;
  const auto plan = plan_copy(surface::cached_surface(context_.view, draw_->kernel.bases, copied_->binding), target, *copied_, inside);
  if (!plan) return false;
  copy_texels(context_.view, *plan, target, object_->layer + target.surface.min_array_element, inside);
  const auto covered = static_cast<uint64_t>(pixels_of(rect));
  ThreadCount threads(draw_->simd, squares_ ? WholeSquares::full : WholeSquares::none);
  threads.add_rect(rect);
  count_replaced(covered, static_cast<uint64_t>(pixels_of(inside)), threads);
  context_.tally.copied += covered;
  count_work(Work::pixels_sampled, covered);
  return true;
}

}  // namespace softgen::render

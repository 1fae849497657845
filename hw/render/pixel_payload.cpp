// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Pixel Shader Thread Payload"; SIMD32 as Mesa's brw_fs_thread_payload.cpp reads it: two halves of 16 one after the other.
#include <algorithm>
#include <bit>
#include <cstring>

#include "hw/base/bits.h"
#include "hw/render/pixel_stage.h"

namespace softgen::render {
namespace {

uint32_t as_dword(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }

CenterPlanes::Plane plane_of(const Plane2& p) { return {p.a, p.b, p.c}; }

}  // namespace

PixelWorker::Point PixelWorker::position(const PixelBatch& batch, unsigned pixel, Location location) const {
  const Point center{batch.x(pixel) + 0.5, batch.y(pixel) + 0.5};
  if (location == Location::pixel) return center;
  unsigned sample = batch.sample_id;
  if (location == Location::centroid) {
    // The pixel's centre when it is wholly covered (or not at all), else its first covered sample.
    const uint32_t all = (1u << draw_->raster.samples) - 1, covered = batch.coverage_of(pixel) & all;
    if (covered == all || covered == 0) return center;
    sample = static_cast<unsigned>(std::countr_zero(covered));
  }
  const auto& p = draw_->raster.sample_positions[sample];
  return {batch.x(pixel) + p[0] / double{subpixels}, batch.y(pixel) + p[1] / double{subpixels}};
}

PixelWorker::Point PixelWorker::barycentrics(const Point& at, bool linear) const {
  const auto& of = linear ? object_->linear : object_->perspective;
  const CenterPlanes::Plane i = plane_of(of[0]), j = plane_of(of[1]), w = plane_of(object_->one_over_w);
  const std::array<double, 4> x{at[0], at[0], at[0], at[0]}, y{at[1], at[1], at[1], at[1]};
  std::array<float, 4> i_there, j_there;
  kernels_.interpolate({i.data(), j.data(), linear ? nullptr : w.data()}, x.data(), y.data(), x.size(), i_there.data(), j_there.data());
  return {i_there[0], j_there[0]};
}

void PixelWorker::positions(const PixelBatch& batch, Location location, Positions& out) const {
  if (location == Location::pixel || !draw_->raster.off_center) {
    for (unsigned i = 0; i < draw_->simd; ++i) out.x[i] = batch.x(i) + 0.5, out.y[i] = batch.y(i) + 0.5;
    return;
  }
  for (unsigned i = 0; i < draw_->simd; ++i) {
    const Point at = position(batch, i, location);
    out.x[i] = at[0], out.y[i] = at[1];
  }
}

unsigned PixelWorker::put_barycentrics(const PixelBatch& batch, unsigned first, unsigned width, unsigned reg) {
  // Modes: perspective at the pixel, centroid, sample; then the same without perspective.
  const auto modes = uint32_t{draw_->state.pixel.barycentrics};
  Positions at;
  for (unsigned mode = 0; mode < 6; ++mode) {
    if (!(modes >> mode & 1)) continue;
    const auto& weights = mode >= 3 ? centers_.linear : centers_.perspective;
    const Planes planes{weights[0].data(), weights[1].data(), mode >= 3 ? nullptr : centers_.one_over_w.data()};
    positions(batch, static_cast<Location>(mode % 3), at);
    for (unsigned lane = 0; lane < width; lane += 8, reg += 2)
      kernels_.interpolate(planes, &at.x[first + lane], &at.y[first + lane], 8, reinterpret_cast<float*>(own(reg).dw),
                           reinterpret_cast<float*>(own(reg + 1).dw));
  }
  return reg;
}

namespace {

/// Where depth and W of the payload are evaluated.
Location zw_location(const PixelState& pixel) {
  return pixel.position_zw_at == Location::pixel && pixel.per_sample ? Location::sample : pixel.position_zw_at;
}

}  // namespace

/// What does not change from thread to thread of object_.
void PixelWorker::find_centers() {
  const PixelState& pixel = draw_->state.pixel;
  constexpr uint32_t at_centers = 011;
  CenterPlanes& c = centers_;
  c.modes = pixel.barycentrics;
  c.depth = pixel.source_depth, c.w = pixel.source_w;
  masks_ = pixel.position_offset || pixel.coverage != InputCoverage::none;
  all_at_centers_ = !draw_->raster.off_center || (!(c.modes & ~at_centers) && (!(c.depth || c.w) || zw_location(pixel) == Location::pixel));
  center_registers_ = c.registers(std::min(draw_->simd, 16u) / 4);
  if (!center_registers_) return;
  c.perspective = {plane_of(object_->perspective[0]), plane_of(object_->perspective[1])};
  c.linear = {plane_of(object_->linear[0]), plane_of(object_->linear[1])};
  c.one_over_w = plane_of(object_->one_over_w);
  c.z = plane_of(object_->z);
  const Viewport& viewport = draw_->raster.viewports[object_->viewport];
  c.bias = object_->depth_bias, c.low = viewport.min_depth, c.high = viewport.max_depth;
}

unsigned PixelWorker::put_half(const PixelBatch& batch, unsigned first, unsigned width, unsigned reg) {
  if (all_at_centers_) {
    const CenterThread thread{&batch.quads[first / 4], reinterpret_cast<float*>(own(reg).dw)};
    if (center_registers_) kernels_.center_planes(centers_, &thread, 1, width / 4);
    reg += center_registers_;
  } else {
    reg = put_planes(batch, first, width, reg);
  }
  return masks_ ? put_masks(batch, first, width, reg) : reg;
}

/// Barycentrics, depth and W wherever in a pixel they are asked for.
unsigned PixelWorker::put_planes(const PixelBatch& batch, unsigned first, unsigned width, unsigned reg) {
  const PixelState& pixel = draw_->state.pixel;
  reg = put_barycentrics(batch, first, width, reg);
  const Location where = zw_location(pixel);
  if (pixel.source_depth || pixel.source_w) {
    Positions at;
    positions(batch, where, at);
    if (pixel.source_depth) {
      const Viewport& viewport = draw_->raster.viewports[object_->viewport];
      const double low = viewport.min_depth, high = viewport.max_depth, bias = object_->depth_bias;
      for (unsigned lane = 0; lane < width; lane += 8) {
        auto* out = reinterpret_cast<float*>(own(reg++).dw);
        for (unsigned i = 0; i < 8; ++i) {
          const double z = object_->z.at(at.x[first + lane + i], at.y[first + lane + i]) + bias;
          out[i] = static_cast<float>(std::min(std::max(z, low), high));
        }
      }
    }
    if (pixel.source_w) {
      // As a barycentric that is one everywhere, times W.
      constexpr double one[] = {0, 0, 1};
      const double inverse[] = {object_->one_over_w.a, object_->one_over_w.b, object_->one_over_w.c};
      std::array<float, 8> again;
      for (unsigned lane = 0; lane < width; lane += 8)
        kernels_.interpolate({one, one, inverse}, &at.x[first + lane], &at.y[first + lane], 8, reinterpret_cast<float*>(own(reg++).dw),
                             again.data());
    }
  }
  return reg;
}

/// Offsets and coverage.
unsigned PixelWorker::put_masks(const PixelBatch& batch, unsigned first, unsigned width, unsigned reg) {
  const PixelState& pixel = draw_->state.pixel;
  if (pixel.position_offset) {
    // A byte pair a pixel: x and y in sixteenths.
    own(reg) = {};
    auto* bytes = reinterpret_cast<uint8_t*>(own(reg++).dw);
    for (unsigned i = 0; i < width; ++i) {
      const auto [x, y] = position(batch, first + i, pixel.position_offset_at);
      bytes[2 * i] = static_cast<uint8_t>((x - batch.x(first + i)) * 16);
      bytes[2 * i + 1] = static_cast<uint8_t>((y - batch.y(first + i)) * 16);
    }
  }
  if (pixel.coverage == InputCoverage::none) return reg;
  for (unsigned i = 0; i < width; ++i) own(reg + i / 8).dw[i % 8] = batch.coverage_of(first + i);
  return reg + width / 8;
}

/// r0 of all threads of object_.
void PixelWorker::put_object_header() {
  const Kernel& kernel = draw_->kernel;
  header_ = {};
  // Mesa's gl_FrontFacing negates the low word: it needs the topology in it not to be zero.
  header_.dw[0] = uint32_t{object_->viewport} << 27 | (object_->layer & 0x7ff) << 16 | (object_->front ? 0u : 1u << 15) | draw_->topology;
  header_.dw[3] = kernel.bases.sampler_state;
  eu::put_scratch(header_, kernel.scratch_base, kernel.scratch_size, slot_);
  find_centers();
  const eu::SeriesLayout now = layout();
  if (now == layout_ && waiting_) return;
  run_threads();
  layout_ = now;
  own_registers_ = own_registers();
  if (payloads_.size() < size_t{most_threads} * own_registers_) payloads_.resize(size_t{most_threads} * own_registers_);
}

void PixelWorker::put_header(const PixelBatch& batch) {
  own(0) = header_;
  if (batch.square) {
    // All lit, whatever the shader is told of coverage besides: r1 says of them that all run.
    constexpr uint32_t first[2] = {0, 0}, rest[2] = {0, 0xffffffff};
    std::memcpy(own(1).dw, first, sizeof first);
    std::memcpy(own(1).dw + 2, batch.quads.data(), 4 * sizeof(uint32_t));
    std::memcpy(own(1).dw + 6, rest, sizeof rest);
    return;
  }
  // With one sample a pixel Mesa takes the pixel mask for the coverage mask (nir_lower_single_sampled), also where that is the inner one.
  const bool inner = draw_->state.pixel.coverage == InputCoverage::inner_conservative;
  const uint32_t told = inner ? batch.lit & batch.told : batch.lit;
  for (unsigned first = 0; first < draw_->simd; first += 16) {
    const uint32_t* quads = &batch.quads[first / 4];
    const bool both = draw_->simd >= 16;
    own(1 + first / 16) = {{batch.sample_id * (both ? 0x1111u : 0x11u), 0, quads[0], quads[1], both ? quads[2] : 0, both ? quads[3] : 0, 0,
                            (told >> first & 0xffff) | batch.lit >> first << 16}};
  }
}

eu::SeriesLayout PixelWorker::layout() const {
  const Kernel& kernel = draw_->kernel;
  const size_t constants = std::clamp<size_t>(kernel.grf_start, 1, eu::grf_count),
               attributes = std::min<size_t>(constants + kernel.constants.size(), eu::grf_count);
  const size_t end = std::min<size_t>(attributes + 2 * object_->attributes.size(), eu::grf_count);
  return {static_cast<uint8_t>(constants), static_cast<uint8_t>(attributes), static_cast<uint8_t>(end)};
}

/// Registers of a payload, or more.
unsigned PixelWorker::own_registers() const {
  const unsigned width = std::min(draw_->simd, 16u), each = width / 8;
  const unsigned half = each * (2 * static_cast<unsigned>(std::popcount(centers_.modes)) + centers_.depth + centers_.w + 1) + 1;
  return std::max<unsigned>(layout_.constants, 3 + draw_->simd / width * half);
}

void PixelWorker::put_payload(PixelBatch& batch) {
  put_header(batch);
  const unsigned width = std::min(draw_->simd, 16u);
  unsigned reg = draw_->simd == 32 ? 3 : 2;
  for (unsigned first = 0; first < draw_->simd; first += width) reg = put_half(batch, first, width, reg);
  for (; reg < layout_.constants; ++reg) own(reg) = {};
}

/// put_payload() of those from made_ on, of at most 16 pixels that need nothing but what is at their centres.
void PixelWorker::put_plain_payloads() {
  std::array<CenterThread, most_threads> threads;
  size_t count = 0;
  const unsigned first = 2 + center_registers_;
  for (; made_ < waiting_; ++made_) {
    PixelBatch& thread = threads_[made_];
    thread.own = payload_ = &payloads_[size_t{made_} * own_registers_];
    thread.attributes = reinterpret_cast<const Grf*>(object_->attributes.begin());
    put_header(thread);
    threads[count++] = {thread.quads.data(), reinterpret_cast<float*>(own(2).dw)};
    for (unsigned reg = first; reg < layout_.constants; ++reg) own(reg) = {};
  }
  if (center_registers_) kernels_.center_planes(centers_, threads.data(), count, draw_->simd / 4);
}

/// Of the threads of object_ that have none.
void PixelWorker::put_payloads() {
  if (made_ == waiting_) return;
  control_->restore();
  if (all_at_centers_ && !masks_ && draw_->simd <= 16) return put_plain_payloads();
  for (; made_ < waiting_; ++made_) {
    PixelBatch& thread = threads_[made_];
    thread.own = payload_ = &payloads_[size_t{made_} * own_registers_];
    thread.attributes = reinterpret_cast<const Grf*>(object_->attributes.begin());
    put_payload(thread);
  }
}

SendResult PixelWorker::interpolate(const Message& message) {
  // SKL PRM vol 7, "Pixel Interpolator".
  const PixelBatch& batch = running();
  const MessageOp& op = message.op;
  const uint32_t data = op.data;
  const unsigned width = op.simd, first = op.high_slots ? width : 0, halves = width / 8;
  const auto sixteenths = [](uint32_t value) { return static_cast<double>(sign_extend(value & 15, 4)) / 16; };
  const size_t payload_at = message.header_present() ? 1 : 0;
  const auto offset = [&](unsigned component, unsigned lane) {
    return sixteenths(message.reg(payload_at + component * halves + lane / 8).dw[lane % 8]);
  };
  for (unsigned i = 0; i < width; ++i) {
    const unsigned pixel = first + i;
    if (!(message.exec_mask >> i & 1) || pixel >= draw_->simd) continue;
    Point at{batch.x(pixel) + 0.5, batch.y(pixel) + 0.5};
    switch (op.kind) {
      case MessageKind::interpolate_offset: at[0] += sixteenths(data), at[1] += sixteenths(data >> 4); break;
      case MessageKind::interpolate_sample: {
        const auto& p = draw_->raster.sample_positions[(data >> 4) % max_samples];
        at = {batch.x(pixel) + p[0] / double{subpixels}, batch.y(pixel) + p[1] / double{subpixels}};
        break;
      }
      case MessageKind::interpolate_centroid: at = position(batch, pixel, Location::centroid); break;
      default: at[0] += offset(0, i), at[1] += offset(1, i); break;
    }
    const Point b = barycentrics(at, op.linear);
    for (unsigned k = 0; k < 2; ++k) {
      const size_t reg = i / 8 * 2 + k;  // of eight pixels both, as in the payload (Mesa brw_fs.cpp, lower_barycentrics)
      if (reg < message.response.size()) message.response[reg].dw[i % 8] = as_dword(b[k]);
    }
  }
  return SendResult::done;
}

}  // namespace softgen::render

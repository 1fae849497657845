// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Pixel Shader Thread Payload"; SIMD32 as Mesa's brw_fs_thread_payload.cpp reads it: two halves of 16 one after the other.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>

#include "hw/base/bits.h"
#include "hw/render/pixel_payload.h"

namespace softgen::render {
namespace {

uint32_t as_dword(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }

CenterPlanes::Plane plane_of(const Plane2& p) { return {p.a, p.b, p.c}; }

}  // namespace

PayloadWriter::Point PayloadWriter::position(const PixelThread& thread, unsigned pixel, Location location) const {
  const Point center{thread.center_x(pixel), thread.center_y(pixel)};
  if (location == Location::pixel) return center;
  if (thread.coarse) return location == Location::centroid ? coarse_centroid(thread, pixel) : center;
  unsigned sample = thread.sample_id;
  if (location == Location::centroid) {
    // The pixel's centre when it is wholly covered (or not at all), else its first covered sample.
    const uint32_t all = (1u << draw_->raster.samples) - 1, covered = thread.coverage_of(pixel) & all;
    if (covered == all || covered == 0) return center;
    sample = static_cast<unsigned>(std::countr_zero(covered));
  }
  const auto& p = draw_->raster.sample_positions[sample];
  return {thread.x(pixel) + p[0] / double{subpixels}, thread.y(pixel) + p[1] / double{subpixels}};
}

PayloadWriter::Point PayloadWriter::barycentrics(const PreparedObject& object, const Point& at, bool linear) const {
  const auto& of = linear ? object.linear() : object.perspective;
  const CenterPlanes::Plane i = plane_of(of[0]), j = plane_of(of[1]), w = plane_of(object.one_over_w);
  const std::array<double, 4> x{at[0], at[0], at[0], at[0]}, y{at[1], at[1], at[1], at[1]};
  std::array<float, 4> i_there, j_there;
  kernels_.interpolate({i.data(), j.data(), linear ? nullptr : w.data()}, x.data(), y.data(), x.size(), i_there.data(), j_there.data());
  return {i_there[0], j_there[0]};
}

void PayloadWriter::positions(const PixelThread& thread, Location location, Positions& out) const {
  if (location == Location::pixel || (!draw_->raster.off_center && !draw_->coarse)) {
    for (unsigned i = 0; i < draw_->simd; ++i) out.x[i] = thread.center_x(i), out.y[i] = thread.center_y(i);
    return;
  }
  for (unsigned i = 0; i < draw_->simd; ++i) {
    const Point at = position(thread, i, location);
    out.x[i] = at[0], out.y[i] = at[1];
  }
}

unsigned PayloadWriter::put_barycentrics(const PixelThread& thread, unsigned first, unsigned width, unsigned reg) {
  // Modes: perspective at the pixel, centroid, sample; then the same without perspective.
  const auto modes = uint32_t{draw_->state.pixel.inputs.barycentrics};
  Positions at;
  for (unsigned mode = 0; mode < 6; ++mode) {
    if (!(modes >> mode & 1)) continue;
    const auto& weights = mode >= 3 ? centers_.linear : centers_.perspective;
    const Planes planes{weights[0].data(), weights[1].data(), mode >= 3 ? nullptr : centers_.one_over_w.data()};
    positions(thread, static_cast<Location>(mode % 3), at);
    for (unsigned lane = 0; lane < width; lane += 8, reg += 2)
      kernels_.interpolate(planes, &at.x[first + lane], &at.y[first + lane], 8, reinterpret_cast<float*>(own(reg).dw),
                           reinterpret_cast<float*>(own(reg + 1).dw));
  }
  return reg;
}

namespace {

/// Where depth and W of the payload are evaluated.
Location zw_location(const PixelState& pixel) {
  return pixel.inputs.zw_at == Location::pixel && pixel.per_sample ? Location::sample : pixel.inputs.zw_at;
}

}  // namespace

/// What is the same for all threads of object_.
void PayloadWriter::find_centers() {
  const PixelState& pixel = draw_->state.pixel;
  constexpr uint32_t at_centers = 011, without_perspective = 070;
  CenterPlanes& c = centers_;
  c.modes = pixel.inputs.barycentrics;
  c.depth = pixel.inputs.depth, c.w = pixel.inputs.w;
  masks_ = pixel.inputs.offset || pixel.inputs.coverage != InputCoverage::none;
  coefficients_ = pixel.inputs.coefficients.any();
  all_at_centers_ = !draw_->coarse && (!draw_->raster.off_center ||
                                       (!(c.modes & ~at_centers) && (!(c.depth || c.w) || zw_location(pixel) == Location::pixel)));
  center_registers_ = c.registers(std::min(draw_->simd, 16u) / 4);
  if (!center_registers_) return;
  c.perspective = {plane_of(object_->perspective[0]), plane_of(object_->perspective[1])};
  if (const std::array<Plane2, 2>& linear = object_->linear(); c.modes & without_perspective)
    c.linear = {plane_of(linear[0]), plane_of(linear[1])};
  c.one_over_w = plane_of(object_->one_over_w);
  c.z = plane_of(object_->z);
  const Viewport& viewport = draw_->raster.viewports[object_->viewport];
  c.bias = object_->depth_bias, c.low = viewport.min_depth, c.high = viewport.max_depth;
}

unsigned PayloadWriter::put_half(const PixelThread& thread, unsigned first, unsigned width, unsigned reg) {
  if (all_at_centers_) {
    const CenterThread centers{&thread.quads[first / 4], reinterpret_cast<float*>(own(reg).dw)};
    if (center_registers_) kernels_.center_planes(centers_, &centers, 1, width / 4);
    reg += center_registers_;
  } else {
    reg = put_planes(thread, first, width, reg);
  }
  return masks_ ? put_masks(thread, first, width, reg) : reg;
}

/// Barycentrics, depth and W wherever in a pixel they are asked for.
unsigned PayloadWriter::put_planes(const PixelThread& thread, unsigned first, unsigned width, unsigned reg) {
  const PixelState& pixel = draw_->state.pixel;
  reg = put_barycentrics(thread, first, width, reg);
  if (!pixel.inputs.depth && !pixel.inputs.w) return reg;
  Positions at;
  positions(thread, zw_location(pixel), at);
  if (pixel.inputs.depth) reg = put_depth(at, first, width, reg);
  return pixel.inputs.w ? put_w(at, first, width, reg) : reg;
}

unsigned PayloadWriter::put_depth(const Positions& at, unsigned first, unsigned width, unsigned reg) {
  const Viewport& viewport = draw_->raster.viewports[object_->viewport];
  const double low = viewport.min_depth, high = viewport.max_depth, bias = object_->depth_bias;
  for (unsigned lane = 0; lane < width; lane += 8) {
    auto* out = reinterpret_cast<float*>(own(reg++).dw);
    for (unsigned i = 0; i < 8; ++i) {
      const double z = object_->z.at(at.x[first + lane + i], at.y[first + lane + i]) + bias;
      out[i] = static_cast<float>(std::min(std::max(z, low), high));
    }
  }
  return reg;
}

unsigned PayloadWriter::put_w(const Positions& at, unsigned first, unsigned width, unsigned reg) {
  // As a barycentric that is one everywhere, times W.
  constexpr double one[] = {0, 0, 1};
  const double inverse[] = {object_->one_over_w.a, object_->one_over_w.b, object_->one_over_w.c};
  std::array<float, 8> unused;
  for (unsigned lane = 0; lane < width; lane += 8)
    kernels_.interpolate({one, one, inverse}, &at.x[first + lane], &at.y[first + lane], 8, reinterpret_cast<float*>(own(reg++).dw),
                         unused.data());
  return reg;
}

/// Offsets and coverage.
unsigned PayloadWriter::put_masks(const PixelThread& thread, unsigned first, unsigned width, unsigned reg) {
  const PixelState& pixel = draw_->state.pixel;
  if (pixel.inputs.offset) {
    // A pair of bytes per pixel: x and y in sixteenths.
    own(reg) = {};
    auto* bytes = reinterpret_cast<uint8_t*>(own(reg++).dw);
    for (unsigned i = 0; i < width; ++i) {
      const auto [x, y] = position(thread, first + i, pixel.inputs.offset_at);
      bytes[2 * i] = static_cast<uint8_t>((x - thread.x(first + i)) * 16);
      bytes[2 * i + 1] = static_cast<uint8_t>((y - thread.y(first + i)) * 16);
    }
  }
  if (pixel.inputs.coverage == InputCoverage::none) return reg;
  for (unsigned i = 0; i < width; ++i) own(reg + i / 8).dw[i % 8] = coverage(thread, first + i);
  return reg + width / 8;
}

/// r0 and r1.1 of all threads of object_.
void PayloadWriter::put_object_header() {
  const Kernel& kernel = draw_->kernel;
  header_ = {};
  // Mesa's gl_FrontFacing negates the low word: it needs the topology in it not to be zero.
  const uint32_t said =
      uint32_t{object_->viewport} << 27 | (object_->layer & 0x7ff) << 16 | (object_->front ? 0u : 1u << 15) | draw_->topology;
  second_header_ = 0;
  (draw_->state.pixel.inputs.object_in_r1 ? second_header_ : header_.dw[0]) = said;
  header_.dw[3] = kernel.bases.sampler_state;
  eu::put_scratch(header_, kernel.scratch_base, kernel.scratch_size, slot_);
}

eu::SeriesLayout PayloadWriter::begin(const PreparedObject& object) {
  object_ = &object;
  put_object_header();
  find_centers();
  const Kernel& kernel = draw_->kernel;
  const size_t constants = std::clamp<size_t>(kernel.grf_start, 1, eu::grf_count),
               attributes = std::min<size_t>(constants + kernel.constants.size(), eu::grf_count);
  const size_t end = std::min<size_t>(attributes + 2 * object_->attributes.size(), eu::grf_count);
  object_planes_ = FoundPlanes::unknown;
  const bool planes = constants == eu::first_barycentric + eu::barycentric_registers && leaves_squares();
  return {static_cast<uint8_t>(constants), static_cast<uint8_t>(attributes), static_cast<uint8_t>(end), planes};
}

/// Whether squares' payloads are headers and barycentrics of one mode, which compiled code computes itself.
bool PayloadWriter::leaves_squares() const {
  constexpr uint32_t with_perspective = 7;
  return only_centers() && draw_->simd == 16 && !centers_.depth && !centers_.w && std::popcount(centers_.modes) == 1 &&
         (centers_.modes & with_perspective);
}

namespace {

/// So that sums of the plane's terms are zero or far from denormals, also after cancellation: they are multiples of the smallest term's last bit.
bool is_moderate(const CenterPlanes::Plane& plane) {
  return std::all_of(plane.begin(), plane.end(), [](double v) { return v == 0 || (std::abs(v) >= 0x1p-70 && std::abs(v) <= 0x1p100); });
}

}  // namespace

void PayloadWriter::find_planes() {
  object_planes_ = FoundPlanes::none;
  const CenterPlanes& c = centers_;
  const CenterPlanes::Plane* const from[] = {&c.one_over_w, &c.perspective[0], &c.perspective[1]};
  if (!std::all_of(std::begin(from), std::end(from), [](const auto* p) { return is_moderate(*p); })) return;
  object_planes_ = FoundPlanes::there;
  last_planes_ = (last_planes_ + 1) % planes_.size();
  eu::BarycentricPlanes& out = planes_[last_planes_];
  kernels_.square_steps(c, reinterpret_cast<float(*)[16]>(out.steps.data()));
  out.same_w = c.one_over_w[0] == 0 && c.one_over_w[1] == 0;
  if (out.same_w) out.w = 1.0f / (static_cast<float>(c.one_over_w[2]) + out.steps[0][0]);
}

void PayloadWriter::reserve(const eu::SeriesLayout& layout, size_t threads) {
  layout_ = layout;
  own_registers_ = own_registers();
  if (payloads_.size() < threads * own_registers_) payloads_.resize(threads * own_registers_);
}

namespace {

/// In place of the sample numbers (Mesa's brw_fs_visitor.cpp, emit_interpolation_setup).
uint32_t coarse_extent(const PixelThread& thread) { return 1u << thread.log2_width | 1u << thread.log2_height << 8; }

}  // namespace

void PayloadWriter::put_header(const PixelThread& thread) {
  own(0) = header_;
  if (thread.square) {
    // All are live, whatever the coverage that the shader sees elsewhere: the masks of r1 are full.
    const uint32_t first[2] = {0, second_header_};
    constexpr uint32_t rest[2] = {0, 0xffffffff};
    std::memcpy(own(1).dw, first, sizeof first);
    std::memcpy(own(1).dw + 2, thread.quads.data(), 4 * sizeof(uint32_t));
    std::memcpy(own(1).dw + 6, rest, sizeof rest);
    return;
  }
  // With one sample per pixel Mesa takes the pixel mask for the coverage mask (nir_lower_single_sampled), also where that is the inner one.
  const bool inner = draw_->state.pixel.inputs.coverage == InputCoverage::inner_conservative;
  const uint32_t pixels = inner ? thread.live & thread.covered : thread.live;
  for (unsigned first = 0; first < draw_->simd; first += 16) {
    const uint32_t* quads = &thread.quads[first / 4];
    const bool both = draw_->simd >= 16;
    const uint32_t ids = thread.sample_id * (both ? 0x1111u : 0x11u);
    // That of SIMD32's second half is not read: messages take the first one (Mesa brw_lower_logical_sends.cpp, header of target reads).
    own(1 + first / 16) = {{thread.coarse ? coarse_extent(thread) : ids, second_header_, quads[0], quads[1], both ? quads[2] : 0,
                            both ? quads[3] : 0, 0, (pixels >> first & 0xffff) | thread.live >> first << 16}};
  }
}

/// Registers of a payload, or more.
unsigned PayloadWriter::own_registers() const {
  if (only_centers()) return std::max<unsigned>(layout_.constants, 2 + center_registers_);
  const unsigned width = std::min(draw_->simd, 16u), each = width / 8;
  const unsigned half = each * (2 * static_cast<unsigned>(std::popcount(centers_.modes)) + centers_.depth + centers_.w + 1) + 1;
  constexpr unsigned coefficients = 5;
  return std::max<unsigned>(layout_.constants, 3 + draw_->simd / width * half + coefficients);
}

void PayloadWriter::put_payload(const PixelThread& thread) {
  put_header(thread);
  const unsigned width = std::min(draw_->simd, 16u);
  unsigned reg = draw_->simd == 32 ? 3 : 2;
  for (unsigned first = 0; first < draw_->simd; first += width) reg = put_half(thread, first, width, reg);
  if (coefficients_) reg = put_coefficients(thread, reg);
  for (; reg < layout_.constants; ++reg) own(reg) = {};
}

/// `thread` gets the payload of this number, and what all threads of object_ share.
void PayloadWriter::assign(PixelThread& thread, size_t number) {
  thread.own = payload_ = &payloads_[number * own_registers_];
  thread.planes = nullptr;
  thread.attributes = reinterpret_cast<const Grf*>(object_->attributes.begin());
}

/// write() of threads of at most 16 pixels whose payloads are evaluated at the centres only.
void PayloadWriter::write_at_centers(std::span<PixelThread> threads, size_t first) {
  std::array<CenterThread, max_threads> centers;
  size_t count = 0;
  const unsigned first_unused = 2 + center_registers_;
  const auto* const attributes = reinterpret_cast<const Grf*>(object_->attributes.begin());
  Grf* payload = &payloads_[first * own_registers_];
  if (first == 0 && object_planes_ == FoundPlanes::unknown) last_planes_ = 0;
  const auto added = threads.subspan(first);
  const eu::BarycentricPlanes* planes = nullptr;
  for (PixelThread& thread : added) {
    thread.own = payload_ = payload;
    payload += own_registers_;
    thread.attributes = attributes;
    thread.planes = thread.square && layout_.has_planes ? planes_of_object() : nullptr;
    if (thread.planes) {
      planes = thread.planes;
      continue;
    }
    put_header(thread);
    centers[count++] = {thread.quads.data(), reinterpret_cast<float*>(payload_[2].dw)};
    for (unsigned reg = first_unused; reg < layout_.constants; ++reg) payload_[reg] = {};
  }
  // Where some threads are no squares, their corners are not used.
  if (planes)
    kernels_.square_corners(centers_, {added.front().quads.data(), added.front().corner.data(), sizeof(PixelThread), added.size()});
  if (center_registers_ && count) kernels_.center_planes(centers_, centers.data(), count, draw_->simd / 4);
}

void PayloadWriter::write(std::span<PixelThread> threads, size_t first) {
  if (only_centers()) return write_at_centers(threads, first);
  for (size_t i = first; i < threads.size(); ++i) {
    assign(threads[i], i);
    put_payload(threads[i]);
  }
}

void PayloadWriter::write_rest(std::span<PixelThread> threads, bool all) {
  const PreparedObject& current = *object_;
  for (PixelThread& thread : threads) {
    if (!thread.planes) continue;
    if (thread.object != object_) begin(*thread.object);
    payload_ = payloads_.data() + (thread.own - payloads_.data());
    put_header(thread);
    const CenterThread centers{thread.quads.data(), reinterpret_cast<float*>(own(eu::first_barycentric).dw)};
    if (all) kernels_.center_planes(centers_, &centers, 1, draw_->simd / 4);
  }
  if (&current != object_) begin(current);
}

SendResult PayloadWriter::interpolate(const PixelThread& thread, const Message& message) const {
  const MessageOp& op = message.op;
  const uint32_t data = op.data;
  const unsigned width = op.simd, first = op.high_slots ? width : 0, halves = width / 8;
  const bool coarse = op.coarse && thread.coarse;
  // The form of coarse pixels that it would have is reserved, and hangs (Mesa's brw_compile_fs.cpp).
  if (coarse && op.kind == MessageKind::interpolate_sample) return SendResult::failed;
  const auto sixteenths = [](uint32_t value) { return static_cast<double>(sign_extend(value & 15, 4)) / 16; };
  const double unit_x = coarse ? 1u << thread.log2_width : 1, unit_y = coarse ? 1u << thread.log2_height : 1;
  const size_t payload_at = message.header_present() ? 1 : 0;
  const auto offset = [&](unsigned component, unsigned lane) {
    return sixteenths(message.reg(payload_at + component * halves + lane / 8).dw[lane % 8]);
  };
  for (unsigned i = 0; i < width; ++i) {
    const unsigned pixel = first + i;
    if (!(message.exec_mask >> i & 1) || pixel >= draw_->simd) continue;
    Point at{thread.center_x(pixel), thread.center_y(pixel)};
    switch (op.kind) {
      case MessageKind::interpolate_offset: at[0] += sixteenths(data) * unit_x, at[1] += sixteenths(data >> 4) * unit_y; break;
      case MessageKind::interpolate_sample: {
        const auto& p = draw_->raster.sample_positions[(data >> 4) % max_samples];
        at = {thread.x(pixel) + p[0] / double{subpixels}, thread.y(pixel) + p[1] / double{subpixels}};
        break;
      }
      case MessageKind::interpolate_centroid: at = position(thread, pixel, Location::centroid); break;
      default: at[0] += offset(0, i) * unit_x, at[1] += offset(1, i) * unit_y; break;
    }
    const Point b = barycentrics(*thread.object, at, op.linear);
    for (unsigned k = 0; k < 2; ++k) {
      const size_t reg = i / 8 * 2 + k;  // of eight pixels both, as in the payload (Mesa brw_fs.cpp, lower_barycentrics)
      if (reg < message.response.size()) message.response[reg].dw[i % 8] = as_dword(b[k]);
    }
  }
  return SendResult::done;
}

}  // namespace softgen::render

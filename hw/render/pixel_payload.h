// SPDX-License-Identifier: GPL-2.0-or-later
// Payloads of pixel shader threads, and the pixel interpolator, which evaluates what payloads hold at other places.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "hw/render/pixel_kernels.h"
#include "hw/render/pixel_thread.h"

namespace softgen::render {

class PayloadWriter {
 public:
  /// `slot`: number of the host thread, for scratch space.
  explicit PayloadWriter(unsigned slot) : slot_(slot) {}

  /// What follows is of this draw.
  void begin(const PixelDraw& draw) { draw_ = &draw; }
  /// What follows is of this object. Returns where its threads' registers come from.
  eu::SeriesLayout begin(const PreparedObject& object);
  /// Room for `threads` payloads with the layout that begin() gave last. What write() wrote before is lost.
  void reserve(const eu::SeriesLayout& layout, size_t threads);
  /// Writes the payloads of `threads`, all of the object, from number `first` on. Squares may get planes instead.
  void write(std::span<PixelThread> threads, size_t first);
  /// Writes the headers of those of `threads` (of the draw's) that got planes, or with `all` their whole payloads.
  void write_rest(std::span<PixelThread> threads, bool all);

  /// A message to the pixel interpolator (SKL PRM vol 7, "Pixel Interpolator").
  SendResult interpolate(const PixelThread& thread, const Message& message) const;

 private:
  using Point = std::array<double, 2>;
  struct Positions {
    alignas(32) std::array<double, max_pixels> x, y;
  };

  void find_centers();
  void put_object_header();
  Grf& own(unsigned reg) { return payload_[reg]; }
  unsigned own_registers() const;
  /// Payloads have headers and what centers_ fills, of at most 16 pixels.
  bool only_centers() const { return all_at_centers_ && !masks_ && !coefficients_ && draw_->simd <= 16; }
  bool leaves_squares() const;
  /// Null: compiled code, with MXCSR.DAZ, might compute other bits.
  const eu::BarycentricPlanes* planes_of_object() {
    if (object_planes_ == FoundPlanes::unknown) find_planes();
    return object_planes_ == FoundPlanes::there ? &planes_[last_planes_] : nullptr;
  }
  void find_planes();
  void assign(PixelThread& thread, size_t number);
  void write_at_centers(std::span<PixelThread> threads, size_t first);
  void put_payload(const PixelThread& thread);
  void put_header(const PixelThread& thread);
  unsigned put_half(const PixelThread& thread, unsigned first, unsigned width, unsigned reg);
  unsigned put_planes(const PixelThread& thread, unsigned first, unsigned width, unsigned reg);
  unsigned put_depth(const Positions& at, unsigned first, unsigned width, unsigned reg);
  unsigned put_w(const Positions& at, unsigned first, unsigned width, unsigned reg);
  unsigned put_masks(const PixelThread& thread, unsigned first, unsigned width, unsigned reg);
  unsigned put_coefficients(const PixelThread& thread, unsigned reg);
  void put_start();
  Point start() const { return {static_cast<double>(object_->bounds.x0), static_cast<double>(object_->bounds.y0)}; }
  void put_plane(Grf& to, unsigned first, const Plane2& plane) const;
  Point coarse_centroid(const PixelThread& thread, unsigned pixel) const;
  uint32_t coverage(const PixelThread& thread, unsigned pixel) const;
  unsigned put_barycentrics(const PixelThread& thread, unsigned first, unsigned width, unsigned reg);
  void positions(const PixelThread& thread, Location location, Positions& out) const;
  Point position(const PixelThread& thread, unsigned pixel, Location location) const;
  Point barycentrics(const PreparedObject& object, const Point& at, bool linear) const;

  const PixelKernels& kernels_ = pixel_kernels();
  const unsigned slot_;
  const PixelDraw* draw_ = nullptr;
  const PreparedObject* object_ = nullptr;
  CenterPlanes centers_;           ///< of object_
  bool masks_ = false;             ///< payloads have offsets or coverage
  bool coefficients_ = false;      ///< payloads end with coefficients
  unsigned center_registers_ = 0;  ///< that centers_ fills, of eight or sixteen pixels
  bool all_at_centers_ = false;    ///< payloads are evaluated at the centres only
  Grf header_;                     ///< r0 of object_'s threads
  uint32_t second_header_ = 0;     ///< and r1.1
  eu::SeriesLayout layout_;
  std::array<eu::BarycentricPlanes, max_threads> planes_;  ///< of the objects whose squares wait for a run, and of the last one
  size_t last_planes_ = 0;
  /// Whether planes_[last_planes_] are those of object_.
  enum class FoundPlanes : uint8_t { unknown, none, there } object_planes_ = FoundPlanes::unknown;
  std::vector<Grf> payloads_;
  unsigned own_registers_ = 0;  ///< in payloads_, of each thread
  Grf* payload_ = nullptr;      ///< that is being written
};

}  // namespace softgen::render

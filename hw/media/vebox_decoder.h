// SPDX-License-Identifier: GPL-2.0-or-later
// What VEBOX's commands say, without any generation's packets, and the interface that makes it of packets. Implementations are in decode/.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "hw/blitter/plane.h"
#include "hw/media/sfc/job.h"
#include "hw/media/sfc_states.h"
#include "hw/media/vebox/enhancement.h"

namespace softgen::media {

/// VEBOX_TILING_CONVERT with the two VEBOX_SURFACE_STATEs: rows of bytes from one layout to another.
struct Conversion {
  /// Rows of one colour plane; none: there is no such plane.
  struct Band {
    uint32_t from = 0, to = 0;  ///< first row; at most 32767
    uint32_t rows = 0;          ///< at most 16384
    uint32_t bytes = 0;         ///< a row; at most 64 KiB
  };
  blitter::Plane from, to;
  std::array<Band, 2> bands;
  bool coded = false;  ///< the destination is compressed: its pairs of lines get codes
};

/// VEBOX's packets, by a platform's decoder.
class VeboxDecoder {
 public:
  static constexpr size_t surfaces = 2;
  using SurfaceState = std::array<uint32_t, 9>;
  using SurfaceStates = std::array<SurfaceState, surfaces>;
  using ModeState = std::array<uint32_t, 19>;  ///< VEBOX_STATE: room for that of every generation
  virtual ~VeboxDecoder() = default;

  /// Which surface a VEBOX_SURFACE_STATE is of: 0 is the source, 1 the destination.
  virtual size_t surface_of(std::span<const uint32_t> packet) const = 0;
  /// Of a VEBOX_TILING_CONVERT. None: what the states ask for is wrong or not there (counted).
  virtual std::optional<Conversion> conversion(std::span<const uint32_t> packet, const SurfaceStates& states) const = 0;
  /// Of a VEB_DI_IECP, with the state that VEBOX_STATE points to. `scaled`: its output goes to SFC; null: to memory. None: as above.
  virtual std::optional<vebox::Enhancement> enhancement(std::span<const uint32_t> packet, const SurfaceStates& states,
                                                        const ModeState& modes, const sfc::Job* scaled, memory::View& view) const = 0;
  /// Of SFC's frame that has started. None: as above.
  virtual std::optional<sfc::Job> scaling(const SfcStates&) const = 0;
};

/// By a generation's traits (defs::Gen9, Gen11, Gen12).
template <class G>
std::unique_ptr<const VeboxDecoder> make_vebox_decoder();

}  // namespace softgen::media

// SPDX-License-Identifier: GPL-2.0-or-later
// What HuC's commands say, without any generation's packets, and the interface that makes it of packets. Implementations are in decode/.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "hw/defs/registers/registers.h"

namespace softgen::media {

/// HUC_IND_OBJ_BASE_ADDR_STATE: graphics addresses.
struct HucStreams {
  uint64_t in = 0, in_bound = 0;  ///< bound: the first address that is not accessed; 0: there is none
  uint64_t out = 0, out_bound = 0;
};

/// HUC_STREAM_OBJECT.
struct HucStreamObject {
  uint32_t bytes = 0;
  uint32_t in = 0, out = 0;  ///< offsets in the streams
  bool stream_out = false;
  bool for_kernel = false;  ///< the bytes are for the kernel, too, if one is loaded
  bool is_copy = false;     ///< they are not filtered
};

/// Where a generation shows HuC's state.
struct HucRegisters {
  uint32_t authentication;
  reg::Bits authenticated;
  std::array<uint32_t, 2> status;  ///< per video engine; 0: the engine executes no kernels
  reg::Bits valid_memory;          ///< a kernel is in the instruction memory
};

class HucDecoder {
 public:
  static constexpr size_t regions = 16;
  virtual ~HucDecoder() = default;

  virtual const HucRegisters& registers() const = 0;
  /// HUC_PIPE_MODE_SELECT.
  virtual bool stream_out_enabled(std::span<const uint32_t> packet) const = 0;
  /// HUC_IMEM_STATE: a kernel's descriptor.
  virtual uint32_t kernel(std::span<const uint32_t> packet) const = 0;
  /// HUC_VIRTUAL_ADDR_STATE: the graphics addresses of what kernels read and write.
  virtual std::array<uint64_t, regions> addresses(std::span<const uint32_t> packet) const = 0;
  virtual HucStreams streams(std::span<const uint32_t> packet) const = 0;
  virtual HucStreamObject object(std::span<const uint32_t> packet) const = 0;
  /// HUC_START: the kernel ends with it.
  virtual bool is_last(std::span<const uint32_t> packet) const = 0;
};

/// The decoder of a generation, by its traits (defs::Gen12).
template <class G>
std::unique_ptr<const HucDecoder> make_huc_decoder();

}  // namespace softgen::media

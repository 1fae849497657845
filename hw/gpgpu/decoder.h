// SPDX-License-Identifier: GPL-2.0-or-later
// What commands and state of the GPGPU and media pipeline say, without any generation's packets, and the interface that makes it of packets.
// Implementations are in decode/.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "hw/defs/command.h"
#include "hw/iface/engine.h"
#include "hw/iface/message_target.h"
#include "hw/memory/view.h"

namespace softgen::gpgpu {

/// Constants that a command brings instead of the CURBE, from the indirect object base on. No bytes: none.
struct IndirectData {
  uint64_t offset = 0;
  uint32_t bytes = 0;  ///< at most 128 KiB
};

/// GPGPU_WALKER.
struct WalkCommand {
  bool predicated = false;        ///< it is done only when the predicate is set
  bool end_in_registers = false;  ///< GPGPU_DISPATCHDIM* instead of `end`
  uint32_t descriptor = 0;
  unsigned channels = 8;                      ///< of a thread: 8, 16 or 32
  uint32_t width = 1, height = 1, depth = 1;  ///< threads of a group, each at most 64
  std::array<uint32_t, 3> first{}, end{};     ///< groups: x, y, z
  uint32_t right_mask = 0, bottom_mask = 0;   ///< channels of the threads at a group's edges
  IndirectData indirect;
};

/// MEDIA_OBJECT_WALKER. Names as in the PRM: SKL PRM vol 7, "Walker Algorithm".
/// Pixels from one step of a loop to the next.
struct MediaLoopSteps {
  int32_t outer_x = 0, outer_y = 0, inner_x = 0, inner_y = 0;
};

struct MediaWalkCommand {
  uint32_t descriptor = 0;
  IndirectData indirect;
  std::span<const uint32_t> inline_data;
  uint32_t color_count_minus_one = 0, middle_loop_extra_steps = 0;
  int32_t local_mid_loop_unit_y = 0, mid_loop_unit_x = 0;
  uint32_t global_loop_exec_count = 0, local_loop_exec_count = 0;
  uint32_t block_resolution_x = 0, block_resolution_y = 0, local_start_x = 0, local_start_y = 0;
  uint32_t global_resolution_x = 0, global_resolution_y = 0;
  int32_t global_start_x = 0, global_start_y = 0;
  MediaLoopSteps local_steps, global_steps;
};

/// What a root thread gets besides constants, and where r0 has it: X in r0.1 [11:0], Y and the colour of a scoreboard by generations.
struct MediaPosition {
  uint32_t x = 0, y = 0, color = 0;
};
struct MediaPlaces {
  uint8_t y_shift = 16;  ///< of r0.1
  uint8_t color_dword = 2, color_shift = 16;
};

/// MEDIA_OBJECT and its relatives.
struct MediaObject {
  uint32_t descriptor = 0;
  MediaPosition position;
  std::span<const uint32_t> inline_data;
  IndirectData indirect;
};

/// MEDIA_VFE_STATE, MEDIA_CURBE_LOAD, STATE_BASE_ADDRESS and an interface descriptor together.
struct KernelState {
  ShaderBases bases;    ///< with sampler and binding table
  uint64_t kernel = 0;  ///< offset from the instruction base
  uint64_t scratch_base = 0;
  uint32_t scratch_bytes = 0;  ///< per thread; 0: none
  uint32_t max_threads = 1;
  uint64_t curbe_address = 0;
  uint32_t curbe_bytes = 0;
  bool alternate_float = false, keep_denorms = false, single_program_flow = false, barrier = false;
  uint8_t rounding = 0;
  MediaPlaces places;
  uint32_t slm_bytes = 0;                                                   ///< per group, at most 64 KiB
  uint32_t constant_offset = 0, cross_registers = 0, thread_registers = 0;  ///< as in Kernel
};

class Decoder {
 public:
  virtual ~Decoder() = default;

  /// Of whole packets, header first; inline data stay the packet's.
  virtual WalkCommand walk(std::span<const uint32_t> packet) const = 0;
  virtual MediaWalkCommand media_walk(std::span<const uint32_t> packet) const = 0;
  virtual MediaObject media_object(defs::CommandId id, std::span<const uint32_t> packet) const = 0;
  /// Descriptor `index` of the loaded ones. None: there is no such descriptor (counted).
  virtual std::optional<KernelState> kernel(const StatePackets& state, EngineEnv& env, uint32_t index) const = 0;
};

/// The decoder of a generation, by its traits (defs::Gen9).
template <class G>
std::unique_ptr<const Decoder> make_decoder();

}  // namespace softgen::gpgpu

// SPDX-License-Identifier: GPL-2.0-or-later
// What a command points to, as JSON nodes: state structures with their fields, kernels disassembled, the first bytes of buffers.
//   structure  {"what": s, "struct": name, "address": "0x...", "fields": {...}, "points_to": [...]}
//   kernel     {"what": s, "kernel": "0x...", "disassembly": [lines]}
//   data       {"what": s, "data": "0x...", "bytes": n, "dwords": [...]}
//   problem    {"what": s, "problem": s}
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/debug/context_state.h"
#include "hw/debug/packet_json.h"
#include "hw/defs/platform.h"

namespace softgen::debug {

/// Text of the kernel at `address`, a line an instruction; `read` copies code bytes. Given by programs that link the EU's disassembler.
using Disassembler = std::function<std::vector<std::string>(memory::View& view, uint64_t address)>;

struct FollowOptions {
  const defs::Platform* platform = nullptr;  ///< whose packets are followed
  EngineId engine = EngineId::rcs;           ///< that executes them
  bool data = true;                          ///< first bytes of vertex, index and constant buffers
  uint32_t data_dwords = 32;
  Disassembler disassemble;  ///< empty: kernels by address only
};

class StateFollower {
 public:
  /// `view`: the context's PPGTT.
  StateFollower(memory::View& view, const ContextState& state, const FollowOptions& options)
      : view_(view), state_(state), options_(options) {}

  /// An array of nodes, maybe empty.
  Json follow(const WalkedPacket& packet);

 private:
  Json structure(const std::string& what, const defs::Structure& layout, uint64_t address, uint32_t dwords = 0);
  Json kernel(const std::string& what, uint64_t offset);
  Json data(const std::string& what, uint64_t address, uint64_t bytes);
  Json problem(const std::string& what, uint64_t address) const;
  bool mapped(uint64_t address, uint64_t bytes) const;

  const defs::Structure& layout(std::string_view name) const { return layout_named(*options_.platform->commands, name); }
  void binding_table(Json& out, const std::string& what, uint32_t offset, uint32_t count);
  void samplers(Json& out, const std::string& what, uint64_t offset, uint32_t count);
  void stage_pointers(Json& out, const WalkedPacket& packet, unsigned stage, bool sampler);
  void shader(Json& out, const WalkedPacket& packet);
  void pixel_shader(Json& out, const WalkedPacket& packet);
  void viewports(Json& out, const WalkedPacket& packet);
  void interface_descriptors(Json& out, const WalkedPacket& packet);
  void vertex_buffers(Json& out, const WalkedPacket& packet);
  void constants(Json& out, const WalkedPacket& packet);
  void constants_of_stages(Json& out, const WalkedPacket& packet);
  void unit_states(Json& out, const WalkedPacket& packet);
  void tables_of_stages(Json& out, const WalkedPacket& packet);
  void one_pointer(Json& out, const WalkedPacket& packet, uint32_t dwords);

  memory::View& view_;
  const ContextState& state_;
  const FollowOptions& options_;
};

}  // namespace softgen::debug

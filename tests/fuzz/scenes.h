// SPDX-License-Identifier: GPL-2.0-or-later
// Each draw and walker of captures, ready to be executed again: the state packets bound there, and memory as it was, on isolated pages.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hw/defs/platform.h"
#include "hw/render/state_store.h"
#include "tests/fuzz/isolated_memory.h"

namespace softgen::fuzz {

/// A state structure or a kernel in memory.
struct StatePlace {
  uint64_t address;
  const defs::Structure* structure;  ///< null: `dwords` of a kernel
  uint32_t dwords;
};

struct Scene {
  memory::AddressSpace space;
  std::shared_ptr<const render::StateStore> state;
  const defs::Command* action;
  std::vector<uint32_t> packet;                            ///< of the action
  std::vector<StatePlace> places;                          ///< what the state points to
  bool pooled;                                             ///< binding tables are in their pool
  std::shared_ptr<const std::vector<uint64_t>> addresses;  ///< pages that are mapped
};

class Scenes {
 public:
  /// Reads the captures (*.aub, *.aub.xz) of `platform` in `folder`, in the order of their names. Aborts when there is none.
  Scenes(const std::string& folder, const defs::Platform& platform);

  std::span<const Scene> all() const { return scenes_; }
  IsolatedMemory& memory() { return *memory_; }

 private:
  std::vector<Scene> scenes_;
  std::unique_ptr<IsolatedMemory> memory_;
  memory::TlbGeneration generation_;
};

}  // namespace softgen::fuzz

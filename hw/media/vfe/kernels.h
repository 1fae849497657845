// SPDX-License-Identifier: GPL-2.0-or-later
// Interface descriptors with their programs, read once for a packet, and what threads of all packets share.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "hw/eu/program/loader.h"
#include "hw/eu/program/thread.h"
#include "hw/media/vfe/urb_entries.h"
#include "hw/media/vfe/vfe_packets.h"
#include "hw/render/ilk/media_pipeline.h"

namespace softgen::media::vfe {

/// What threads need, for as long as there is a VFE.
struct ThreadUnits {
  const VfePackets& packets;
  MessageTarget& shared;  ///< sampler and data ports
  eu::Loader loader;
  EntryPool entries;
  std::vector<std::unique_ptr<eu::Thread>> threads;  ///< by slot; the first one is of root threads
  uint32_t started = 0;                              ///< root threads so far, for their numbers
};

struct Kernel {
  Descriptor descriptor;
  ShaderBases bases;
  std::shared_ptr<const eu::Program> program;
};

class Kernels {
 public:
  Kernels(ThreadUnits& units, const render::ilk::MediaContext& context, EngineEnv& env) : units_(units), context_(context), env_(env) {}
  /// As many as a packet's descriptor offset tells apart.
  static constexpr size_t max_kernels = 128;
  /// `address`: of the descriptor. Good as long as this object; never null for the first one. Null: there are too many, a guest's error.
  const Kernel* at(uint64_t address);

 private:
  ThreadUnits& units_;
  const render::ilk::MediaContext& context_;
  EngineEnv& env_;
  std::map<uint64_t, Kernel> kernels_;
};

}  // namespace softgen::media::vfe

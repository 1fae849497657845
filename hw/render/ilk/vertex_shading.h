// SPDX-License-Identifier: GPL-2.0-or-later
// The vertices of a batch: vertex fetch, and VS threads of two vertices each, which host threads share.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "hw/render/ilk/front_end.h"
#include "hw/render/vertex_fetch.h"

namespace softgen::render::ilk {

class VertexShading {
 public:
  /// `entries`: the VS unit's. `fetch`: the draw's. All outlive it.
  VertexShading(const DrawContext& context, const UrbEntries& entries, const VertexFetch& fetch);
  ~VertexShading();
  VertexShading(const VertexShading&) = delete;
  VertexShading& operator=(const VertexShading&) = delete;

  /// The entries of `vertices`, one after the other, to `out`: entries.dwords() each. False: the draw is dropped.
  bool shade(std::span<const VertexName> vertices, std::span<uint32_t> out);

 private:
  struct Host;
  struct Pair;
  Host& host(unsigned slot);
  void shade_pair(Host& host, const Pair& pair);
  void fetch(Host& host, const VertexName& vertex, uint32_t handle);
  void run(Host& host, const Pair& pair, std::span<const uint32_t, 2> handles);
  bool stopped() const { return stopped_.load(std::memory_order_relaxed) || context_.stopped(); }

  const DrawContext& context_;
  const UrbEntries& entries_;
  const VertexFetch& fetch_;
  ShaderBases bases_;
  std::vector<std::unique_ptr<Host>> hosts_;  ///< by slot; null: it has shaded nothing
  std::atomic<bool> stopped_{false};
};

}  // namespace softgen::render::ilk

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/ilk/stage_object.h"

#include <algorithm>
#include <optional>

#include "hw/base/log.h"

namespace softgen::render::ilk {

bool EmittingThread::urb(const UrbMessage& how, std::span<const Grf> payload, std::span<Grf> response) {
  if (payload.empty()) return false;
  const Grf& header = payload[0];
  if (!how.sync) {
    urb_write(urb_, how, payload, 1);
    if (how.complete && how.used) {
      constexpr uint32_t last = 1, first = 2, topology_mask = 0x1f;
      constexpr unsigned topology_shift = 2;
      if (vertices_.size() >= max_vertices) {
        guest_error("Ironlake: a thread writes more than 1024 vertices");
      } else {
        const uint32_t dw = header.dw[2];
        vertices_.push_back({static_cast<Topology>(dw >> topology_shift & topology_mask), (dw & first) != 0, (dw & last) != 0});
        const size_t at = dwords_.size();
        dwords_.resize(at + entries_.dwords());
        urb_.read(header.dw[0], 0, std::span(dwords_).subspan(at));
      }
    }
  }
  if (how.allocate && !response.empty()) {
    response[0] = header;  // chosen: what is not the handle comes back as it was sent
    response[0].dw[0] = entries_.next();
  }
  return true;
}

size_t EmittingThread::primitives() const {
  return static_cast<size_t>(std::ranges::count_if(vertices_, [](const Emitted& v) { return v.last; }));
}

void EmittingThread::each_object(Provoking provoking, const ObjectSink& sink) const {
  std::optional<Assembler> assembler;
  for (uint32_t n = 0; n < vertices_.size(); ++n) {
    const Emitted& v = vertices_[n];
    if (v.first || !assembler)
      assembler.emplace(v.topology, provoking, [this, &sink, topology = v.topology](const Object& object) {
        sink(stage_object(topology, object, [&](uint32_t i) { return vue(i); }));
      });
    assembler->vertex(n);
    if (!v.last) continue;
    assembler->cut();
    assembler.reset();
  }
}

}  // namespace softgen::render::ilk

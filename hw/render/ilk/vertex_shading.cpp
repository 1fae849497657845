// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/ilk/vertex_shading.h"

#include <algorithm>
#include <array>

namespace softgen::render::ilk {
namespace {

constexpr uint32_t pair_mask = 0xff, single_mask = 0x0f;  // a vertex has four channels
constexpr size_t pairs_per_chunk = 16;

}  // namespace

struct VertexShading::Host {
  EngineEnv env;
  Urb& urb;
  const unsigned slot;
  VertexFetch fetch;
  Payload payload;
  std::vector<Vec4> fetched;
  Host(const DrawContext& context, unsigned number, const VertexFetch& like)
      : env(context.hosts.env(context.env, number)),
        urb(context.hosts.urb(number)),
        slot(number),
        fetch(like, env.vertex_view()),
        fetched(like.slots()) {}
};

/// One vertex, or two; `number` counts pairs of a batch.
struct VertexShading::Pair {
  unsigned number;
  std::span<const VertexName> vertices;
  std::span<uint32_t> out;
};

VertexShading::VertexShading(const DrawContext& context, const UrbEntries& entries, const VertexFetch& fetch)
    : context_(context),
      entries_(entries),
      fetch_(fetch),
      bases_(unit_bases(context.state, context.state.vs)),
      hosts_(context.hosts.count()) {}

VertexShading::~VertexShading() = default;

VertexShading::Host& VertexShading::host(unsigned slot) {
  if (!hosts_[slot]) hosts_[slot] = std::make_unique<Host>(context_, slot, fetch_);
  return *hosts_[slot];
}

bool VertexShading::shade(std::span<const VertexName> vertices, std::span<uint32_t> out) {
  const size_t pairs = (vertices.size() + 1) / 2, chunks = (pairs + pairs_per_chunk - 1) / pairs_per_chunk;
  const auto shade_chunk = [&](size_t chunk, unsigned slot) {
    Host& own = host(slot);
    for (size_t n = chunk * pairs_per_chunk; n < std::min(pairs, (chunk + 1) * pairs_per_chunk) && !stopped(); ++n) {
      const size_t first = 2 * n, count = std::min<size_t>(2, vertices.size() - first);
      shade_pair(own, {static_cast<unsigned>(n), vertices.subspan(first, count),
                       out.subspan(first * entries_.dwords(), count * entries_.dwords())});
    }
  };
  for_each(chunks > 1 ? context_.hosts.pool(context_.state.vs) : nullptr, chunks, shade_chunk);
  return !stopped();
}

/// The elements of a vertex, one after the other in its entry.
void VertexShading::fetch(Host& host, const VertexName& vertex, uint32_t handle) {
  host.fetch.fetch(vertex.index, vertex.instance, host.fetched);
  std::ranges::fill(host.urb.dwords(handle, 0, entries_.dwords()), 0);
  // Elements that the entry has no room for are lost: Mesa's blorp sends one more than it needs.
  const size_t room = entries_.dwords() / 4;
  for (size_t i = 0; i < std::min(host.fetched.size(), room); ++i) host.urb.write(handle, static_cast<uint32_t>(4 * i), host.fetched[i]);
}

/// Its entries' numbers depend on the batch alone, since kernels see them.
void VertexShading::shade_pair(Host& host, const Pair& pair) {
  const size_t count = pair.vertices.size();
  const std::array<uint32_t, 2> handles{entries_.handle(2 * pair.number), entries_.handle(2 * pair.number + 1)};
  for (size_t i = 0; i < count; ++i) fetch(host, pair.vertices[i], handles[i]);
  if (context_.state.vs.enable) run(host, pair, handles);
  for (size_t i = 0; i < count; ++i) host.urb.read(handles[i], 0, pair.out.subspan(i * entries_.dwords(), entries_.dwords()));
}

void VertexShading::run(Host& host, const Pair& pair, std::span<const uint32_t, 2> handles) {
  const VertexUnitState& vs = context_.state.vs;
  const size_t count = pair.vertices.size();
  Payload& payload = host.payload;
  payload.begin(vs, host.slot);
  payload[0].dw[0] = handles[0], payload[0].dw[1] = handles[count - 1];
  payload.add_constants(vs, context_.constants);
  // Of each element four dwords of either vertex.
  for (unsigned i = 0; i < 2 * vs.read_length; ++i) {
    Grf& reg = payload.add();
    for (size_t v = 0; v < count; ++v)
      host.urb.read(handles[v], vs.read_offset * Urb::register_dwords + 4 * i, std::span(reg.dw).subspan(4 * v, 4));
  }
  EntryMessages messages(host.urb, static_cast<unsigned>(count));
  const ThreadJob job{.unit = Unit::vs,
                      .state = vs,
                      .kernel = vs.kernel,
                      .bases = bases_,
                      .payload = payload.registers(),
                      .channels = 8,
                      .dispatch_mask = count == 2 ? pair_mask : single_mask,
                      .draw = context_.number};
  if (context_.runner.run(job, messages, host.env) == ThreadEnd::aborted) stopped_.store(true, std::memory_order_relaxed);
}

}  // namespace softgen::render::ilk

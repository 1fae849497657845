// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstring>
#include <exception>
#include <span>
#include <vector>

#include "hw/debug/ram_snapshot.h"
#include "softgen/ram_snapshot.h"

using softgen::debug::RamSnapshot;

struct sg_ram_snapshot {
  RamSnapshot memory;
};

namespace {

template <typename Do>
bool tried(const Do& action, char** error) {
  try {
    action();
    return true;
  } catch (const std::exception& e) {
    *error = strdup(e.what());
    return false;
  }
}

}  // namespace

sg_ram_snapshot* sg_ram_snapshot_new(const sg_ram_piece* pieces, size_t count, char** error) {
  sg_ram_snapshot* made = nullptr;
  tried(
      [&] {
        std::vector<RamSnapshot::Piece> spans;
        for (const sg_ram_piece& piece : std::span(pieces, count)) spans.emplace_back(static_cast<std::byte*>(piece.host), piece.size);
        made = new sg_ram_snapshot{RamSnapshot(std::move(spans))};
      },
      error);
  return made;
}

bool sg_ram_snapshot_take(sg_ram_snapshot* snapshot, char** error) {
  return tried([&] { snapshot->memory.take(); }, error);
}

bool sg_ram_snapshot_restore(sg_ram_snapshot* snapshot, void (*changed)(void* opaque, void* host, size_t size), void* opaque, size_t* pages,
                             char** error) {
  return tried([&] { *pages = snapshot->memory.restore([&](RamSnapshot::Piece run) { changed(opaque, run.data(), run.size()); }); }, error);
}

uint64_t sg_ram_snapshot_hash(const sg_ram_snapshot* snapshot) { return snapshot->memory.hash(); }

void sg_ram_snapshot_free(sg_ram_snapshot* snapshot) { delete snapshot; }

// SPDX-License-Identifier: GPL-2.0-or-later
// extract_states CAPTURES OUT: the surface states bound at the draws and walkers of captures, each once, 64 bytes each. surface_states.h begins from
// them: tests/fuzz/corpus/surface_states.
#include <cstdio>
#include <set>

#include "hw/base/log.h"
#include "hw/defs/gen9/set.h"
#include "tests/fuzz/scenes.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::fuzz;

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "Usage: %s CAPTURES OUT\n", argv[0]), 2;
  quiet_log();
  Scenes scenes(argv[1], defs::platforms().front());
  const defs::Structure* const wanted = defs::gen9::commands.find_structure("RENDER_SURFACE_STATE");
  std::set<std::array<uint32_t, 16>> found;
  memory::View view(scenes.memory(), nullptr);
  for (const Scene& scene : scenes.all()) {
    view.set_space(scene.space);
    for (const StatePlace& place : scene.places)
      if (place.structure == wanted) found.insert(view.load<std::array<uint32_t, 16>>(place.address));
  }
  std::FILE* const out = std::fopen(argv[2], "wb");
  if (!out) return std::perror(argv[2]), 1;
  for (const auto& state : found) std::fwrite(state.data(), sizeof state, 1, out);
  std::printf("%zu surface states of %zu draws and walkers\n", found.size(), scenes.all().size());
  return std::fclose(out) == 0 ? 0 : 1;
}

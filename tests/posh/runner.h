// SPDX-License-Identifier: GPL-2.0-or-later
// Renders a scene, with and without position-only shading.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "hw/base/work.h"
#include "tests/posh/machine.h"
#include "tests/posh/scene.h"
#include "tests/posh/splitter.h"

namespace softgen::posh::test {

/// How a scene is rendered with position-only shading.
struct Form {
  Passes passes = {};
  uint32_t pool_pages = 64;
  std::optional<uint32_t> free_page = {};  ///< the only one that the free list names, again and again
  bool awaited = true, visibility = true;  ///< Splitter::Options
};

/// What a scene leaves in its targets.
using Picture = std::vector<std::byte>;

/// A scene in a machine's memory, and as batches.
class Rendering {
 public:
  /// Of one machine no two scenes have the same address (Scene::Form).
  Rendering(Machine& machine, const Scene& scene);

  /// A batch that renders it as it is.
  Stream plain() const;
  /// The same with a record of its draws.
  struct Pair {
    Stream position, render;
  };
  Pair split(const Form& form);
  /// Packets that go on where the scene, or what was split last, has ended.
  Pair split(const Form& form, std::span<const std::vector<uint32_t>> packets);
  Picture picture() const;
  /// What plain() leaves when a context of its own runs it.
  Picture run_plain();
  uint32_t draws() const { return draws_; }  ///< recorded by split()

 private:
  void map_contents();
  uint64_t map_own(uint64_t bytes);

  Machine& machine_;
  const Scene& scene_;
  uint64_t own_;
  debug::ContextState state_;
  uint32_t draws_ = 0;
};

/// The stream with `piece` in front of its draw `n`, or in its place.
Stream with_piece(const Machine& machine, const Stream& stream, unsigned n, const Stream& piece, bool in_place = false);
/// A ring that starts batches which are put into the machine's memory.
Stream ring_of(Machine& machine, const Stream& batch);
Stream ring_of(Machine& machine, const Rendering::Pair& batches);
/// The context renders what its ring holds, and nothing went wrong.
void run(Machine& machine, const Context& context, const Stream& ring);

Picture plain_picture(const Scene& scene);

/// Objects that are counted when a scene is rendered with position-only shading.
struct Counts {
  uint64_t recorded = 0, culled = 0, skipped = 0;
};
Counts counts_since(const WorkCounts& before);

/// The pictures with position-only shading (with and without threads, and preempted) equal the one without, and so do the pixels that are counted and, in
/// one pass, the objects that are assembled; what the last run counted.
Counts check_same(const Scene& scene, const Form& form = {});
/// The same, and so many objects are recorded and skipped.
void check_same(const Scene& scene, uint64_t recorded, uint64_t skipped, const Form& form = {});

}  // namespace softgen::posh::test

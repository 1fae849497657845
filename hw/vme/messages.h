// SPDX-License-Identifier: GPL-2.0-or-later
// The three messages. Each has the registers of Request first; `source` is the block of the picture that is encoded.
#pragma once

#include <optional>

#include "hw/vme/measure.h"
#include "hw/vme/reply.h"
#include "hw/vme/request.h"
#include "hw/vme/surface.h"

namespace softgen::vme {

/// The surfaces of a message follow its binding table index: the source, then by number forward and backward ones by turns.
class Pictures {
 public:
  Pictures(const Message& message, const Request& request, ThreadEnv& env)
      : env_(env), first_(message.op.binding.index), ids_(request.reference_ids), source_(load_surface(env, first_)) {}
  const Surface& source() const { return source_; }
  /// That of the first 8x8 block's number. May be none.
  const Surface& reference(unsigned direction) {
    auto& found = references_[direction];
    if (!found) found = load_surface(env_, first_ + 1 + (ids_ >> direction * 4 & 15) * 2 + direction);
    return *found;
  }

 private:
  ThreadEnv& env_;
  const uint32_t first_, ids_;
  const Surface source_;
  std::array<std::optional<Surface>, 2> references_;  ///< looked up when first asked for: states that are not used may be no surfaces
};

/// IME: whole samples in a window, by search units of 4x4 vectors.
void search(const Message& message, const Request& request, Pictures& pictures, const Block& source, ThreadEnv& env, Reply& reply);
/// FBR: around the vectors of an earlier answer, in halves and quarters.
void refine(const Message& message, const Request& request, Pictures& pictures, const Block& source, ThreadEnv& env, Reply& reply);
/// SIC: vectors of skipped macroblocks, and intra prediction.
void check(const Message& message, const Request& request, Pictures& pictures, const Block& source, ThreadEnv& env, Reply& reply);
/// Its part for skipped macroblocks: the cost of the vectors of M4, of those that the mask has; ~0u: there are none.
uint32_t check_skip(const Message& message, const Request& request, Pictures& pictures, const Block& source, ThreadEnv& env, Reply& reply);

}  // namespace softgen::vme

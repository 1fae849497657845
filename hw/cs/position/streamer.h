// SPDX-License-Identifier: GPL-2.0-or-later
// POCS, the streamer of the position-only pipe: RCS is who submits to it, and what it sees of that is PositionLink. It leaves a context when RCS
// does, and never by itself: it stops at HEAD = TAIL and at a MI_SEMAPHORE_WAIT that does not pass.
#pragma once

#include "hw/cs/position/link.h"
#include "hw/cs/position/walk.h"
#include "hw/cs/streamer.h"

namespace softgen::cs {

class PositionSubmission final : public NoLists {
 public:
  explicit PositionSubmission(PositionLink& link) : link_(link) {}

  bool selected(uint32_t) const override { return true; }
  void state(Archive& archive) override { link_.state(archive); }

 private:
  PositionLink& link_;
};

class PositionStreamer final : public Streamer {
 public:
  /// `leader_base`: RCS's registers.
  PositionStreamer(const StreamerConfig& config, StreamerLinks links, PositionLink& link, uint32_t leader_base);

  void reset() override;
  void state(Archive& archive) override;

 private:
  Work next_work() override;
  bool drained() override { return true; }
  ParseEnd walk() override;
  void begin(const Descriptor& context);

  PositionLink& link_;
  const uint32_t leader_base_;
  PositionWalk walk_;
};

}  // namespace softgen::cs

// SPDX-License-Identifier: GPL-2.0-or-later
// How requests reach a chip's engines, and how it is known what they have done: the part of the kernel's side that differs between generations. Guarded by
// the driver's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "hw/run/request.h"

namespace softgen::run {

/// What a Submission works with; all of it outlives it.
struct SubmissionHost {
  const Chip& chip;
  Registers registers;
  Arena& arena;
  Ggtt& ggtt;
};

class Submission {
 public:
  Submission() = default;
  virtual ~Submission() = default;
  Submission(const Submission&) = delete;
  Submission& operator=(const Submission&) = delete;

  /// At start, and after reset() of the engine. Throws std::bad_alloc, or std::runtime_error with one sentence.
  virtual void bring_up(EngineQueue& engine) = 0;
  /// What the engine needs of a context. Throws std::bad_alloc.
  virtual LogicalContext make_context(const Context& context, const EngineInfo& engine) = 0;
  /// Of a context that is nowhere current.
  virtual void free_context(const LogicalContext& context) = 0;
  /// The context's number in the engine's reports.
  virtual uint32_t context_id(const LogicalContext& context) const = 0;

  /// The engine can be given a request more.
  virtual bool has_room(const EngineQueue& engine) const = 0;
  /// And it may be one of this context.
  virtual bool takes(const EngineQueue& engine, const LogicalContext& context) const = 0;
  /// Both are for one engine, and `first` runs: `second` may be started behind it although it has to wait for it.
  virtual bool keeps_order(const Request& first, const Request& second) const = 0;
  /// `of_context`: registers that the context loads with this request.
  virtual void start(EngineQueue& engine, LogicalContext& context, Request& request, std::span<const RegisterValue> of_context) = 0;
  /// All that can be started has been. True: the engine's events are heard of from now on, so that those that came before have to be looked for.
  virtual bool listen(EngineQueue& engine) = 0;

  /// Takes notice of what the engine reports.
  virtual void look(EngineQueue& engine) = 0;
  /// Request::seqno of the request that it completed last.
  virtual uint32_t completed(const EngineQueue& engine) const = 0;
  /// The engine runs it, or will still save into its image.
  virtual bool uses(const EngineQueue& engine, const LogicalContext& context) const = 0;
  /// Nothing more will come of what was started. It then lets go of the current context where the engine has.
  virtual bool settled(EngineQueue& engine) = 0;

  /// Stops what runs on the engine.
  virtual void reset(const EngineQueue& engine) = 0;
  /// reset() stops what runs on all others, too.
  virtual bool resets_all() const = 0;
};

}  // namespace softgen::run

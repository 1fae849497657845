// SPDX-License-Identifier: GPL-2.0-or-later
// How software hands lists of contexts to an engine, and reads what became of them: one object per engine. Platforms differ in the port's
// registers, in the number of elements of a list and in the place and size of the context status buffer.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "hw/base/archive.h"
#include "hw/cs/execlists.h"
#include "hw/memory/view.h"
#include "hw/mmio/register_file.h"

namespace softgen::cs {

/// The registers that a driver writes lists of contexts to. Also for those who follow a driver without a streamer.
class SubmitPort {
 public:
  virtual ~SubmitPort() = default;
  /// From the engine's base.
  virtual std::span<const uint32_t> registers() const = 0;
  /// One of them is written. The list that this completes, if it does.
  virtual std::optional<Execlist> write(uint32_t reg, uint32_t value) = 0;
  virtual void reset() = 0;
  /// What has been written so far.
  virtual void state(Archive& archive) = 0;
};

/// What an execlist status register shows.
struct ExeclistStatus {
  bool queue_full = false;  ///< a submitted list waits for the running one to be preempted
  bool running = false;
  unsigned element = 0;  ///< that runs
  bool arbitration = true;
  uint32_t last_event = 0;
  uint32_t context_id = 0;  ///< of the running context
};

/// attach(), pending(), take() and put() may be called by any thread, the rest by the thread that runs the streamer.
class Submission {
 public:
  virtual ~Submission() = default;
  /// Registers the hooks of the port and of the status registers. `submitted` is called on the writing thread when pending() has a new list;
  /// no lock is held then. Once, before the engine runs.
  virtual void attach(std::function<void()> submitted) = 0;
  /// Most elements of a list.
  virtual unsigned elements() const = 0;
  /// Whether RING_MODE selects execlists; else the engine runs its ring buffer.
  virtual bool selected(uint32_t ring_mode) const = 0;
  /// The list that was submitted last, if it has not been taken.
  virtual std::optional<Execlist> pending() const = 0;
  virtual std::optional<Execlist> take() = 0;
  /// Makes `list` the one that is pending, as a saved state says.
  virtual void put(const std::optional<Execlist>& list) = 0;
  /// The entry, then its index, to the status page and to registers. The caller raises the interrupt after it.
  virtual void report(const ContextSwitch& event, memory::View& ggtt, uint64_t status_page) = 0;
  virtual void show(const ExeclistStatus& status) = 0;
  /// An engine reset: drops what is pending, and the status registers have their reset values.
  virtual void reset() = 0;
  /// What has been written to the port so far. The pending list is saved by the streamer.
  virtual void state(Archive& archive) = 0;
};

/// Of an engine that software hands no lists to.
class NoLists : public Submission {
 public:
  void attach(std::function<void()>) override {}
  unsigned elements() const final { return 1; }
  std::optional<Execlist> pending() const final { return std::nullopt; }
  std::optional<Execlist> take() final { return std::nullopt; }
  void put(const std::optional<Execlist>&) final {}
  void report(const ContextSwitch&, memory::View&, uint64_t) final {}
  void show(const ExeclistStatus&) final {}
  void reset() final {}
};

class Streamer;
struct StreamerConfig;
struct StreamerLinks;

/// A form of submission, and of the streamers that run what is submitted, as part of a platform.
struct SubmissionForm {
  bool lists;  ///< software submits lists of contexts; else it moves the TAIL of rings alone
  std::unique_ptr<SubmitPort> (*port)();
  /// The submission of the engine whose registers begin at `mmio_base`.
  std::unique_ptr<Submission> (*make)(mmio::RegisterFile& registers, uint32_t mmio_base);
  std::unique_ptr<Streamer> (*streamer)(const StreamerConfig& config, StreamerLinks links);
};

}  // namespace softgen::cs

// SPDX-License-Identifier: GPL-2.0-or-later
// A whole Ice Lake device with memory, one PPGTT and contexts, driven as a kernel's driver does.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hw/gt/device.h"
#include "hw/replay/offline_host.h"
#include "tests/posh/page_tables.h"
#include "tests/posh/stream.h"

namespace softgen::posh::test {

/// How a device runs its work: the pictures must not depend on it.
struct How {
  unsigned threads = 0;
  bool preempted = false;  ///< gt::Config::preempt_always
};

/// A context with a ring of a page, which is written from its start at each submission.
struct Context {
  uint32_t lrca = 0, ring = 0;
  uint32_t position_lrca = 0;  ///< 0: not a POSH enabled one
};

class Machine {
 public:
  explicit Machine(How how);

  gt::Device& device() { return *device_; }
  const defs::Platform& platform() const { return device_->platform(); }
  const defs::ContextLayout& layout(EngineId engine) const { return platform().contexts->of(engine); }
  uint32_t base_of(EngineId engine) const { return platform().registers->engine(engine)->mmio_base; }

  /// Maps pages of zeros to PPGTT addresses.
  void map(uint64_t va, uint64_t bytes) { tables_->map(va, bytes); }
  void write(uint64_t va, std::span<const std::byte> data);
  void write(uint64_t va, std::span<const uint32_t> dwords) { write(va, std::as_bytes(dwords)); }
  std::vector<std::byte> read(uint64_t va, uint64_t bytes);
  /// As a CPU does while engines run.
  void store(uint64_t va, uint32_t value);
  uint32_t load(uint64_t va);
  /// Puts the commands into memory of their own.
  uint64_t place(const Stream& stream);

  Context new_context(bool position);
  /// What the context's ring holds from now on.
  void set_ring(const Context& context, const Stream& ring);
  /// Runs the contexts one after the other; what runs already is preempted.
  void submit(std::initializer_list<Context> contexts);
  /// Waits for it; false: not within a minute (with threads), or many polls (without).
  bool wait(const std::function<bool()>& condition);
  bool wait_idle() {
    return wait([this] { return !device_->streamers().busy(); });
  }
  /// The device's state, into the device itself. Why it does not fit; empty: it does.
  std::string save_and_load();
  /// Neither a streamer has met an error that hangs it, nor an access a page that is not mapped.
  bool sound();

 private:
  uint32_t map_ggtt(unsigned pages);
  void write_ggtt(uint64_t address, std::span<const uint32_t> dwords);

  const How how_;
  replay::OfflineHost host_;
  memory::SparseMemory* memory_;  ///< the device's
  std::unique_ptr<gt::Device> device_;
  PhysicalPages pages_{0x100000};
  uint64_t root_;
  std::unique_ptr<PageTables> tables_;
  memory::TlbGeneration generation_;
  std::unique_ptr<memory::View> view_;
  uint32_t next_ggtt_ = 0x10000;
  uint64_t next_batch_ = uint64_t{1} << 39;
};

}  // namespace softgen::posh::test

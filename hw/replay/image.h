// SPDX-License-Identifier: GPL-2.0-or-later
// The memory image that a capture describes, built record by record: physical pages, GGTT, and the submitted contexts.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "hw/cs/submission.h"
#include "hw/debug/aub_reader.h"
#include "hw/debug/ring_port.h"
#include "hw/defs/platform.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/sparse_memory.h"
#include "hw/memory/view.h"

namespace softgen::replay {

/// The capture asks for something it must not have (memory beyond the bound, a write outside the GGTT): one sentence.
class ImageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One context of a list that is submitted, as its image in memory says; or what a ring is given, without execlists.
struct Submission {
  EngineId engine;
  uint64_t descriptor;                                   ///< as written to the port; 0: there is none
  uint32_t lrca;                                         ///< GGTT address of the context's first page; 0: there is none
  uint32_t ring_start, ring_head, ring_tail, ring_size;  ///< GGTT address; offsets and bytes
  memory::AddressSpace ppgtt;
};

/// The platform called `name`; of an empty name the one with that PCI id, or the first there is.
const defs::Platform& platform_for(const std::string& name, uint32_t pci_device_id);

/// The PCI id that the head of a capture names; zero: it names none, or is no capture. Throws StreamError.
uint32_t captured_device(debug::ByteSource& source);

class Image final : public debug::AubVisitor {
 public:
  /// Called at each submission, with the memory as it is then.
  using OnSubmit = std::function<void(const Submission&)>;
  using OnRing = std::function<void(EngineId, std::span<const uint32_t>)>;

  /// The capture's destination; both outlive the image. `platform`: as platform_for() takes it, of what made the capture.
  Image(memory::SparseMemory& memory, memory::Ggtt& ggtt, std::string platform);

  OnSubmit on_submit;  ///< before on_register hands the write that submits to the device
  OnRing on_ring;      ///< classic captures
  std::function<void(uint32_t offset, uint32_t value)> on_register;
  std::function<void(uint32_t offset, uint32_t mask, uint32_t value)> on_poll;
  std::function<void()> on_memory;  ///< before memory changes
  /// What physical memory must hold now.
  std::function<void(uint64_t address, std::span<const std::byte> data)> on_compare;
  std::function<void(std::string_view text)> on_comment;

  memory::SparseMemory& memory() { return memory_; }
  memory::View& ggtt_view() { return ggtt_view_; }
  const debug::AubVersion& version() const { return version_; }
  const defs::Platform& platform() const { return platform_for(platform_, version_.pci_id); }

  void version(const debug::AubVersion& version) override { version_ = version; }
  void memory_write(debug::aub::Space space, uint64_t address, std::span<const std::byte> data) override;
  void memory_compare(debug::aub::Space space, uint64_t address, std::span<const std::byte> data) override;
  void comment(std::string_view text) override {
    if (on_comment) on_comment(text);
  }
  void register_write(uint32_t offset, uint32_t value) override;
  void register_poll(uint32_t offset, uint32_t mask, uint32_t value) override {
    if (on_poll) on_poll(offset, mask, value);
  }
  void ring_write(debug::AubRing ring, std::span<const std::byte> commands) override;

  /// The context that `descriptor` names, read from its image.
  Submission context(EngineId engine, uint64_t descriptor);

 private:
  void write_ggtt_entries(uint64_t address, std::span<const std::byte> data);
  void write_ggtt(uint64_t address, std::span<const std::byte> data);
  void note_submission(uint32_t offset, uint32_t value);
  void note_ring(uint32_t offset, uint32_t value);
  void submit(EngineId engine, const cs::Descriptor& element);

  memory::SparseMemory& memory_;
  memory::Ggtt& ggtt_;
  const std::string platform_;
  memory::TlbGeneration generation_;
  memory::View ggtt_view_;
  debug::AubVersion version_;
  std::map<EngineId, std::unique_ptr<cs::SubmitPort>> ports_;
  std::map<EngineId, debug::RingPort> rings_;
  uint64_t next_private_page_ = 0;  ///< 0: there is none yet
};

}  // namespace softgen::replay

// SPDX-License-Identifier: GPL-2.0-or-later
// A GT with fake engines, and the parts of a driver that submission needs: contexts, rings, the submit port, the CSB.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "hw/cs/command_streamers.h"
#include "hw/cs/context_image.h"
#include "hw/defs/gen9/set.h"
#include "hw/iface/quiet_host.h"
#include "hw/memory/fault.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/sparse_memory.h"
#include "hw/mmio/interrupts.h"
#include "tests/catch.h"
#include "tests/engine_register.h"

namespace softgen::cs::test {

struct FakeHost final : QuietHost {
  std::atomic<int64_t> now{1'000'000'000};
  std::atomic<int> edges{0};
  bool level = false;
  int64_t clock_ns() override { return now; }
  void interrupt(bool l) override {
    if (l && !level) ++edges;
    level = l;
  }
};

using Dwords = std::vector<uint32_t>;

/// Records packets. Its state is one counter and one word, which XY_COLOR_BLT's (or PIPELINE_SELECT's) header sets; where images have places for
/// packets, the last of each command, too.
struct FakeEngine final : Engine, DeferredWork {
  struct Context {
    uint32_t word = 0;
    uint32_t packets = 0;
  };
  Context context;
  std::span<const defs::ContextPacket> places;
  std::map<defs::CommandId, Dwords> kept;
  std::vector<uint32_t> headers;
  std::vector<FlushRequest> flushes;
  std::function<ExecResult(const Packet&, EngineEnv&)> on_execute;
  unsigned restores = 0, resets = 0, restored_packets = 0;
  unsigned deferred_packets = 0;  ///< executed and not yet finished
  bool open_picture = false;
  bool all_short = false;  ///< a submitting thread may execute any packet

  std::optional<ExecResult> execute_short(const Packet& packet, EngineEnv& env) override {
    return all_short ? std::optional(execute(packet, env)) : std::nullopt;
  }
  ExecResult execute(const Packet& packet, EngineEnv& env) override {
    if (on_execute) {
      const ExecResult result = on_execute(packet, env);
      if (result != ExecResult::done) return result;
    }
    headers.push_back(packet.dwords[0]);
    ++context.packets;
    ++deferred_packets;
    context.word = packet.dwords.back();
    if (packet.command->keeps_state) kept[packet.command->id] = {packet.dwords.begin(), packet.dwords.end()};
    return ExecResult::done;
  }
  ExecResult flush(const FlushRequest& request, EngineEnv&) override {
    flushes.push_back(request);
    deferred_packets = 0;
    return ExecResult::done;
  }
  DeferredWork* deferred() override { return deferred_packets ? this : nullptr; }
  bool in_picture() const override { return open_picture; }
  ExecResult finish(EngineEnv&) override {
    deferred_packets = 0;
    return ExecResult::done;
  }
  void place_packets(std::span<const defs::ContextPacket> of_images) override { places = of_images; }
  void save_packets(std::span<uint32_t> page) override {
    for (const defs::ContextPacket& place : places) {
      const std::span<uint32_t> room = page.subspan(place.first, place.dwords);
      std::ranges::fill(room, 0);
      if (const auto found = kept.find(place.command); found != kept.end()) std::ranges::copy(found->second, room.begin());
    }
  }
  void restore_packet(const Packet& packet) override {
    ++restored_packets;
    kept[packet.command->id] = {packet.dwords.begin(), packet.dwords.end()};
  }
  size_t context_size() const override { return sizeof(Context); }
  void save_context(std::span<std::byte> image) override { std::memcpy(image.data(), &context, sizeof context); }
  void restore_context(std::span<const std::byte> image) override {
    ++restores;
    std::memcpy(&context, image.data(), sizeof context);
  }
  void reset_context() override {
    ++resets;
    context = {};
    kept.clear();
  }
};

inline Dwords operator+(Dwords a, const Dwords& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Commands as the drivers write them (i915 gt/intel_gpu_commands.h).
constexpr uint32_t mi(uint32_t opcode, uint32_t flags = 0) { return opcode << 23 | flags; }
constexpr uint32_t global = 1u << 22;
constexpr uint32_t noop = 0, arb_check = mi(0x05), user_interrupt = mi(0x02), batch_end = mi(0x0a);
inline Dwords arb(bool on) { return {mi(0x08, on)}; }
inline Dwords store(uint64_t at, uint32_t value, uint32_t flags = global) {
  return {mi(0x20, 2 | flags), uint32_t(at), uint32_t(at >> 32), value};
}
inline Dwords lri(uint32_t offset, uint32_t value) { return {mi(0x22, 1), offset, value}; }
inline Dwords srm(uint32_t offset, uint64_t to, uint32_t flags = global) {
  return {mi(0x24, 2 | flags), offset, uint32_t(to), uint32_t(to >> 32)};
}
inline Dwords start_batch(uint64_t at, bool ppgtt = false, bool second = false) {
  return {mi(0x31, 1 | (ppgtt ? 1u << 8 : 0) | (second ? 1u << 22 : 0)), uint32_t(at), uint32_t(at >> 32)};
}
inline Dwords semaphore(uint64_t at, uint32_t value, uint32_t operation = 4, uint32_t flags = global | 1u << 15) {
  return {mi(0x1c, 2 | flags | operation << 12), value, uint32_t(at), uint32_t(at >> 32)};
}
/// XY_COLOR_BLT, for BCS.
inline Dwords color_blt(uint32_t color) { return {2u << 29 | 0x50u << 22 | 5, 0, 0, 0, 0, 0, color}; }

struct Event {
  uint32_t status, id;
  bool operator==(const Event&) const = default;
};
inline std::ostream& operator<<(std::ostream& os, const Event& e) { return os << std::hex << e.status << '/' << e.id << std::dec; }

/// What a machine is made of.
struct Form {
  const defs::CommandSet* commands;
  const defs::RegisterSet* registers;
  const defs::ContextImages* contexts;
  const SubmissionForm* submission;
  std::unique_ptr<mmio::Interrupts> (*interrupts)(mmio::RegisterFile& registers, Host& host);
  uint32_t engines;               ///< bit i: EngineId i
  unsigned preempt_commands = 0;  ///< of StreamerConfig
};
/// As Kaby Lake.
Form gen9_form(const defs::CommandSet& commands = defs::gen9::commands);

class Machine;

/// A logical ring context as i915 makes it: image and ring, both in the GGTT.
struct Context {
  Machine& machine;
  EngineId engine;
  uint32_t lrca = 0, ring = 0, ring_bytes = 16384, tail = 0, id = 0;

  Context(Machine& machine, EngineId engine, uint32_t id, bool inhibit = true);
  /// Appends to the ring; the driver's copy of TAIL moves.
  Context& emit(const Dwords& commands);
  uint32_t image(uint32_t dword) const;
  void set_image(uint32_t dword, uint32_t value);
  uint64_t descriptor(bool force = false) const { return uint64_t{id} << 32 | lrca | (force ? 4u : 0u) | 0x119; }
};

/// Streamers with memory, registers and fake engines.
class MachineBase {
 public:
  MachineBase(const defs::RegisterSet& set, std::unique_ptr<mmio::Interrupts> (*make_tree)(mmio::RegisterFile& registers, Host& host),
              const defs::PageFormat& pages)
      : ggtt(pages), registers(set), tree(make_tree(registers, host)) {}

  // Guest physical equals GGTT address here.
  uint32_t read(uint64_t gpa) {
    uint32_t v;
    memory.read(gpa, &v, 4);
    return v;
  }
  uint64_t read64(uint64_t gpa) { return read(gpa) | uint64_t{read(gpa + 4)} << 32; }
  void write(uint64_t gpa, uint32_t value) { memory.write(gpa, &value, 4); }
  void write(uint64_t gpa, const Dwords& dwords) { memory.write(gpa, dwords.data(), dwords.size() * 4); }
  /// Appends commands, to a multiple of a qword, to the ring of `bytes` at `ring`. Returns the new tail.
  uint32_t append(uint32_t ring, uint32_t bytes, uint32_t tail, const Dwords& commands);

  uint32_t reg(EngineId e, uint32_t relative) { return registers.read(registers.engine_register(e, relative)); }
  void set_reg(EngineId e, uint32_t relative, uint32_t value) { registers.write(registers.engine_register(e, relative), value); }
  FakeEngine& engine(EngineId e) { return engines[static_cast<size_t>(e)]; }
  void reset_engine(EngineId e);
  /// Registers and streamers, which are paused meanwhile. load_state(): whether it was sound.
  std::vector<std::byte> save_state();
  bool load_state(std::span<const std::byte> data);

  memory::SparseMemory memory{64 << 20};
  memory::Ggtt ggtt;
  memory::FaultRegisters faults;
  memory::TlbGeneration tlb;
  memory::Gate gate;
  mmio::RegisterFile registers;
  FakeHost host;
  const std::unique_ptr<mmio::Interrupts> tree;
  mmio::Interrupts& interrupts = *tree;
  std::array<FakeEngine, engine_count> engines;
  std::unique_ptr<CommandStreamers> cs;

 private:
  void state(Archive& archive);
};

class Machine : public MachineBase {
 public:
  static constexpr uint32_t hwsp_base = 0x0010'0000;  // one page an engine
  static constexpr uint64_t pml4 = 0x0300'0000;
  static constexpr uint64_t ppgtt_base = 0x7f00'0000'0000;  // 2 MiB there lead to physical 0x0400'0000

  explicit Machine(bool threaded = false, const defs::CommandSet& commands = defs::gen9::commands)
      : Machine(threaded, gen9_form(commands)) {}
  Machine(bool threaded, const Form& form);

  uint32_t allocate(uint32_t pages) { return std::exchange(next_, next_ + pages * 4096); }
  /// A batch in the GGTT; returns its address.
  uint32_t batch(const Dwords& dwords) {
    const uint32_t at = allocate(1);
    write(at, dwords);
    return at;
  }
  /// A batch in the PPGTT; returns its virtual address.
  uint64_t user_batch(const Dwords& dwords) {
    const uint64_t at = std::exchange(next_user_, next_user_ + 4096);
    write(user_gpa(ppgtt_base + at), dwords);
    return ppgtt_base + at;
  }
  static uint64_t user_gpa(uint64_t va) { return va - ppgtt_base + 0x0400'0000; }

  static uint32_t hwsp(EngineId e) { return hwsp_base + static_cast<uint32_t>(e) * 4096; }

  /// enable_execlists() and the CSB reset of i915.
  void enable_execlists(EngineId e);
  void submit(EngineId e, const Context& first, const Context* second = nullptr, bool force = false);
  /// As process_csb() of i915 reads the status page: everything since the last call.
  std::vector<Event> events(EngineId e);
  /// Interrupt bits of an engine that are pending in GTn_IIR, cleared by this.
  uint32_t take_interrupts(EngineId e);
  /// All that allocate() and user_batch() can return.
  void copy_memory(Machine& from);
  /// The driver of `other` continues here.
  void adopt_driver(const Machine& other) { csb_head_ = other.csb_head_; }
  /// Frees everything that allocate() and user_batch() returned.
  void next_reset() { next_ = 0x0020'0000, next_user_ = 0; }

  const defs::ContextImages& contexts;
  std::vector<uint64_t> watchdog_wakes;  ///< in ticks

 private:
  uint32_t next_ = 0x0020'0000;
  uint64_t next_user_ = 0;
  std::map<EngineId, uint32_t> csb_head_;
};

/// The machine with execlists on, for one engine.
struct Rig : Machine {
  explicit Rig(EngineId e = EngineId::bcs, bool threaded = false, const defs::CommandSet& commands = defs::gen9::commands)
      : Machine(threaded, commands), id(e) {
    enable_execlists(e);
  }
  void submit(const Context& first, const Context* second = nullptr, bool force = false) { Machine::submit(id, first, second, force); }
  std::vector<Event> events() { return Machine::events(id); }
  EngineId id;
};

}  // namespace softgen::cs::test

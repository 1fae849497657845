// SPDX-License-Identifier: GPL-2.0-or-later
// A micro-controller with registers, interrupts and memory, and the driver's part as Linux 6.1's i915 does it (gt/uc/intel_uc.c, __uc_init_hw()). Offsets
// and bits are the driver's, written a second time on purpose.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "hw/guc/guc.h"
#include "hw/memory/sparse_memory.h"
#include "hw/mmio/interrupts/gen11.h"
#include "hw/mmio/interrupts/gen8.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/mmio/hosts.h"

namespace softgen::guc::test {

/// Records what the scheduler asks of the engines: RCS, BCS, two of video, VECS.
struct FakeEngines final : EnginePort {
  bool has(EngineId engine) const override { return takes_lists(engine); }
  void submit(EngineId engine, const cs::Execlist& list) override { lists.emplace_back(engine, list); }
  void reset(EngineId engine) override {
    resets.push_back(engine);
    if (on_reset) on_reset();
  }
  void wake_at(int64_t ns) override {
    wakes.push_back(ns);
    if (on_wake) on_wake();
  }
  std::vector<std::pair<EngineId, cs::Execlist>> lists;
  std::vector<EngineId> resets;
  std::function<void()> on_reset, on_wake;
  std::vector<int64_t> wakes;
};

/// What a generation's driver knows.
struct Chip {
  const char* name;
  const defs::RegisterSet& set;
  const Layout& layout;
  std::unique_ptr<mmio::Interrupts> (*interrupts)(mmio::RegisterFile& registers, Host& host);
  uint16_t device_id;
  uint32_t mailbox, notify, huc_status, huc_bit, reset_bit;
};
inline const Chip kbl{"kbl", defs::gen9::registers, gen9_layout, mmio::gen8_interrupts, 0x5912, 0xc180, 0xc4c8, 0xd3b0, 1 << 7, 1 << 5};
inline const Chip icl{"icl", defs::gen11::registers, gen11_layout, mmio::gen11_interrupts, 0x8a52, 0x190240, 0x1901f0, 0xc1dc, 1 << 0,
                      1 << 3};
inline const Chip tgl{"tgl", defs::gen12::registers, gen12_layout, mmio::gen12_interrupts, 0x9a49, 0x190240, 0x1901f0, 0xc1dc, 1 << 0,
                      1 << 3};
inline const Chip* const chips[] = {&kbl, &icl, &tgl};

// GGTT addresses, in pages that are mapped one to one.
inline constexpr uint32_t image_at = 0x200'0000, huc_image_at = 0x240'0000, signature_at = 0x280'0000, ads_at = 0x290'0000,
                          buffers_at = 0x2a0'0000;
inline constexpr uint32_t ready = 0x8001'f0ec, in_reset = 1;
inline constexpr uint32_t wopcm_size = 0x80000, wopcm_base = 0x60000, code_dwords = 256;

struct Rig {
  explicit Rig(const Chip& chip = tgl)
      : chip(chip), registers(chip.set), interrupts(chip.interrupts(registers, host)), memory(64 << 20), view(memory, nullptr) {
    quiet_log();
    for (uint64_t page = image_at / 4096; page < (buffers_at + 0x100000) / 4096; ++page) ggtt.set_pte(page, page * 4096 | 1);
    view.set_space(memory::AddressSpace::ggtt(ggtt));
    // As gt has it: a driver of interrupts, and engines' resets, are registered before.
    registers.on_write(0x941c, [this](uint32_t offset, uint32_t) { registers.poke(offset, 0); });
    guc = std::make_unique<Guc>(
        Guc::Environment{registers, *interrupts, memory, ggtt, host, engines, clock, chip.layout, chip.device_id, tlb});
  }

  uint32_t read(uint32_t offset) { return registers.read(offset); }
  void write(uint32_t offset, uint32_t value) { registers.write(offset, value); }
  uint32_t load(uint32_t address) { return view.load<uint32_t>(address); }
  void store(uint32_t address, uint32_t value) { view.store(address, value); }

  /// A file as the drivers get it, of a code that is nothing: header, code.
  static std::vector<uint32_t> file(uint32_t version = 0x460101) {
    std::vector<uint32_t> dwords(32 + code_dwords, 0x90909090);
    std::fill_n(dwords.begin(), 32, 0);
    dwords[0] = 6;
    dwords[1] = 161;
    dwords[2] = 0x10000;
    dwords[4] = 0x8086;
    dwords[6] = 161 + code_dwords;
    dwords[7] = dwords[8] = 64;
    dwords[9] = 1;
    dwords[16] = version;
    return dwords;
  }
  void place(uint32_t address, const std::vector<uint32_t>& dwords) { view.write(address, dwords.data(), dwords.size() * 4); }

  void set_wopcm() {
    write(0xc050, wopcm_size);
    write(0xc340, wopcm_base | 2);
  }
  void reset_guc() { write(0x941c, chip.reset_bit); }
  /// uc_fw_xfer(). False: START stays set.
  bool transfer(uint32_t from, uint32_t to, uint32_t bytes, uint32_t flags) {
    write(0xc300, from);
    write(0xc304, 0);
    write(0xc308, to);
    write(0xc30c, 7 << 16);
    write(0xc310, bytes);
    write(0xc314, (flags | 1) << 16 | flags | 1);
    const bool done = !(read(0xc314) & 1);
    write(0xc314, flags << 16);
    return done;
  }
  bool transfer_huc() { return transfer(huc_image_at, 0, 128 + code_dwords * 4, 1 << 9); }
  bool transfer_guc() { return transfer(image_at, 0x2000, 128 + code_dwords * 4, 1 << 4); }
  void set_parameters(uint32_t features = 1 << 14) {
    write(0xc180, 0);
    const uint32_t values[] = {0, 0, features, 1 << 6, ads_at >> 12 << 1, uint32_t{chip.device_id} << 16};
    for (uint32_t i = 0; i < std::size(values); ++i) write(0xc184 + 4 * i, values[i]);
  }
  void set_signature(uint32_t value = 0x1234) {
    for (uint32_t i = 0; i < 64; ++i) write(0xc200 + 4 * i, value);
  }
  /// GUC_STATUS after all of it.
  uint32_t load_firmware(const std::vector<uint32_t>& guc_file = file(), bool with_huc = true, uint32_t features = 1 << 14) {
    place(image_at, guc_file);
    place(huc_image_at, file());
    store(signature_at, 0x5678);
    set_wopcm();
    reset_guc();
    if (with_huc) REQUIRE(transfer_huc());
    set_parameters(features);
    set_signature();
    REQUIRE(transfer_guc());
    return read(0xc000);
  }

  /// intel_guc_send_mmio(): the first dword of the answer.
  uint32_t send_mmio(std::initializer_list<uint32_t> request) {
    uint32_t offset = chip.mailbox;
    for (const uint32_t dword : request) write(std::exchange(offset, offset + 4), dword);
    write(chip.notify, 1);
    return read(chip.mailbox);
  }

  const Chip& chip;
  mmio::LineHost host;
  mmio::RegisterFile registers;
  std::unique_ptr<mmio::Interrupts> interrupts;
  memory::SparseMemory memory;
  memory::Ggtt ggtt;
  memory::View view;
  FakeEngines engines;
  mmio::TimestampClock clock{19'200'000};
  memory::TlbGeneration tlb;
  std::unique_ptr<Guc> guc;
};

inline constexpr uint32_t success = 0xf000'0000, failure = 0xe000'0000;

/// A rig with its buffers in use, as intel_guc_ct_enable() sets them up.
struct BufferRig : Rig {
  static constexpr uint32_t to_guc = buffers_at, to_host = buffers_at + 0x800, to_guc_ring = buffers_at + 0x1000,
                            to_host_ring = buffers_at + 0x2000, ring_dwords = 1024, host_ring_dwords = 4096;

  explicit BufferRig(const Chip& chip = tgl, uint32_t features = 1 << 14, uint32_t version = 0x460101) : Rig(chip) {
    REQUIRE(load_firmware(file(version), true, features) == ready);
    REQUIRE(open() == success);
  }
  uint32_t configure(uint32_t key, uint32_t dwords, uint32_t value) { return send_mmio({0x508, key << 16 | dwords, value, 0}); }
  uint32_t open() {
    CHECK(send_mmio({0x4509, 0}) == success);
    for (uint32_t i = 0; i < 16; ++i) store(to_guc + 4 * i, 0), store(to_host + 4 * i, 0);
    tail = head = 0;
    CHECK(configure(0x906, 2, to_host) == (success | 1));
    CHECK(configure(0x905, 2, to_host_ring) == (success | 1));
    CHECK(configure(0x907, 1, host_ring_dwords * 4) == (success | 1));
    CHECK(configure(0x903, 2, to_guc) == (success | 1));
    CHECK(configure(0x902, 2, to_guc_ring) == (success | 1));
    CHECK(configure(0x904, 1, ring_dwords * 4) == (success | 1));
    return send_mmio({0x4509, 1});
  }
  void put(uint32_t dword) {
    store(to_guc_ring + 4 * tail, dword);
    tail = (tail + 1) % ring_dwords;
  }
  /// ct_write(), without the interrupt. type 0: request, 1: event, 2: fast request.
  void queue(uint32_t fence, uint32_t type, std::initializer_list<uint32_t> action) {
    put(fence << 16 | static_cast<uint32_t>(action.size()));
    bool first = true;
    for (const uint32_t dword : action) put(std::exchange(first, false) ? type << 28 | dword : dword);
    store(to_guc + 4, tail);
  }
  void send(uint32_t fence, uint32_t type, std::initializer_list<uint32_t> action) {
    queue(fence, type, action);
    write(chip.notify, 1);
  }
  /// ct_read(): the next message with its header; empty: none.
  std::vector<uint32_t> receive() {
    if (load(to_host + 4) == head) return {};
    std::vector<uint32_t> message;
    const uint32_t count = 1 + (load(to_host_ring + 4 * head) & 0xff);
    for (uint32_t i = 0; i < count; ++i) {
      message.push_back(load(to_host_ring + 4 * head));
      head = (head + 1) % host_ring_dwords;
    }
    store(to_host, head);
    return message;
  }
  uint32_t to_guc_status() { return load(to_guc + 8); }
  uint32_t to_host_status() { return load(to_host + 8); }

  uint32_t tail = 0, head = 0;
};

using Message = std::vector<uint32_t>;

}  // namespace softgen::guc::test

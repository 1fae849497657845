// SPDX-License-Identifier: GPL-2.0-or-later
// The driver's part for firmware 9, as Linux 4.19's i915 does it (intel_guc.c, intel_guc_submission.c), and engines that do what the test says. Offsets and
// bits are the driver's, written a second time on purpose.
#pragma once

#include <array>
#include <optional>
#include <utility>

#include "tests/unit/guc/guc_rig.h"

namespace softgen::guc::test {

struct RigV9 : Rig {
  static constexpr uint32_t pool = buffers_at, clients_at = buffers_at + 0x50000, shared = buffers_at + 0xd0000,
                            log_at = buffers_at + 0xe0000, images_at = buffers_at + 0x80000;
  static constexpr uint32_t ok = 0xf000'0000, no_bell = 0xf000'0010, bell_kept = 0xf000'0020, failed = 0xf000'f000;
  static constexpr uint32_t render = 0, video = 1, copy = 2, enhance = 3;  ///< GUC_*_ENGINE

  explicit RigV9(const Chip& chip = kbl) : Rig(chip) {}

  static std::vector<uint32_t> file_v9(uint32_t version = 9 << 16 | 39) {
    std::vector<uint32_t> dwords = file(0);
    dwords[17] = version;
    return dwords;
  }
  /// intel_guc_init_params(), for submission.
  std::array<uint32_t, 14> parameters{
      pool | 64, 0, 100'000'000, 12 << 7, log_at | 1, 0, 1 << 3, 1 << 0 | 1 << 1, (ads_at >> 12) << 11 | 1 << 9};

  uint32_t load_v9(const std::vector<uint32_t>& guc_file = file_v9(), bool with_huc = false) {
    place(image_at, guc_file);
    place(huc_image_at, file());
    set_wopcm();
    reset_guc();
    if (with_huc) REQUIRE(transfer_huc());
    write(0xc180, 0);
    for (uint32_t i = 0; i < parameters.size(); ++i) write(0xc184 + 4 * i, parameters[i]);
    set_signature();
    REQUIRE(transfer_guc());
    return read(0xc000);
  }
  /// intel_guc_send_mmio()
  uint32_t send(std::initializer_list<uint32_t> action) {
    uint32_t offset = 0xc180;
    for (const uint32_t dword : action) write(std::exchange(offset, offset + 4), dword);
    write(0xc4c8, 1);
    return read(0xc180);
  }

  // -- engines -------------------------------------------------------------------------------------------------------------------
  /// The oldest list that an engine has been given and has not taken: an address.
  std::optional<uint32_t> in_port(EngineId engine = EngineId::rcs) {
    for (const auto& [at, list] : engines.lists)
      if (at == engine) return list.element[0].lrca();
    return std::nullopt;
  }
  void take(EngineId engine = EngineId::rcs) {
    const auto found = std::ranges::find(engines.lists, engine, [](const auto& entry) { return entry.first; });
    REQUIRE(found != engines.lists.end());
    cs::Descriptor& running = on_engine[static_cast<size_t>(engine)];
    const cs::Descriptor entered = found->second.element[0], left = std::exchange(running, entered);
    engines.lists.erase(found);
    uint32_t event = left.valid() ? cs::event_preempted : cs::event_idle_to_active;
    if (left.valid() && entered.same_context(left)) event |= cs::event_lite_restore;
    guc->switched(engine, {event, left, entered});
  }
  void complete(EngineId engine = EngineId::rcs) {
    const cs::Descriptor left = std::exchange(on_engine[static_cast<size_t>(engine)], {});
    guc->switched(engine, {cs::event_active_to_idle | cs::event_complete, left, {}});
  }
  std::array<cs::Descriptor, engine_count> on_engine{};

  /// An image's address by a number of the test's.
  static constexpr uint32_t lrca(uint32_t number) { return images_at + number * 0x4000; }
  /// RING_TAIL as an image has it: the second page, dword 7 (i915 4.19 intel_lrc_reg.h, CTX_RING_TAIL).
  uint32_t tail(uint32_t number) { return load(lrca(number) + 4096 + 7 * 4); }
};

/// An intel_guc_client.
struct Client {
  Client(RigV9& rig, uint32_t stage, uint32_t priority = 2, uint32_t bell = 0)
      : rig(rig), stage(stage), base(RigV9::clients_at + stage * 0x3000), descriptor(RigV9::pool + stage * 274), bell(bell) {
    store_bytes(0, std::array<uint8_t, 274>{});
    for (uint32_t i = 0; i < 42; ++i) rig.store(process() + 4 * i, 0);
    rig.store(process(), stage);
    rig.store(process() + 32, 8192u);
    rig.store(process() + 36, 1u);
    rig.store(process() + 44, priority);
    store_bytes(225, uint8_t{1 | 1 << 2});
    store_bytes(4, stage);
    store_bytes(226, priority);
    store_bytes(12, uint8_t{0x1f});
    store_bytes(25, uint64_t{line()});
    store_bytes(33, static_cast<uint16_t>(bell));
    store_bytes(238, process());
    store_bytes(242, base + 4096);
    store_bytes(246, 8192u);
  }
  template <typename T>
  void store_bytes(uint32_t offset, const T& value) {
    rig.view.write(descriptor + offset, &value, sizeof value);
  }
  uint32_t line() const { return base + bell % 64 * 64; }
  uint32_t process() const { return base + (bell % 64 * 64 >= 2048 ? 0 : 2048); }
  uint32_t head() const { return rig.load(process() + 12); }
  uint32_t status() const { return rig.load(process() + 36); }
  uint8_t attributes() const { return rig.view.load<uint8_t>(descriptor + 225); }
  bool is_valid() const { return rig.read(0x1000 + 8 * bell) & 1; }

  void write_line(uint32_t flag, uint32_t cookie) {
    rig.store(line() + 4, cookie);
    rig.store(line(), flag);
  }
  /// create_doorbell()
  uint32_t create() {
    write_line(1, 0);
    return rig.send({0x10, stage});
  }
  /// __destroy_doorbell()
  void clear_line() { write_line(0, 0); }
  uint32_t destroy() {
    clear_line();
    CHECK_FALSE(is_valid());
    return rig.send({0x20, stage});
  }
  void put(uint32_t dword) {
    rig.store(base + 4096 + queue_tail, dword);
    queue_tail = (queue_tail + 4) % 8192;
  }
  /// guc_wq_item_append()
  void append(uint32_t engine, uint32_t lrca, uint32_t tail_bytes) {
    put(3 | engine << 10 | 3 << 16 | 1 << 27);
    put(lrca | 0x119);
    put(tail_bytes / 8 << 20);
    put(0x1234);
    rig.store(process() + 16, queue_tail);
  }
  /// guc_ring_doorbell(), seen by the next look
  void ring() {
    const uint32_t cookie = rig.load(line() + 4);
    rig.store(line() + 4, cookie + 1 ? cookie + 1 : 1);
    rig.read(0xc000);
  }
  void submit(uint32_t engine, uint32_t number, uint32_t tail_bytes) {
    append(engine, RigV9::lrca(number), tail_bytes);
    ring();
  }

  RigV9& rig;
  const uint32_t stage, base, descriptor, bell;
  uint32_t queue_tail = 0;
};

/// A started firmware, the client of normal priority that i915 submits with, and the one that preempts for it.
struct Started : RigV9 {
  Started() {
    REQUIRE(load_v9() == ready);
    REQUIRE(normal.create() == ok);
    REQUIRE(high.create() == ok);
  }
  Client normal{*this, 0, 2, 0}, high{*this, 1, 0, 128};

  /// inject_preempt_context()
  uint32_t preempt(uint32_t engine, uint32_t number, uint32_t options = 4 | 8) {
    high.append(engine, lrca(number), 0x20);
    return send({0x2, high.stage, options, engine, 2, normal.stage, shared});
  }
  uint32_t report(uint32_t engine) { return load(shared + 348 + 272 * engine); }
  uint32_t affected(uint32_t engine) { return load(shared + 348 + 272 * engine + 260); }
};

}  // namespace softgen::guc::test

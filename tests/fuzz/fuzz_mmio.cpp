// SPDX-License-Identifier: GPL-2.0-or-later
// BAR0 and the aperture of a whole device, as a hostile guest may use them: accesses of all sizes anywhere, timers, resets, saved
// states that are damaged. The fuzzer fills guest RAM, so rings and batches may run, too. No thread: threads=0.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "hw/base/log.h"
#include "hw/defs/register.h"
#include "softgen/softgen.h"
#include "tests/fuzz/input.h"

using softgen::fuzz::Input;

namespace {

constexpr size_t ram_size = 1 << 20;
constexpr uint64_t bar0_size = 16 << 20, gtt_window = 8 << 20;

int64_t guest_time;

sg_device* make_device(std::byte* ram) {
  sg_host_ops ops = {};
  ops.clock_ns = [](void*) { return guest_time += 1000; };
  ops.timer_set = [](void*, unsigned, int64_t) {};
  ops.interrupt = [](void*, bool) {};
  ops.log = [](void*, enum sg_log_kind, const char*) {};
  sg_config config = {};
  config.platform = "kbl";
  config.aperture_size = 256ull << 20;
  config.connected = 1;
  sg_device* device = sg_device_new(&config, &ops, nullptr);
  if (!device) std::abort();
  sg_memory_begin(device);
  sg_memory_add(device, 0, ram_size, ram, false);
  sg_memory_commit(device);
  return device;
}

/// Mostly declared registers.
uint64_t choose_offset(Input& in) {
  const uint8_t kind = in.take<uint8_t>();
  const uint32_t word = in.take<uint32_t>();
  if (kind < 160) {
    const auto rows = softgen::defs::gen9::registers.rows;
    const softgen::defs::Register& row = rows[word % rows.size()];
    const uint32_t base = row.engine ? softgen::defs::gen9::registers.engines[word >> 16 & 3].mmio_base : 0;
    return base + row.offset + (word >> 18) % row.count[0] * row.stride[0] + (word >> 20) % row.count[1] * row.stride[1];
  }
  if (kind < 220) return gtt_window + word % 4096 * 8;
  return word % (bar0_size - 8);
}

void reload(sg_device* device, Input& in) {
  void* data = nullptr;
  size_t size = 0;
  sg_pause(device);
  if (!sg_save(device, &data, &size, nullptr)) std::abort();
  static_cast<uint8_t*>(data)[in.take<uint32_t>() % size] ^= in.take<uint8_t>();
  sg_load(device, data, size, nullptr);
  sg_resume(device);
  sg_free(data);
}

void step(sg_device* device, Input& in, std::span<std::byte> ram) {
  const uint8_t op = in.take<uint8_t>();
  const unsigned size = 1u << (op & 3);
  if (op < 150) {
    const uint64_t offset = choose_offset(in);
    sg_bar0_write(device, offset, in.take<uint64_t>(), size);
  } else if (op < 200) {
    sg_bar0_read(device, choose_offset(in), size);
  } else if (op < 220) {
    const size_t at = in.take<uint16_t>() % (ram.size() / 256) * 256;
    const auto bytes = in.take_bytes(64);
    if (!bytes.empty()) std::memcpy(ram.data() + at, bytes.data(), bytes.size());
  } else if (op < 240) {
    const uint64_t offset = in.take<uint32_t>() & 0x0fff'fff0;
    sg_aperture_write(device, offset, op, size);
    sg_aperture_read(device, offset, size);
  } else if (op < 250) {
    sg_timer_expired(device, op % SG_TIMER_COUNT);
  } else if (op < 254) {
    sg_reset(device, op & 1 ? SG_RESET_POWER : SG_RESET_FLR);
  } else {
    reload(device, in);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  guest_time = 0;
  Input in({data, size});
  // One device for all inputs: a reset leaves no trace, and building one takes longer than most inputs.
  static std::vector<std::byte> ram(ram_size);
  static sg_device* device = make_device(ram.data());
  std::memset(ram.data(), 0, ram_size);
  sg_reset(device, SG_RESET_POWER);
  for (unsigned i = 0; i < 400 && !in.empty(); ++i) step(device, in, ram);
  std::vector<uint32_t> pixels(64 * 64);
  for (unsigned pipe = 0; pipe < 3; ++pipe) {
    sg_pipe_mode mode;
    sg_display_mode(device, pipe, &mode);
    sg_dirty_rect dirty;
    if (mode.active && mode.width <= 64 && mode.height <= 64)
      sg_display_draw(device, pipe, pixels.data(), mode.width, mode.height, 64 * 4, true, &dirty);
  }
  sg_free(sg_report(device));
  return 0;
}

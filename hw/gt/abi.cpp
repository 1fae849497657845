// SPDX-License-Identifier: GPL-2.0-or-later
// include/softgen/softgen.h over gt::Device.
#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "hw/base/failure_log.h"
#include "hw/gt/abi.h"
#include "hw/gt/device.h"
#include "hw/gt/guard.h"
#include "hw/gt/host_adapter.h"
#include "softgen/softgen.h"

using softgen::gt::Config;
using softgen::gt::Device;
using softgen::gt::HostAdapter;

struct sg_device {
  sg_device(const Config& config, const sg_host_ops& ops, std::unique_ptr<softgen::Log> log)
      : own_log(std::move(log)), host(ops), device(config, host) {}
  std::unique_ptr<softgen::Log> own_log;  ///< null: the log of the thread that made the device
  softgen::Log& log = softgen::this_log();
  HostAdapter host;
  Device device;
};

namespace {

void fail(char** error, const std::string& why) {
  if (error) *error = strdup(why.c_str());
}

/// Empty when the configuration is sound.
std::string check(const sg_config& config) {
  const std::string name = config.platform ? config.platform : "";
  if (!softgen::defs::find_platform(name)) return fmt::format("there is no platform '{}'", name);
  constexpr uint64_t mib = 1ull << 20;
  if (!std::has_single_bit(config.aperture_size) || config.aperture_size < 128 * mib || config.aperture_size > 4096 * mib)
    return fmt::format("an aperture of {} bytes is not a power of two from 128 MiB to 4 GiB", config.aperture_size);
  if (config.threads > 1024) return fmt::format("{} worker threads are more than the 1024 that can be", config.threads);
  if (config.connected >> SG_MAX_CONNECTORS) return fmt::format("there are only {} connectors", SG_MAX_CONNECTORS);
  return {};
}

/// The fences that begin at `offset`, if the platform has some there.
sg_bar_range fences(const softgen::defs::Platform& platform, uint32_t offset) {
  constexpr uint64_t fence_bytes = 8;
  const softgen::defs::Register* const row = platform.registers->find(offset);
  if (!row || !row->hook) return {};
  return {offset, row->count[0] * fence_bytes};
}

/// guarded() for `dev`, with its log.
template <typename Result, typename Body>
Result guarded(sg_device* dev, const char* entry, Result otherwise, Body&& body) noexcept {
  const softgen::LogScope scope(dev->log);
  return softgen::gt::guarded(entry, otherwise, std::forward<Body>(body));
}
template <typename Body>
void guarded(sg_device* dev, const char* entry, Body&& body) noexcept {
  const softgen::LogScope scope(dev->log);
  softgen::gt::guarded(entry, std::forward<Body>(body));
}

/// guarded(), with an error of its own: a caller that gets false also gets a sentence.
template <typename Body>
bool fails_with_sentence(sg_device* dev, const char* entry, char** error, Body&& body) {
  bool threw = true;
  const bool result = guarded(dev, entry, false, [&] {
    const bool done = body();
    threw = false;
    return done;
  });
  if (threw) guarded(dev, entry, [&] { fail(error, "the host failed, see the log"); });
  return result;
}

/// Null: the host wants no log of its own.
std::unique_ptr<softgen::Log> log_to(const sg_host_ops& ops) {
  if (!ops.log) return nullptr;
  return std::make_unique<softgen::Log>([log = ops.log, opaque = ops.opaque](softgen::Failure kind, std::string_view line) {
    static_assert(static_cast<int>(softgen::Failure::note) == SG_LOG_NOTE);
    log(opaque, static_cast<sg_log_kind>(kind), std::string(line).c_str());
  });
}

}  // namespace

softgen::gt::Device& softgen::gt::device_of(sg_device* dev) { return dev->device; }
softgen::Log& softgen::gt::log_of(sg_device* dev) { return dev->log; }

sg_device* softgen::gt::new_device(const sg_config& config, std::shared_ptr<eu::Compiler> compiler, const sg_host_ops& ops, char** error) {
  if (const std::string why = check(config); !why.empty()) {
    fail(error, why);
    return nullptr;
  }
  const Config ours{.platform = softgen::defs::find_platform(config.platform),
                    .threads = config.threads,
                    .poll_commands = config.poll_commands,
                    .aperture_size = config.aperture_size,
                    .stolen_base = config.stolen_base,
                    .stolen_size = config.stolen_size,
                    .connected = config.connected,
                    .preempt_commands = config.preempt_commands,
                    .compiler = std::move(compiler)};
  try {
    auto log = log_to(ops);
    const LogScope scope(log ? *log : this_log());
    return new sg_device(ours, ops, std::move(log));
  } catch (const std::exception& problem) {  // out of memory or threads
    fail(error, fmt::format("the device could not be built: {}", problem.what()));
    return nullptr;
  }
}

extern "C" {

const sg_platform_info* sg_platform_at(unsigned index) {
  static const auto infos = [] {
    std::vector<sg_platform_info> all;
    for (const softgen::defs::Platform& p : softgen::defs::platforms()) {
      all.push_back({.name = p.name,
                     .description = p.description,
                     .pci_device_id = p.pci_device_id,
                     .pci_revision = p.pci_revision,
                     .bar0_size = p.bar0_size,
                     .gtt_offset = p.bar0_size / 2,
                     .gtt_entry_size = p.ggtt->entry_bytes,
                     .fences = {fences(p, softgen::reg::FENCE(0)), fences(p, softgen::reg::FENCE_GEN4(0))},
                     .engines = static_cast<unsigned>(std::popcount(p.engines)),
                     .pipes = p.pipes,
                     .stolen_base_offset = p.board.stolen_base,
                     .stolen_base_size = p.board.stolen_base_bytes,
                     .bridge_gmch_offset = p.board.bridge_gmch,
                     .vbt_name = p.board.vbt,
                     .ddc = {}});
      for (size_t i = 0; i < p.board.ddc.size(); ++i) {
        const softgen::defs::Board::Ddc& ddc = p.board.ddc[i];
        all.back().ddc[i] = {ddc.pin, ddc.in_vbt, ddc.dvo_port, ddc.aux_channel};
      }
    }
    return all;
  }();
  return index < infos.size() ? &infos[index] : nullptr;
}

const sg_platform_info* sg_platform(const char* name) {
  const sg_platform_info* info = nullptr;
  for (unsigned i = 0; name && (info = sg_platform_at(i)); ++i)
    if (std::strcmp(info->name, name) == 0) return info;
  return nullptr;
}

sg_device* sg_device_new(const sg_config* config, const sg_host_ops* ops, char** error) {
  return softgen::gt::new_device(*config, nullptr, *ops, error);
}

void sg_device_free(sg_device* dev) {
  if (!dev) return;
  const auto log = std::move(dev->own_log);  // until the device is gone
  guarded(dev, "sg_device_free", [&] { delete dev; });
}

void sg_memory_begin(sg_device* dev) {
  guarded(dev, "sg_memory_begin", [&] { dev->device.memory_begin(); });
}
void sg_memory_add(sg_device* dev, uint64_t gpa, uint64_t size, void* host, bool readonly) {
  guarded(dev, "sg_memory_add", [&] { dev->device.memory_add(gpa, size, host, readonly); });
}
void sg_memory_remove(sg_device* dev, uint64_t gpa, uint64_t size) {
  guarded(dev, "sg_memory_remove", [&] { dev->device.memory_remove(gpa, size); });
}
void sg_memory_commit(sg_device* dev) {
  guarded(dev, "sg_memory_commit", [&] { dev->device.memory_commit(); });
}
void sg_dirty_log(sg_device* dev, bool on) {
  guarded(dev, "sg_dirty_log", [&] { dev->device.dirty_log(on); });
}
void sg_dirty_sync(sg_device* dev, uint64_t gpa, uint64_t size, void (*dirty)(void*, uint64_t, uint64_t), void* opaque) {
  guarded(dev, "sg_dirty_sync",
          [&] { dev->device.dirty_sync(gpa, size, [=](uint64_t first, uint64_t bytes) { dirty(opaque, first, bytes); }); });
}
void sg_set_stolen(sg_device* dev, uint64_t base, uint64_t size) {
  guarded(dev, "sg_set_stolen", [&] { dev->device.set_stolen(base, size); });
}

uint64_t sg_bar0_read(sg_device* dev, uint64_t offset, unsigned size) {
  return guarded(dev, "sg_bar0_read", uint64_t{0}, [&] { return dev->device.bar0_read(offset, size); });
}
void sg_bar0_write(sg_device* dev, uint64_t offset, uint64_t value, unsigned size) {
  guarded(dev, "sg_bar0_write", [&] { dev->device.bar0_write(offset, value, size); });
}
uint8_t sg_vga_read(sg_device* dev, uint16_t port) {
  return guarded(dev, "sg_vga_read", uint8_t{0xff}, [&] { return dev->device.vga().read(port); });
}
void sg_vga_write(sg_device* dev, uint16_t port, uint8_t value) {
  guarded(dev, "sg_vga_write", [&] { dev->device.vga().write(port, value); });
}
uint64_t sg_aperture_read(sg_device* dev, uint64_t offset, unsigned size) {
  return guarded(dev, "sg_aperture_read", uint64_t{0}, [&] { return dev->device.aperture_read(offset, size); });
}
void sg_aperture_write(sg_device* dev, uint64_t offset, uint64_t value, unsigned size) {
  guarded(dev, "sg_aperture_write", [&] { dev->device.aperture_write(offset, value, size); });
}
void* sg_aperture_page(sg_device* dev, uint64_t offset) {
  return guarded(dev, "sg_aperture_page", static_cast<void*>(nullptr), [&]() -> void* { return dev->device.aperture_page(offset); });
}

void sg_reset(sg_device* dev, enum sg_reset_kind kind) {
  guarded(dev, "sg_reset", [&] { dev->device.reset(kind == SG_RESET_WAKEUP ? Device::Entries::kept : Device::Entries::cleared); });
}
void sg_timer_expired(sg_device* dev, unsigned id) {
  guarded(dev, "sg_timer_expired", [&] { dev->device.timer_expired(id); });
}

void sg_display_mode(sg_device* dev, unsigned pipe, sg_pipe_mode* mode) {
  guarded(dev, "sg_display_mode", [&] { dev->device.display().mode(pipe, mode); });
}
void sg_display_refresh(sg_device* dev, unsigned pipe, bool look) {
  guarded(dev, "sg_display_refresh", [&] { dev->device.display().refresh(pipe, look); });
}
void sg_display_picture(sg_device* dev, unsigned pipe, uint32_t* width, uint32_t* height) {
  guarded(dev, "sg_display_picture", [&] { dev->device.display().picture_size(pipe, width, height); });
}
void sg_display_draw(sg_device* dev, unsigned pipe, void* pixels, uint32_t width, uint32_t height, size_t stride, bool full,
                     sg_dirty_rect* dirty) {
  guarded(dev, "sg_display_draw", [&] { dev->device.display().draw(pipe, pixels, {width, height}, stride, full, dirty); });
}
bool sg_display_is_vga(sg_device* dev) {
  return guarded(dev, "sg_display_is_vga", false, [&] { return dev->device.display().is_vga(); });
}
void sg_connector_plug(sg_device* dev, unsigned connector, bool connected) {
  guarded(dev, "sg_connector_plug", [&] { dev->device.display().plug(connector, connected); });
}

void sg_pause(sg_device* dev) {
  guarded(dev, "sg_pause", [&] { dev->device.pause(); });
}
void sg_resume(sg_device* dev) {
  guarded(dev, "sg_resume", [&] { dev->device.resume(); });
}

bool sg_save(sg_device* dev, void** data, size_t* size, char** error) {
  const auto save = [&] {
    softgen::Archive archive;
    dev->device.state(archive);
    if (archive.failed()) return fail(error, archive.error()), false;
    *size = archive.output().size();
    *data = std::malloc(*size);
    if (!*data) return fail(error, "there is no memory for the saved state"), false;
    std::memcpy(*data, archive.output().data(), *size);
    return true;
  };
  return fails_with_sentence(dev, "sg_save", error, save);
}

bool sg_load(sg_device* dev, const void* data, size_t size, char** error) {
  const auto load = [&] {
    softgen::Archive archive(std::span(static_cast<const std::byte*>(data), size));
    dev->device.state(archive);
    if (archive.failed()) fail(error, archive.error());
    return !archive.failed();
  };
  return fails_with_sentence(dev, "sg_load", error, load);
}

char* sg_report(sg_device* dev) {
  return guarded(dev, "sg_report", static_cast<char*>(nullptr), [&] { return strdup(dev->device.report().c_str()); });
}
void sg_free(void* p) { std::free(p); }

}  // extern "C"

// SPDX-License-Identifier: GPL-2.0-or-later
// A front end for tests: guest RAM, a clock that tests control, and a record of the device's calls.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "hw/base/log.h"
#include "hw/gt/abi.h"
#include "softgen/softgen.h"
#include "tests/catch.h"

namespace softgen::test {

class FakeHost {
 public:
  /// `compiler`: of its kernels; null: one of its own.
  explicit FakeHost(unsigned threads = 0, uint32_t connected = 1, std::shared_ptr<eu::Compiler> compiler = nullptr,
                    const char* platform = "kbl")
      : ram_(ram_size) {
    ops_.opaque = this;
    ops_.clock_ns = [](void* self) {
      if (static_cast<FakeHost*>(self)->clock_throws) throw std::bad_alloc();
      return static_cast<FakeHost*>(self)->now();
    };
    ops_.timer_set = [](void* self, unsigned id, int64_t deadline) { static_cast<FakeHost*>(self)->set_timer(id, deadline); };
    ops_.interrupt = [](void* self, bool level) {
      if (level && static_cast<FakeHost*>(self)->interrupt_throws) throw std::bad_alloc();
      static_cast<FakeHost*>(self)->set_level(level);
    };
    ops_.log = [](void*, enum sg_log_kind, const char*) {};
    ops_.fault = [](void* self, const sg_fault* fault) { static_cast<FakeHost*>(self)->note_fault(*fault); };
    sg_config config = {};
    config.platform = platform;
    config.threads = threads;
    config.aperture_size = 256ull << 20;
    config.connected = connected;
    char* error = nullptr;
    device_ = gt::new_device(config, std::move(compiler), ops_, &error);
    REQUIRE(device_);
    sg_memory_begin(device_);
    sg_memory_add(device_, 0, ram_size, ram_.data(), false);
    sg_memory_commit(device_);
  }
  ~FakeHost() { sg_device_free(device_); }

  static constexpr uint64_t ram_size = 16 << 20;
  static constexpr uint64_t gtt_window = 8 << 20;

  sg_device* device() { return device_; }
  /// How often the device reported it.
  uint64_t failures(Failure kind, std::string_view what) { return gt::log_of(device_).count(kind, what); }
  /// Makes callbacks throw, as the host's code may.
  std::atomic<bool> clock_throws{false}, interrupt_throws{false};
  uint32_t read(uint64_t offset) { return static_cast<uint32_t>(sg_bar0_read(device_, offset, 4)); }
  void write(uint64_t offset, uint32_t value) { sg_bar0_write(device_, offset, value, 4); }
  void masked(uint64_t offset, uint32_t set, uint32_t clear = 0) { write(offset, (set | clear) << 16 | set); }

  template <typename T>
  T& ram(uint64_t gpa) {
    return *reinterpret_cast<T*>(ram_.data() + gpa);
  }
  /// Maps `pages` GGTT pages from `address` to guest physical `gpa`.
  void map(uint64_t address, uint64_t gpa, unsigned pages) {
    for (unsigned i = 0; i < pages; ++i) sg_bar0_write(device_, gtt_window + (address / 4096 + i) * 8, (gpa + i * 4096) | 1, 8);
  }

  int64_t now() {
    std::lock_guard lock(mutex_);
    return now_;
  }
  /// Moves guest time, and lets timers expire in their order.
  void advance(int64_t ns) {
    const int64_t end = now() + ns;
    for (;;) {
      unsigned id = SG_TIMER_COUNT;
      {
        std::lock_guard lock(mutex_);
        for (const auto& [timer, deadline] : timers_)
          if (deadline <= end && (id == SG_TIMER_COUNT || deadline < timers_[id])) id = timer;
        if (id == SG_TIMER_COUNT) {
          now_ = end;
          return;
        }
        now_ = std::max(now_, timers_[id]);
        timers_.erase(id);
      }
      sg_timer_expired(device_, id);
    }
  }
  /// Guest time at which the timer expires; -1: it is not set.
  int64_t deadline(unsigned timer) {
    std::lock_guard lock(mutex_);
    const auto at = timers_.find(timer);
    return at == timers_.end() ? -1 : at->second;
  }
  bool level() {
    std::lock_guard lock(mutex_);
    return level_;
  }
  unsigned messages() {
    std::lock_guard lock(mutex_);
    return messages_;
  }
  /// Waits for the device's threads: false when `messages` interrupts have not come in a minute.
  bool wait_messages(unsigned messages) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return messages_ >= messages; });
  }
  /// Points of the fault plan's firings that the device has reported.
  std::vector<std::string> faults() {
    std::lock_guard lock(mutex_);
    return faults_;
  }
  /// Adds a line to the fault plan: empty, or why not.
  std::string plan(const std::string& line) {
    char* error = nullptr;
    const bool added = sg_faults_add(device_, line.c_str(), &error);
    std::string why = error ? error : "";
    sg_free(error);
    CHECK(added == why.empty());
    return why;
  }
  std::string save() {
    void* data = nullptr;
    size_t size = 0;
    char* error = nullptr;
    sg_pause(device_);
    const bool saved = sg_save(device_, &data, &size, &error);
    sg_resume(device_);
    REQUIRE(saved);
    std::string bytes(static_cast<char*>(data), size);
    sg_free(data);
    return bytes;
  }
  /// Empty when it worked.
  std::string load(const std::string& bytes) {
    char* error = nullptr;
    sg_pause(device_);
    const bool loaded = sg_load(device_, bytes.data(), bytes.size(), &error);
    sg_resume(device_);
    std::string why = error ? error : "";
    sg_free(error);
    CHECK(loaded == why.empty());
    return why;
  }

 private:
  void set_timer(unsigned id, int64_t deadline) {
    std::lock_guard lock(mutex_);
    if (deadline < 0) timers_.erase(id);
    else timers_[id] = deadline;
  }
  void note_fault(const sg_fault& fault) {
    std::lock_guard lock(mutex_);
    faults_.emplace_back(fault.point);
  }
  void set_level(bool level) {
    {
      std::lock_guard lock(mutex_);
      messages_ += level && !level_;
      level_ = level;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t now_ = 1'000'000'000;
  std::map<unsigned, int64_t> timers_;
  bool level_ = false;
  unsigned messages_ = 0;
  std::vector<std::string> faults_;
  sg_host_ops ops_{};
  sg_device* device_ = nullptr;
  std::vector<std::byte> ram_;
};

}  // namespace softgen::test

// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel side of softgen-run: brings the device up through its registers, as i915 does, and schedules requests onto its engines.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "hw/base/condition.h"
#include "hw/base/mutex.h"
#include "hw/defs/platform.h"
#include "hw/run/address_space.h"
#include "hw/run/arena.h"
#include "hw/run/ggtt.h"
#include "hw/run/process_end.h"
#include "hw/run/request.h"
#include "hw/run/submission.h"
#include "softgen/softgen.h"

namespace softgen::run {

struct Options {
  std::string platform = defs::platforms().front().name;
  unsigned threads = 1;
  unsigned preempt = 0;          ///< sg_config::preempt_commands
  std::string engine = "tiers";  ///< how EU kernels run (hw/eu/jit/engine.h)
  std::string record;
  std::string stats;                     ///< file for the JSON report at exit; "-": standard error
  std::string frames;                    ///< directory for presented frames
  std::string show;                      ///< shell command that reads each frame shown, raw R8G8B8X8, from its standard input
  std::string faults;                    ///< file with a fault plan
  int hang_timeout_s = 60;               ///< 0: never
  unsigned width = 1920, height = 1080;  ///< of the one monitor
  unsigned refresh_hz = 60;              ///< 0: a flip is shown as soon as it is drawn
  bool verbose = false;
  std::string check;         ///< as sg_check_start() takes it; empty: no checker
  std::string check_folder;  ///< where each process leaves its findings, as PID.json
};

class Gpu {
 public:
  /// Throws std::runtime_error with one sentence.
  explicit Gpu(const Options& options);
  ~Gpu();

  /// The driver's one lock: held by every call below and by users of Bo, AddressSpace or Context.
  Mutex& lock() SG_RETURN_CAPABILITY(mutex_) { return mutex_; }
  const defs::Platform& platform() const { return platform_; }
  const Chip& chip() const { return chip_; }
  Arena& arena() { return arena_; }
  sg_device* device() { return device_; }
  const Options& options() const { return options_; }

  /// For a new context. Throws std::bad_alloc.
  std::shared_ptr<AddressSpace> address_space() SG_REQUIRES(mutex_);
  /// Queues a request; `slot` names the logical context.
  void submit(const RequestPtr& request, unsigned slot) SG_REQUIRES(mutex_);
  /// Another process may use the object from now on; requests that are queued or run count as uses of it.
  void share(const BoPtr& bo) SG_REQUIRES(mutex_);
  /// Frees the GGTT space of a context once its requests are done.
  void release(const std::shared_ptr<Context>& context) SG_REQUIRES(mutex_);
  /// Each context of the render engine loads these in the given order with its next request; at most max_context_registers. i915 changes the
  /// contexts' images instead (i915_perf.c, oa_configure_all_contexts).
  void set_context_registers(std::vector<RegisterValue> registers) SG_REQUIRES(mutex_);
  /// This context runs on the render engine, without a batch, whenever the engine has completed all requests of other contexts, as i915's kernel
  /// context does before the engine is parked and at heartbeats. Null: none.
  void set_idle_context(std::shared_ptr<Context> context) SG_REQUIRES(mutex_) { idle_context_ = std::move(context); }
  /// Zero-filled, at a GGTT address that is a multiple of `alignment` pages. Throws std::bad_alloc.
  GgttMemory ggtt_allocate(uint32_t pages, uint32_t alignment = 1) SG_REQUIRES(mutex_) { return ggtt_.allocate(pages, alignment); }
  void ggtt_free(const GgttMemory& memory) SG_REQUIRES(mutex_) { ggtt_.free(memory); }
  /// As reports of the observation unit name the context.
  uint32_t context_id(const LogicalContext& context) SG_REQUIRES(mutex_) { return submission_->context_id(context); }
  uint64_t read_register(uint32_t offset, unsigned size);
  /// The signal makes the GPU print on standard error where each engine is, unless the program handles it.
  static void report_position_on(int signal_number);
  /// Work of fences may have become ready outside the device (a syncobj was signalled).
  void kick();
  /// For the device: calls it at `deadline_ns` of monotonic_ns(); < 0: no more.
  void set_timer(int64_t deadline_ns);

 private:
  sg_device* make_device();
  void write(uint32_t offset, uint32_t value) { Registers(device_).write(offset, value); }
  uint32_t read(uint32_t offset) { return Registers(device_).read(offset); }
  void bring_up() SG_REQUIRES(mutex_);
  LogicalContext& logical_context(Context& context, unsigned slot, unsigned engine) SG_REQUIRES(mutex_);
  void schedule(EngineQueue& engine) SG_REQUIRES(mutex_);
  RequestPtr take_ready(EngineQueue& engine) SG_REQUIRES(mutex_);
  bool start_ready(EngineQueue& engine) SG_REQUIRES(mutex_);
  void run_idle_context() SG_REQUIRES(mutex_);
  void start(EngineQueue& engine, const RequestPtr& request) SG_REQUIRES(mutex_);
  void serve_interrupt();
  void service() SG_REQUIRES(mutex_);
  void process_engine(EngineQueue& engine) SG_REQUIRES(mutex_);
  void retire(EngineQueue& engine) SG_REQUIRES(mutex_);
  /// The request is done with, one way or another; FenceClock::notify() is due.
  void finish(Request& request, int error = 0);
  void check_hang(EngineQueue& engine) SG_REQUIRES(mutex_);
  void recover(EngineQueue& engine) SG_REQUIRES(mutex_);
  void take_back(EngineQueue& engine, const Context* guilty) SG_REQUIRES(mutex_);
  void give_up(const char* why) SG_REQUIRES(mutex_);
  bool is_current(const LogicalContext& context) const SG_REQUIRES(mutex_);
  void report_position();
  /// Ends the recording and writes the report of --stats. Any thread, while engines run, too.
  void write_results() SG_EXCLUDES(mutex_);
  void write_findings();
  void thread_main();

  static void on_interrupt(void* opaque, bool level);

  Options options_;
  const defs::Platform& platform_;
  const Chip& chip_;
  const std::shared_ptr<Arena> shared_arena_;  ///< objects that are still mapped keep it
  Arena& arena_;
  sg_device* const device_;
  Mutex mutex_;
  Ggtt ggtt_ SG_GUARDED_BY(mutex_);
  std::shared_ptr<AddressSpace> global_space_ SG_GUARDED_BY(mutex_);  ///< of chips without tables per process
  std::unique_ptr<Submission> submission_ SG_GUARDED_BY(mutex_);
  EngineQueue engines_[run_engines] SG_GUARDED_BY(mutex_);
  bool wedged_ SG_GUARDED_BY(mutex_) = false;  ///< a reset failed: nothing runs any more
  struct {
    std::vector<RegisterValue> values;
    uint32_t version = 0;
  } context_registers_ SG_GUARDED_BY(mutex_);
  std::shared_ptr<Context> idle_context_ SG_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Context>> released_ SG_GUARDED_BY(mutex_);

  Mutex irq_mutex_;
  Condition irq_changed_;
  bool irq_pending_ SG_GUARDED_BY(irq_mutex_) = false, quit_ SG_GUARDED_BY(irq_mutex_) = false;
  int64_t timer_due_ SG_GUARDED_BY(irq_mutex_) = -1;
  std::thread thread_;
  std::optional<ProcessEnd> end_;  ///< where there are results to write
};

}  // namespace softgen::run

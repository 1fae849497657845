// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel side of softgen-run: brings the device up through its registers, as i915 does, and schedules requests onto execlists.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "hw/base/condition.h"
#include "hw/base/mutex.h"
#include "hw/defs/platform.h"
#include "hw/run/arena.h"
#include "hw/run/bo.h"
#include "hw/run/chip.h"
#include "hw/run/chip_oa.h"
#include "hw/run/fence.h"
#include "hw/run/ppgtt.h"
#include "hw/run/process_end.h"
#include "softgen/softgen.h"

namespace softgen::run {

struct Options {
  std::string platform = defs::platforms().front().name;
  unsigned threads = 1;
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

struct Context;
struct Request {
  std::shared_ptr<Context> context;
  unsigned engine = 0;
  enum class Batch : uint8_t { none, ppgtt, ggtt } space = Batch::ppgtt;
  uint64_t batch = 0;                    ///< address there
  std::vector<RegisterValue> registers;  ///< loaded before the batch runs; max_request_registers
  std::vector<FencePtr> waits;
  std::vector<BoPtr> buffers;  ///< kept alive until done
  struct SharedUse {
    BoPtr bo;
    Ticket ticket;
  };
  std::vector<SharedUse> shared;  ///< with other processes; begun
  void end_uses();
  FencePtr fence;
  uint32_t seqno = 0;  ///< of the logical context it runs in
  unsigned slot = 0;
};
using RequestPtr = std::shared_ptr<Request>;
constexpr size_t max_request_registers = 4, max_context_registers = 8;

/// Pages of the arena, mapped in the GGTT.
struct GgttMemory {
  uint64_t gpa = 0;
  uint32_t address = 0;  ///< in the GGTT
  uint32_t pages = 0;
};

/// One logical ring context.
struct LogicalContext {
  GgttMemory image, ring;  ///< image.address is the PRM's LRCA
  uint32_t tail = 0;       ///< ring offset, bytes
  uint32_t seqno = 0;
  uint32_t id = 0;
  uint32_t registers = 0;  ///< version of Gpu's context registers that it has loaded
};

/// A GEM context: an address space, and one logical context per engine slot that was used.
struct Context {
  std::shared_ptr<Ppgtt> vm;
  uint32_t vm_id = 0;
  std::vector<int> slots;                      ///< engine map: engine index per slot, -1 invalid; empty: legacy ring flags
  std::map<unsigned, LogicalContext> logical;  ///< key: slot
  bool banned = false;
  int priority = 0;
  bool recoverable = true, bannable = true;
  uint32_t batch_active = 0, batch_pending = 0, resets = 0;
};

class Gpu {
 public:
  /// Throws std::runtime_error with one sentence.
  explicit Gpu(const Options& options);
  ~Gpu();

  /// The driver's one lock: held by every call below and by users of Bo, Ppgtt or Context.
  Mutex& lock() SG_RETURN_CAPABILITY(mutex_) { return mutex_; }
  const defs::Platform& platform() const { return platform_; }
  const Chip& chip() const { return chip_; }
  Arena& arena() { return arena_; }
  sg_device* device() { return device_; }
  const Options& options() const { return options_; }

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
  GgttMemory ggtt_allocate(uint32_t pages, uint32_t alignment = 1) SG_REQUIRES(mutex_);
  void ggtt_free(const GgttMemory& memory) SG_REQUIRES(mutex_);
  uint64_t read_register(uint32_t offset, unsigned size);
  /// The signal makes the GPU print on standard error where each engine is, unless the program handles it.
  static void report_position_on(int signal_number);
  /// Work of fences may have become ready outside the device (a syncobj was signalled).
  void kick();
  /// For the device: calls it at `deadline_ns` of monotonic_ns(); < 0: no more.
  void set_timer(int64_t deadline_ns);

 private:
  struct Engine {
    const EngineInfo* info = nullptr;
    GgttMemory hwsp;
    unsigned csb_read = 0;
    std::deque<RequestPtr> waiting;
    std::deque<RequestPtr> running;  ///< all of one logical context, one after the other in its ring
    LogicalContext* current = nullptr;
    const Context* last = nullptr;  ///< started last
    bool busy = false;
    bool submitted = false;          ///< to the port, and not taken from there yet
    bool active = false;             ///< as the last event says
    bool switch_interrupts = false;  ///< its context switches interrupt
    int64_t since_ns = 0;            ///< last progress
  };

  void write(uint32_t offset, uint32_t value) { Registers(device_).write(offset, value); }
  uint32_t read(uint32_t offset) { return Registers(device_).read(offset); }
  /// Returns the first address, a multiple of `alignment` pages. Throws std::bad_alloc.
  uint32_t ggtt_map(uint64_t gpa, uint32_t pages, uint32_t alignment) SG_REQUIRES(mutex_);
  void ggtt_unmap(uint32_t address, uint32_t pages) SG_REQUIRES(mutex_);
  void bring_up() SG_REQUIRES(mutex_);
  void bring_up_engine(Engine& engine) SG_REQUIRES(mutex_);
  LogicalContext& logical_context(Context& context, unsigned slot, unsigned engine) SG_REQUIRES(mutex_);
  void write_image(LogicalContext& logical, const Context& context, const EngineInfo& info);
  void emit(LogicalContext& logical, const EngineInfo& info, Request& request) SG_REQUIRES(mutex_);
  void schedule(Engine& engine) SG_REQUIRES(mutex_);
  RequestPtr take_ready(Engine& engine) SG_REQUIRES(mutex_);
  bool start_ready(Engine& engine) SG_REQUIRES(mutex_);
  void run_idle_context() SG_REQUIRES(mutex_);
  void open_registers(const Engine& engine);
  void enable_switch_interrupts(Engine& engine, bool on);
  void start(Engine& engine, const RequestPtr& request) SG_REQUIRES(mutex_);
  void serve_interrupt();
  void service() SG_REQUIRES(mutex_);
  void process_engine(Engine& engine) SG_REQUIRES(mutex_);
  void retire(Engine& engine) SG_REQUIRES(mutex_);
  /// The request is done with, one way or another; FenceClock::notify() is due.
  void finish(Request& request, int error = 0);
  void check_hang(Engine& engine) SG_REQUIRES(mutex_);
  void recover(Engine& engine) SG_REQUIRES(mutex_);
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
  sg_device* device_ = nullptr;
  Mutex mutex_;
  Engine engines_[run_engines] SG_GUARDED_BY(mutex_);
  std::map<uint32_t, uint32_t> ggtt_free_ SG_GUARDED_BY(mutex_);  // first page -> pages
  uint32_t next_context_id_ SG_GUARDED_BY(mutex_) = 1;
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

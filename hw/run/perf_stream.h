// SPDX-License-Identifier: GPL-2.0-or-later
// i915's performance interface: streams of reports of the observation unit. An open stream enables the unit (i915 i915_perf.c).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "hw/base/condition.h"
#include "hw/base/mutex.h"
#include "hw/run/gpu.h"
#include "hw/run/oa_buffer.h"
#include "hw/run/perf_configs.h"

namespace softgen::run {

/// A stream's properties, each checked by itself (i915_perf.c, read_properties_unlocked).
struct PerfProperties {
  bool sample_reports = false, periodic = false, hold_preemption = false, global_sseu = false;
  std::optional<uint32_t> context_handle;
  int metrics_set = 0;
  std::optional<OaFormat> format;
  uint32_t period_exponent = 0;
  uint64_t poll_period_ns = 5'000'000;
};

/// Enables the unit's counters, by batches of register writes and by registers of contexts.
class OaProgrammer {
 public:
  /// `context`, `slot`: the observed context, and its slot for the render engine; null: all contexts. `kernel`: the driver's own context.
  OaProgrammer(Gpu& gpu, const PerfProperties& properties, std::shared_ptr<Context> context, unsigned slot,
               std::shared_ptr<Context> kernel);

  /// Starts to count `config`'s events. Complete when the fence is signalled.
  FencePtr enable(const OaConfigPtr& config);
  /// Replaces an open stream's set, in order with the context's requests.
  FencePtr change(const OaConfigPtr& config);
  void disable();
  /// Upper half of the context's descriptor. After enable().
  uint32_t context_id() const;

  /// Hands over the batches, with the fence after which they can be freed.
  std::pair<FencePtr, std::vector<GgttMemory>> take_batches();

 private:
  FencePtr submit(const std::shared_ptr<Context>& context, unsigned slot, std::vector<RegisterValue> registers, uint32_t batch)
      SG_REQUIRES(gpu_.lock());
  uint32_t batch_of(const OaConfigPtr& config) SG_REQUIRES(gpu_.lock());
  FencePtr write_config(const OaConfigPtr& config, std::vector<RegisterValue> registers) SG_REQUIRES(gpu_.lock());
  std::vector<RegisterValue> of_all_contexts(const OaConfig* config) const;
  std::vector<RegisterValue> of_context(bool on) const;
  uint32_t timer() const;

  Gpu& gpu_;
  const OaUnit& unit_;
  const PerfProperties properties_;
  const std::shared_ptr<Context> context_, kernel_;
  const unsigned slot_;
  std::map<OaConfigPtr, GgttMemory> batches_;
  FencePtr last_;
};

class Perf;

/// One open stream. Any thread.
class PerfStream {
 public:
  /// `fd`: our own descriptor of the program's eventfd. Throws std::bad_alloc.
  PerfStream(Perf& perf, const PerfProperties& properties, OaConfigPtr config, std::unique_ptr<OaProgrammer> programmer, int fd);
  ~PerfStream();
  PerfStream(const PerfStream&) = delete;
  PerfStream& operator=(const PerfStream&) = delete;

  void enable();
  void disable();
  /// Takes the set's id; returns that of the previous set.
  int set_config(uint64_t id);
  /// As read(2), but errors are negative errno.
  int64_t read(int fd, uint64_t to, size_t room);
  /// Disables everything; later calls return errors.
  void tear_down();

 private:
  void stop() SG_REQUIRES(mutex_);
  int64_t try_read(uint64_t to, size_t room) SG_REQUIRES(mutex_);
  void set_readable(bool readable) SG_REQUIRES(mutex_);
  void thread_main();

  Perf& perf_;
  const PerfProperties properties_;
  const int fd_;
  Mutex mutex_;
  Condition changed_;
  std::unique_ptr<OaProgrammer> programmer_ SG_GUARDED_BY(mutex_);
  OaConfigPtr config_ SG_GUARDED_BY(mutex_);
  std::unique_ptr<OaBuffer> buffer_ SG_GUARDED_BY(mutex_);  ///< null after tear_down()
  bool enabled_ SG_GUARDED_BY(mutex_) = false, readable_ SG_GUARDED_BY(mutex_) = false, quit_ SG_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

/// The interface of a device: its metric sets, and the one stream that can be open.
class Perf {
 public:
  explicit Perf(Gpu& gpu) : gpu_(gpu), configs_(*gpu.chip().oa) {}
  ~Perf();

  Gpu& gpu() { return gpu_; }
  OaConfigs& configs() { return configs_; }
  /// A new descriptor, or a negative errno. `context`: that of the properties' handle.
  int open(const PerfProperties& properties, const std::shared_ptr<Context>& context, uint32_t flags);
  /// The stream has been torn down.
  void closed(OaProgrammer& programmer);

 private:
  std::shared_ptr<PerfStream> make_stream(const PerfProperties& properties, const std::shared_ptr<Context>& context, unsigned slot,
                                          const OaConfigPtr& config, int fd) SG_REQUIRES(mutex_);
  void free_batches() SG_REQUIRES(mutex_);

  Gpu& gpu_;
  OaConfigs configs_;
  Mutex mutex_;
  std::shared_ptr<Context> kernel_ SG_GUARDED_BY(mutex_);
  bool open_ SG_GUARDED_BY(mutex_) = false;
  std::weak_ptr<PerfStream> stream_ SG_GUARDED_BY(mutex_);
  std::vector<std::pair<FencePtr, std::vector<GgttMemory>>> batches_ SG_GUARDED_BY(mutex_);  ///< of closed streams
};

/// The stream of a descriptor; null: it is not a stream.
std::shared_ptr<PerfStream> perf_stream(int fd);
bool is_perf_stream(int fd);
void add_perf_stream(int fd, std::shared_ptr<PerfStream> stream);
/// I915_PERF_IOCTL_*. Negative errno.
int perf_stream_ioctl(PerfStream& stream, unsigned long request, uint64_t argument);
void forget_perf_stream(int fd);
/// `to` is a duplicate of `from`.
void share_perf_stream(int from, int to);

}  // namespace softgen::run

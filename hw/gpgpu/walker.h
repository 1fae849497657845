// SPDX-License-Identifier: GPL-2.0-or-later
// GPGPU_WALKER: thread groups over a grid. Groups are independent, so they are spread over the worker pool; the threads of a group share a
// host thread. Between groups the walk can be preempted.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/eu/interp/thread_group.h"
#include "hw/eu/program/series.h"
#include "hw/gpgpu/decoder.h"
#include "hw/gpgpu/kernel.h"
#include "hw/iface/engine.h"

namespace softgen::gpgpu {

/// What a host thread needs to run groups.
struct Worker {
  explicit Worker(const memory::View& like) : view(like.memory(), like.sink(), like.engine()) {}

  memory::View view;
  eu::ThreadGroup group;
  // For kernels whose threads do not meet.
  eu::Thread thread;
  Grf header;  ///< r0 without the group
  std::array<Grf, 64> headers;
  std::array<eu::SeriesThread, 64> series;
  std::vector<Grf> slm;
  DirectAnswers direct;  ///< of the walk's kernel
};

/// The host threads that groups may run on.
class Workers {
 public:
  explicit Workers(WorkerPool* pool) : pool_(pool) {}
  unsigned slots() const { return slots_of(pool_); }
  /// Calls body(worker, index) for each index below `count`, at most slots() of them at the same time, each with a worker of its own.
  template <typename F>
  void run(const memory::View& view, unsigned count, F&& body) {
    while (workers_.size() < slots()) workers_.push_back(std::make_unique<Worker>(view));
    for (auto& worker : workers_) worker->view.set_space(view.space());
    if (!pool_ || count == 1) {
      for (unsigned i = 0; i < count; ++i) body(*workers_[0], i);
      return;
    }
    pool_->for_each(count, [&](size_t index, unsigned slot) { body(*workers_[slot], static_cast<unsigned>(index)); });
  }

 private:
  WorkerPool* pool_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

class Walk {
 public:
  Walk(const WalkCommand& command, Kernel kernel, MessageTarget& shared, EngineEnv& env);

  /// Runs groups from number `first` on. preempted: next() is the first that did not run.
  ExecResult run(Workers& workers, uint64_t first);
  uint64_t next() const { return std::min(next_.load(), groups_); }
  uint64_t groups() const { return groups_; }
  /// Channels of all threads that were started.
  uint64_t invocations() const { return invocations_; }

 private:
  struct GroupId {
    uint32_t x, y, z;
  };
  GroupId id_of(uint64_t group) const;
  void run_groups(Worker& worker, uint32_t bank);
  class Series;
  ExecResult run_batch(Worker& worker, uint32_t bank, uint64_t first, uint64_t end);
  ExecResult run_single(Worker& worker, uint32_t bank, uint64_t first, uint64_t end);
  ExecResult run_group(Worker& worker, const GroupId& id, uint32_t bank);
  void clear_local(Worker& worker) const;
  static void put_id(Grf& r0, const GroupId& id) { r0.dw[1] = id.x, r0.dw[6] = id.y, r0.dw[7] = id.z; }
  /// r0 of a group's threads.
  Grf header_of(const GroupId& id, uint32_t fftid) const;
  void lay_out(bool indirect);
  /// Constants of thread `number` of a group, as layout_ has them.
  const Grf* own_constants(uint32_t number) const;
  void start_thread(eu::Thread& thread, const Grf& header, uint32_t number) const;
  uint32_t mask_of(uint32_t number) const;
  ThreadEnv environment(Worker& worker, uint32_t fftid) const;
  void stop(ExecResult why);

  Kernel kernel_;
  MessageTarget& shared_;
  EngineEnv& env_;
  struct {
    uint32_t width, height, depth, threads;
  } group_;  ///< in threads
  struct {
    uint32_t full, right, bottom;
    bool all_full;  ///< of all threads
  } masks_;
  struct {
    uint32_t first_x, first_y, first_z, count_x, count_y;
  } grid_;  ///< in groups
  uint64_t groups_ = 0;
  eu::SeriesLayout layout_;  ///< of the payload: r0, constants for all threads, those of each thread
  std::vector<Grf> constants_;
  uint64_t shared_at_ = 0, own_at_ = 0, own_step_ = 0, own_end_ = 0;  ///< in there; zeros follow the end
  const uint64_t number_;                                             ///< ThreadEnv::walk
  std::atomic<uint64_t> next_{0}, invocations_{0};
  std::atomic<ExecResult> result_{ExecResult::done};
};

}  // namespace softgen::gpgpu

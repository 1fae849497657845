// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 2a (GPGPU_WALKER), vol 7 ("GPGPU Thread Payload"); Mesa iris_state.c, compute-runtime gpgpu_walker_base.inl (layout of
// indirect payloads).
#include "hw/gpgpu/walker.h"

#include <algorithm>
#include <bit>
#include <chrono>

#include "hw/base/log.h"
#include "hw/eu/interp/run.h"
#include "hw/eu/program/work_counts.h"
#include "hw/mmio/register_file.h"

namespace softgen::gpgpu {

namespace {

constexpr uint32_t count_from(uint32_t first, uint32_t end) { return end > first ? end - first : 0; }

uint64_t next_number() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

/// x * y * z, saturating: such a walk never ends anyway.
uint64_t product(uint32_t x, uint32_t y, uint32_t z) {
  uint64_t n = uint64_t{x} * y;
  return __builtin_mul_overflow(n, uint64_t{z}, &n) ? ~uint64_t{0} : n;
}

}  // namespace

Walk::Walk(const WalkCommand& command, Kernel kernel, MessageTarget& shared, EngineEnv& env)
    : kernel_(std::move(kernel)),
      shared_(shared),
      env_(env),
      group_{command.width, command.height, command.depth, command.width * command.height * command.depth},
      masks_{command.channels == 32 ? ~0u : (1u << command.channels) - 1, command.right_mask, command.bottom_mask, false},
      grid_{command.first[0], command.first[1], command.first[2], 0, 0},
      number_(next_number()) {
  masks_.all_full = (masks_.full & masks_.right & masks_.bottom) == masks_.full;
  // The dimensions are the first group numbers that are not there any more.
  auto [end_x, end_y, end_z] = command.end;
  if (command.end_in_registers) {
    end_x = env.registers.peek(reg::GPGPU_DISPATCHDIMX);
    end_y = env.registers.peek(reg::GPGPU_DISPATCHDIMY);
    end_z = env.registers.peek(reg::GPGPU_DISPATCHDIMZ);
  }
  grid_.count_x = count_from(grid_.first_x, end_x);
  grid_.count_y = count_from(grid_.first_y, end_y);
  groups_ = product(grid_.count_x, grid_.count_y, count_from(grid_.first_z, end_z));
  const IndirectData& indirect = command.indirect;
  if (indirect.bytes) constants_ = read_constants(env.view, kernel_.bases.indirect_object + indirect.offset, indirect.bytes);
  else constants_ = std::move(kernel_.curbe);
  lay_out(indirect.bytes != 0);
}

/// Both have constants for all threads first, then for each. The CURBE's go to registers in this order; of indirect data, those for all threads come
/// last, so that each thread's are put together.
void Walk::lay_out(bool indirect) {
  const uint32_t shared = kernel_.cross_registers, own = kernel_.thread_registers;
  const auto end = static_cast<uint8_t>(1 + shared + own);
  shared_at_ = std::min<uint64_t>(indirect ? 0 : kernel_.constant_offset, constants_.size());
  own_at_ = shared_at_ + shared, own_step_ = own, own_end_ = constants_.size();
  constants_.resize(constants_.size() + eu::grf_count);
  layout_ = {1, static_cast<uint8_t>(1 + shared), end};
  if (!indirect || !shared) return;
  std::vector<Grf> together;
  // The first thread after the end stands for all others.
  for (uint64_t number = 0, last = 0; !last && number <= group_.threads; ++number) {
    last = own_at_ + number * own >= own_end_ || !own;
    const Grf* const from = own_constants(static_cast<uint32_t>(number));
    together.insert(together.end(), from, from + own);
    together.insert(together.end(), constants_.begin(), constants_.begin() + shared);
  }
  layout_ = {1, 1, end};
  shared_at_ = own_at_ = 0, own_step_ = shared + own, own_end_ = together.size() - own_step_;
  constants_ = std::move(together);
}

const Grf* Walk::own_constants(uint32_t number) const { return constants_.data() + std::min(own_at_ + number * own_step_, own_end_); }

Walk::GroupId Walk::id_of(uint64_t group) const {
  const uint64_t row = group / grid_.count_x;
  return {grid_.first_x + static_cast<uint32_t>(group % grid_.count_x), grid_.first_y + static_cast<uint32_t>(row % grid_.count_y),
          grid_.first_z + static_cast<uint32_t>(row / grid_.count_y)};
}

/// Channels of thread `number` of a group: fewer in the last column and row.
uint32_t Walk::mask_of(uint32_t number) const {
  if (masks_.all_full) return masks_.full;
  uint32_t mask = masks_.full;
  if (number % group_.width == group_.width - 1) mask &= masks_.right;
  if (number / group_.width % group_.height == group_.height - 1) mask &= masks_.bottom;
  return mask;
}

Grf Walk::header_of(const GroupId& id, uint32_t fftid) const {
  Grf r0 = kernel_.header(fftid);
  put_id(r0, id);
  return r0;
}

void Walk::start_thread(eu::Thread& thread, const Grf& header, uint32_t number) const {
  eu::ThreadStart start = kernel_.start;
  start.dispatch_mask = mask_of(number);
  start.payload = layout_.end;
  thread.grf(0) = header;
  std::copy_n(constants_.data() + shared_at_, layout_.attributes - layout_.constants, thread.regs.grf + layout_.constants);
  std::copy_n(own_constants(number), layout_.end - layout_.attributes, thread.regs.grf + layout_.attributes);
  thread.start(start);
}

ThreadEnv Walk::environment(Worker& worker, uint32_t fftid) const {
  ThreadEnv env{worker.view, kernel_.bases,        env_.stop,           std::as_writable_bytes(std::span(worker.slm)),
                fftid,       kernel_.scratch_base, kernel_.scratch_size};
  env.walk = number_;
  env.direct = &worker.direct;
  env.may_stream = true;
  return env;
}

void Walk::clear_local(Worker& worker) const { worker.slm.assign(kernel_.slm_size / sizeof(Grf), Grf{}); }

/// Threads that run one after the other.
class Walk::Series {
 public:
  Series(const Walk& walk, Worker& worker, uint32_t bank) : walk_(walk), worker_(worker), env_(walk.environment(worker, bank)) {
    worker.header = walk.kernel_.header(bank);
  }
  bool is_full() const { return count_ == worker_.series.size(); }
  void add(const GroupId& id, uint32_t number) {
    eu::SeriesThread& thread = worker_.series[count_];
    const uint32_t mask = walk_.mask_of(number);
    if (number == 0 || count_ == 0) {
      // Moved whole, then changed: a vector loaded from where dwords were just stored would wait for all that the threads before have written.
      header_ = &worker_.headers[count_];
      *header_ = worker_.header;
      put_id(*header_, id);
    }
    thread.next = &thread + 1;
    thread.own = header_;
    thread.attributes = walk_.own_constants(number);
    thread.channels = thread.dispatch_mask = mask;
    channels_ += mask == walk_.masks_.full ? full_channels_ : static_cast<uint64_t>(std::popcount(mask));
    ++count_;
  }
  /// Those that were added.
  ExecResult run() {
    if (!count_) return ExecResult::done;
    worker_.series[count_ - 1].next = nullptr;
    eu::SeriesThread* running = nullptr;
    const eu::ThreadSeries series{walk_.layout_,
                                  worker_.series.data(),
                                  count_,
                                  walk_.masks_.all_full ? walk_.masks_.full : 0,
                                  walk_.constants_.data() + walk_.shared_at_,
                                  &running};
    eu::count_threads(Work::cs_threads, *walk_.kernel_.start.program, count_);
    count_ = 0;
    const bool ended = eu::run_series(worker_.thread, walk_.kernel_.start, series, env_, walk_.shared_);
    return walk_.env_.stop.aborting() ? ExecResult::aborted : ended ? ExecResult::done : ExecResult::fault;
  }
  /// Of all that were added.
  uint64_t channels() const { return channels_; }

 private:
  const Walk& walk_;
  Worker& worker_;
  ThreadEnv env_;
  const uint64_t full_channels_ = static_cast<uint64_t>(std::popcount(walk_.masks_.full));
  uint32_t count_ = 0;
  Grf* header_ = nullptr;  ///< of the group, for its threads of this series
  uint64_t channels_ = 0;
};

/// Groups [first, end), where no thread meets another.
ExecResult Walk::run_single(Worker& worker, uint32_t bank, uint64_t first, uint64_t end) {
  clear_local(worker);  // takes its place
  Series series(*this, worker, bank);
  GroupId id = id_of(first);
  ExecResult result = env_.stop.aborting() ? ExecResult::aborted : ExecResult::done;
  for (uint64_t group = first; group < end && result == ExecResult::done;) {
    for (uint32_t n = 0; n < group_.threads && result == ExecResult::done; ++n) {
      series.add(id, n);
      if (series.is_full()) result = series.run();
    }
    // Local memory is a group's.
    if (kernel_.slm_size && result == ExecResult::done) {
      result = series.run();
      clear_local(worker);
    }
    ++group;
    if (++id.x == grid_.first_x + grid_.count_x) id = id_of(group);
  }
  if (result == ExecResult::done) result = series.run();
  invocations_.fetch_add(series.channels(), std::memory_order_relaxed);
  return result;
}

ExecResult Walk::run_group(Worker& worker, const GroupId& id, uint32_t bank) {
  clear_local(worker);
  const uint32_t first_fftid = bank * group_.threads;
  uint64_t channels = 0;
  worker.group.clear();
  for (uint32_t n = 0; n < group_.threads; ++n) {
    channels += static_cast<uint64_t>(std::popcount(mask_of(n)));
    start_thread(worker.group.add(environment(worker, first_fftid + n)), header_of(id, first_fftid + n), n);
  }
  invocations_.fetch_add(channels, std::memory_order_relaxed);
  eu::count_threads(Work::cs_threads, *kernel_.start.program, group_.threads);
  switch (worker.group.run(shared_)) {
    case eu::ThreadGroup::Result::finished: return ExecResult::done;
    case eu::ThreadGroup::Result::aborted: return ExecResult::aborted;
    case eu::ThreadGroup::Result::deadlocked: break;
  }
  return ExecResult::fault;
}

void Walk::stop(ExecResult why) {
  ExecResult expected = ExecResult::done;
  if (why == ExecResult::preempted) result_.compare_exchange_strong(expected, why);
  else result_ = why;
}

/// Groups [first, end), as far as they go well.
ExecResult Walk::run_batch(Worker& worker, uint32_t bank, uint64_t first, uint64_t end) {
  if (!kernel_.barrier) return run_single(worker, bank, first, end);
  ExecResult result = ExecResult::done;
  for (uint64_t group = first; group < end && result == ExecResult::done; ++group) {
    if (env_.stop.aborting()) return ExecResult::aborted;
    result = run_group(worker, id_of(group), bank);
  }
  return result;
}

void Walk::run_groups(Worker& worker, uint32_t bank) {
  using Clock = std::chrono::steady_clock;
  // As many groups at a time as take a few microseconds: each locked operation waits for all that was written before it.
  uint64_t batch = 1;
  constexpr uint64_t largest_batch = 64;
  constexpr auto short_time = std::chrono::microseconds(20);
  while (result_.load(std::memory_order_relaxed) == ExecResult::done) {
    const auto begin = Clock::now();
    const uint64_t first = next_.fetch_add(batch, std::memory_order_relaxed);
    if (first >= groups_) return;
    const ExecResult result = run_batch(worker, bank, first, std::min(first + batch, groups_));
    if (result != ExecResult::done) {
      if (result == ExecResult::fault) guest_error("thread group whose threads all wait", "{} threads", group_.threads);
      return stop(result);
    }
    // After a batch, so that every call gets on by one group at least.
    if (env_.stop.reasons() & (StopFlag::preempt | StopFlag::pause)) return stop(ExecResult::preempted);
    batch = Clock::now() - begin < short_time ? std::min(2 * batch, largest_batch) : std::max<uint64_t>(batch / 2, 1);
  }
}

ExecResult Walk::run(Workers& workers, uint64_t first) {
  next_ = first;
  if (first >= groups_) return ExecResult::done;
  if (kernel_.barrier && group_.threads > eu::ThreadGroup::max_threads) {
    guest_error("GPGPU_WALKER", "a group with a barrier has {} threads, a subslice holds fewer", group_.threads);
    return ExecResult::fault;
  }
  // Threads that run at the same time have scratch spaces of their own, of which there are as many as MEDIA_VFE_STATE says.
  const uint32_t together = kernel_.barrier ? group_.threads : 1;
  unsigned banks = workers.slots();
  if (kernel_.scratch_size) banks = std::clamp(kernel_.max_threads / together, 1u, banks);
  banks = static_cast<unsigned>(std::min<uint64_t>(banks, groups_ - first));
  workers.run(env_.view, banks, [this](Worker& worker, unsigned bank) {
    run_groups(worker, bank);
    worker.direct.clear(eu::count_answers);
  });
  const ExecResult result = result_;
  return result == ExecResult::preempted && next_ >= groups_ ? ExecResult::done : result;
}

}  // namespace softgen::gpgpu

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/perf_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <new>
#include <utility>

#include "hw/base/signals.h"

namespace softgen::run {
namespace {

/// The context's slot for the render engine, if it has one (oa_pin_context).
std::optional<unsigned> render_slot(const Context& context) {
  if (context.slots.empty()) return 0;
  for (unsigned slot = 0; slot < context.slots.size(); ++slot)
    if (context.slots[slot] == 0) return slot;
  return std::nullopt;
}

}  // namespace

PerfStream::PerfStream(Perf& perf, const PerfProperties& properties, OaConfigPtr config, std::unique_ptr<OaProgrammer> programmer, int fd)
    : perf_(perf),
      properties_(properties),
      fd_(fd),
      programmer_(std::move(programmer)),
      config_(std::move(config)),
      buffer_(std::make_unique<OaBuffer>(perf.gpu(), *properties.format)) {
  const FencePtr fence = programmer_->enable(config_);
  FenceClock::get().wait(INT64_MAX, [&] { return fence->signalled; });
  if (properties.context_handle) buffer_->filter().only(programmer_->context_id());
  if (!properties.sample_reports) return;
  const SignalsBlocked in_new_threads;
  thread_ = std::thread([this] { thread_main(); });
}

PerfStream::~PerfStream() {
  tear_down();
  close(fd_);
}

void PerfStream::tear_down() {
  {
    MutexLock lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  std::unique_ptr<OaProgrammer> programmer;
  {
    MutexLock lock(mutex_);
    if (!buffer_) return;
    stop();
    programmer = std::move(programmer_);
    programmer->disable();
    buffer_.reset();
  }
  perf_.closed(*programmer);
}

/// On Gen12 a stream without reports does not start the chip's unit (gen12_oa_enable).
void PerfStream::enable() {
  MutexLock lock(mutex_);
  if (!buffer_ || std::exchange(enabled_, true)) return;
  set_readable(false);
  if (properties_.sample_reports) buffer_->start();
  changed_.notify_all();
}

void PerfStream::disable() {
  MutexLock lock(mutex_);
  if (buffer_) stop();
}

void PerfStream::stop() {
  if (std::exchange(enabled_, false)) buffer_->stop();
}

int PerfStream::set_config(uint64_t id) {
  MutexLock lock(mutex_);
  const OaConfigPtr config = perf_.configs().find(static_cast<uint32_t>(id));  // an int in i915, too
  if (!buffer_ || !config) return -EINVAL;
  const auto before = static_cast<int>(config_->id);
  if (config == config_) return before;
  try {
    programmer_->change(config);
  } catch (const std::bad_alloc&) { return -ENOMEM; }
  config_ = config;
  return before;
}

/// Sets what poll(2) reports for the program's descriptor.
void PerfStream::set_readable(bool readable) {
  if (std::exchange(readable_, readable) == readable) return;
  // Not read() and write(), which the program's descriptor answers by this class.
  eventfd_t value;
  if (readable) eventfd_write(fd_, 1);
  else eventfd_read(fd_, &value);
}

int64_t PerfStream::try_read(uint64_t to, size_t room) {
  if (!buffer_->has_reports()) buffer_->refresh();
  Records records(to, room);
  const int error = buffer_->read(records);
  if (error != -ENOSPC) set_readable(false);
  if (records.bytes()) return static_cast<int64_t>(records.bytes());
  return error ? error : -EAGAIN;
}

int64_t PerfStream::read(int fd, uint64_t to, size_t room) {
  const bool blocks = !(fcntl(fd, F_GETFL) & O_NONBLOCK);
  for (;;) {
    {
      MutexLock lock(mutex_);
      if (!enabled_ || !properties_.sample_reports || (blocks && !properties_.periodic)) return -EIO;
      const int64_t got = try_read(to, room);
      if (!blocks || got != -EAGAIN) return got;
    }
    pollfd readable{fd_, POLLIN, 0};  // ours, which another thread does not close
    if (poll(&readable, 1, -1) < 0) return -errno;
  }
}

/// In place of the kernel's timer (oa_poll_check_timer_cb).
void PerfStream::thread_main() {
  prctl(PR_SET_NAME, "softgen-oa");
  MutexLock lock(mutex_);
  while (!quit_) {
    if (!enabled_) {
      changed_.wait(mutex_);
      continue;
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(properties_.poll_period_ns);
    while (!quit_ && enabled_)
      if (!changed_.wait_until(mutex_, until)) break;
    if (!quit_ && enabled_ && buffer_->refresh()) set_readable(true);
  }
}

Perf::~Perf() {
  std::shared_ptr<PerfStream> stream;
  {
    MutexLock lock(mutex_);
    stream = stream_.lock();
  }
  if (stream) stream->tear_down();
}

/// The checks and their order: i915_perf_open_ioctl_locked(), i915_oa_stream_init().
int Perf::open(const PerfProperties& properties, const std::shared_ptr<Context>& context, uint32_t flags) {
  if (!properties.sample_reports && !(gpu_.chip().oa->context_control && context)) return -EINVAL;
  MutexLock lock(mutex_);
  if (open_) return -EBUSY;
  if (!properties.format) return -EINVAL;
  const auto slot = context ? render_slot(*context) : 0;
  if (!slot) return -ENODEV;
  const OaConfigPtr config = configs_.find(static_cast<uint32_t>(properties.metrics_set));
  if (!config) return -EINVAL;
  const int own = eventfd(0, EFD_CLOEXEC | (flags & I915_PERF_FLAG_FD_NONBLOCK ? EFD_NONBLOCK : 0));
  const int fd = own < 0 ? -1 : fcntl(own, flags & I915_PERF_FLAG_FD_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
  const int error = fd < 0 ? -errno : 0;
  try {
    if (!error) add_perf_stream(fd, make_stream(properties, context, *slot, config, own));
    if (!error && !(flags & I915_PERF_FLAG_DISABLED)) perf_stream(fd)->enable();
    if (!error) return fd;
  } catch (const std::bad_alloc&) {  // NOLINT: reported below, as -ENOMEM
  }
  if (fd >= 0) close(fd);
  if (own >= 0) close(own);
  return error ? error : -ENOMEM;
}

std::shared_ptr<PerfStream> Perf::make_stream(const PerfProperties& properties, const std::shared_ptr<Context>& context, unsigned slot,
                                              const OaConfigPtr& config, int fd) {
  free_batches();
  if (!kernel_) {
    MutexLock gpu(gpu_.lock());
    auto kernel = std::make_shared<Context>();
    kernel->vm = gpu_.address_space();
    kernel_ = std::move(kernel);
  }
  auto programmer = std::make_unique<OaProgrammer>(gpu_, properties, context, slot, kernel_);
  auto stream = std::make_shared<PerfStream>(*this, properties, config, std::move(programmer), fd);
  stream_ = stream;
  open_ = true;
  return stream;
}

void Perf::closed(OaProgrammer& programmer) {
  MutexLock lock(mutex_);
  batches_.push_back(programmer.take_batches());
  free_batches();
  open_ = false;
}

/// Frees the batches of streams whose requests the GPU has completed.
void Perf::free_batches() {
  std::erase_if(batches_, [this](const auto& of_stream) {
    if (!FenceClock::get().signalled(of_stream.first)) return false;
    MutexLock lock(gpu_.lock());
    for (const GgttMemory& batch : of_stream.second) gpu_.ggtt_free(batch);
    return true;
  });
}

}  // namespace softgen::run

// SPDX-License-Identifier: GPL-2.0-or-later
// EXECBUFFER2: binding, relocations, implicit and explicit fences. Semantics: i915 gem/i915_gem_execbuffer.c.
#include <errno.h>
#include <i915_drm.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/base/mutex.h"
#include "hw/run/drm_file.h"

namespace softgen::run {
namespace {

uint64_t canonical(uint64_t address) { return static_cast<uint64_t>(sign_extend(address, 48)); }

/// Engine of the legacy ring flags.
std::optional<unsigned> legacy_engine(const Chip& chip, uint64_t flags) {
  const auto of_class = [&](unsigned engine) { return chip.has(engine) ? std::optional(engine) : std::nullopt; };
  switch (flags & I915_EXEC_RING_MASK) {
    case I915_EXEC_DEFAULT:
    case I915_EXEC_RENDER: return of_class(I915_ENGINE_CLASS_RENDER);
    case I915_EXEC_BLT: return of_class(I915_ENGINE_CLASS_COPY);
    case I915_EXEC_BSD: return of_class(I915_ENGINE_CLASS_VIDEO);
    case I915_EXEC_VEBOX: return of_class(I915_ENGINE_CLASS_VIDEO_ENHANCE);
    default: return std::nullopt;
  }
}

}  // namespace

/// One call of EXECBUFFER2; runs under the driver's lock.
class ExecBuffer {
 public:
  ExecBuffer(DrmFile& file, drm_i915_gem_execbuffer2& args) : file_(file), args_(args) {}

  int run() {
    using Step = int (ExecBuffer::*)();
    for (Step step : {&ExecBuffer::look_up, &ExecBuffer::bind, &ExecBuffer::relocate, &ExecBuffer::collect_waits,
                      &ExecBuffer::collect_signals, &ExecBuffer::submit})
      if (const int result = (this->*step)()) return result;
    return 0;
  }

 private:
  struct Signal {
    SyncobjPtr object;
    uint64_t point;
  };

  const Chip& chip() const { return file_.driver().gpu.chip(); }
  int look_up();
  int check_secure() const;
  int bind();
  int relocate();
  int relocate_one(const drm_i915_gem_exec_object2& object, const Bo& bo);
  int collect_waits();
  int collect_signals();
  int fence_array(const drm_i915_gem_exec_fence* fences, const uint64_t* points, uint64_t count);
  int submit() SG_NO_THREAD_SAFETY_ANALYSIS;  // execbuffer2() holds the lock, which has another name there
  bool begin_shared_uses(Ticket ticket);
  void order_shared_uses();
  void implicit_fences();
  int drop(int error);
  bool writes(size_t i) const { return (objects_[i].flags & EXEC_OBJECT_WRITE) || written_[i]; }
  unsigned batch_index() const { return args_.flags & I915_EXEC_BATCH_FIRST ? 0 : args_.buffer_count - 1; }

  DrmFile& file_;
  drm_i915_gem_execbuffer2& args_;
  RequestPtr request_ = std::make_shared<Request>();
  unsigned slot_ = 0;
  std::span<drm_i915_gem_exec_object2> objects_;
  std::vector<BoPtr> buffers_;
  // By buffer: a relocation says so, as libdrm_intel's do (i915's eb_relocate_entry() sets EXEC_OBJECT_WRITE).
  std::vector<bool> written_;
  std::vector<Signal> signals_;
};

int ExecBuffer::look_up() {
  if (args_.buffer_count == 0 || args_.buffer_count > 1u << 20) return -EINVAL;
  objects_ = {reinterpret_cast<drm_i915_gem_exec_object2*>(args_.buffers_ptr), args_.buffer_count};
  const auto context = file_.context(i915_execbuffer2_get_context_id(args_));
  if (!context) return -ENOENT;
  if (context->banned) return -EIO;
  if (context->slots.empty()) {
    const auto engine = legacy_engine(chip(), args_.flags);
    if (!engine) return -EINVAL;
    slot_ = request_->engine = *engine;
  } else {
    slot_ = args_.flags & I915_EXEC_RING_MASK;
    if (slot_ >= context->slots.size() || context->slots[slot_] < 0) return -EINVAL;
    request_->engine = static_cast<unsigned>(context->slots[slot_]);
  }
  request_->context = context;
  request_->secure = chip().uapi.secure_batches && (args_.flags & I915_EXEC_SECURE);
  if (request_->secure)
    if (const int error = check_secure()) return error;
  for (const auto& object : objects_) {
    BoPtr bo = file_.bo(object.handle);
    if (!bo) return -ENOENT;
    bo->flush_view();
    buffers_.push_back(std::move(bo));
  }
  return 0;
}

/// Privileged batches, of chips whose command streamers leave security to the driver (i915_gem_do_execbuffer()).
int ExecBuffer::check_secure() const { return chip().uapi.secure_batches && file_.primary() && geteuid() == 0 ? 0 : -EPERM; }

int ExecBuffer::bind() {
  AddressSpace& vm = *request_->context->vm;
  vm.begin();
  for (size_t i = 0; i < objects_.size(); ++i) {
    drm_i915_gem_exec_object2& object = objects_[i];
    Place place{.pinned = (object.flags & EXEC_OBJECT_PINNED) != 0,
                .high = (object.flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS) != 0,
                .address = strip_canonical(object.offset),
                .alignment = object.alignment};
    if (place.pinned && (canonical(place.address) != object.offset || (place.address & 4095))) return -EINVAL;
    if (const int error = vm.bind(buffers_[i], place)) return error;
    object.offset = canonical(place.address);
  }
  const size_t batch = batch_index();
  request_->batch = strip_canonical(objects_[batch].offset) + args_.batch_start_offset;
  if (args_.batch_start_offset >= buffers_[batch]->size()) return -EINVAL;
  return 0;
}

int ExecBuffer::relocate() {
  written_.assign(objects_.size(), false);
  for (size_t i = 0; i < objects_.size(); ++i)
    if (const int result = relocate_one(objects_[i], *buffers_[i])) return result;
  return 0;
}

int ExecBuffer::relocate_one(const drm_i915_gem_exec_object2& object, const Bo& bo) {
  auto* relocs = reinterpret_cast<drm_i915_gem_relocation_entry*>(object.relocs_ptr);
  for (uint32_t i = 0; i < object.relocation_count; ++i) {
    drm_i915_gem_relocation_entry& reloc = relocs[i];
    uint64_t index = reloc.target_handle;
    if (!(args_.flags & I915_EXEC_HANDLE_LUT)) {
      const auto it = std::find_if(objects_.begin(), objects_.end(), [&](const auto& o) { return o.handle == reloc.target_handle; });
      index = static_cast<uint64_t>(it - objects_.begin());
    }
    if (index >= objects_.size()) return -ENOENT;
    const unsigned bytes = chip().uapi.relocation_bytes;
    if (reloc.offset > bo.size() - bytes || (reloc.offset & 3)) return -EINVAL;
    const uint64_t value = canonical(strip_canonical(objects_[index].offset) + reloc.delta);
    std::memcpy(bo.host() + reloc.offset, &value, bytes);
    reloc.presumed_offset = objects_[index].offset;
    if (reloc.write_domain) written_[index] = true;
  }
  return 0;
}

int ExecBuffer::collect_waits() {
  for (size_t i = 0; i < objects_.size(); ++i) {
    if (objects_[i].flags & EXEC_OBJECT_ASYNC) continue;
    Bo& bo = *buffers_[i];
    if (bo.last_write) request_->waits.push_back(bo.last_write);
    if (writes(i)) request_->waits.insert(request_->waits.end(), bo.last_reads.begin(), bo.last_reads.end());
  }
  if (args_.flags & (I915_EXEC_FENCE_IN | I915_EXEC_FENCE_SUBMIT)) {
    FencePtr fence = import_sync_file(static_cast<int>(args_.rsvd2 & 0xffffffff), Driver::kick_later());
    if (!fence) return -EINVAL;
    request_->waits.push_back(std::move(fence));
  }
  return 0;
}

int ExecBuffer::fence_array(const drm_i915_gem_exec_fence* fences, const uint64_t* points, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    const SyncobjPtr object = file_.syncobj(fences[i].handle);
    if (!object) return -ENOENT;
    const uint64_t point = points ? points[i] : 0;
    if (fences[i].flags & I915_EXEC_FENCE_WAIT) {
      FencePtr fence = FenceClock::get().locked([&] { return object->find(point); });
      const bool passed = point && FenceClock::get().locked([&] { return object->signalled_point() >= point; });
      if (!fence && !passed) return -EINVAL;
      if (fence) request_->waits.push_back(std::move(fence));
    }
    if (fences[i].flags & I915_EXEC_FENCE_SIGNAL) signals_.push_back({object, point});
  }
  return 0;
}

int ExecBuffer::collect_signals() {
  if (args_.flags & I915_EXEC_FENCE_ARRAY)
    return fence_array(reinterpret_cast<const drm_i915_gem_exec_fence*>(args_.cliprects_ptr), nullptr, args_.num_cliprects);
  if (!(args_.flags & I915_EXEC_USE_EXTENSIONS)) return 0;
  unsigned links = 0;
  for (auto* e = reinterpret_cast<i915_user_extension*>(args_.cliprects_ptr); e;
       e = reinterpret_cast<i915_user_extension*>(e->next_extension)) {
    if (e->name != DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES || ++links > 512) return -EINVAL;
    const auto* timeline = reinterpret_cast<const drm_i915_gem_execbuffer_ext_timeline_fences*>(e);
    const int result = fence_array(reinterpret_cast<const drm_i915_gem_exec_fence*>(timeline->handles_ptr),
                                   reinterpret_cast<const uint64_t*>(timeline->values_ptr), timeline->fence_count);
    if (result) return result;
  }
  return 0;
}

bool ExecBuffer::begin_shared_uses(Ticket ticket) {
  for (size_t i = 0; i < objects_.size(); ++i) {
    const BoPtr& bo = buffers_[i];
    if (!bo->shared()) continue;
    if (!bo->locks().begin(ticket, writes(i))) return false;
    request_->shared.push_back({bo, ticket});
  }
  return true;
}

/// Gives the request its place among the work of all processes.
void ExecBuffer::order_shared_uses() {
  Ticket ticket = next_ticket();
  while (!begin_shared_uses(ticket)) {
    request_->end_uses();
    ticket = next_ticket();
  }
  for (size_t i = 0; i < objects_.size(); ++i) {
    if (!buffers_[i]->shared() || objects_[i].flags & EXEC_OBJECT_ASYNC) continue;
    FencePtr others = buffers_[i]->locks().others_done(ticket, writes(i), Driver::kick_later());
    if (others) request_->waits.push_back(std::move(others));
  }
}

void ExecBuffer::implicit_fences() {
  for (size_t i = 0; i < objects_.size(); ++i) {
    Bo& bo = *buffers_[i];
    if (writes(i)) {
      bo.last_write = request_->fence;
      bo.last_reads.clear();
      continue;
    }
    FenceClock::get().locked([&] { std::erase_if(bo.last_reads, [](const FencePtr& fence) { return fence->signalled; }); });
    bo.last_reads.push_back(request_->fence);
  }
}

/// Ends what others may already wait for.
int ExecBuffer::drop(int error) {
  request_->end_uses();
  FenceClock::get().signal(request_->fence, error);
  return error;
}

int ExecBuffer::submit() {
  request_->fence = std::make_shared<Fence>();
  order_shared_uses();
  implicit_fences();
  FenceClock::get().locked([&] {
    for (const Signal& signal : signals_) {
      if (signal.point) signal.object->add_point(signal.point, request_->fence);
      else signal.object->replace(request_->fence);
    }
  });
  if (!signals_.empty()) FenceClock::get().notify();
  if (args_.flags & I915_EXEC_FENCE_OUT) {
    const int fd = export_sync_file(request_->fence);
    if (fd < 0) return drop(fd);
    args_.rsvd2 = (args_.rsvd2 & 0xffffffff) | uint64_t{static_cast<uint32_t>(fd)} << 32;
  }
  request_->buffers = std::move(buffers_);
  try {
    file_.driver().gpu.submit(request_, slot_);
  } catch (const std::bad_alloc&) { return drop(-ENOMEM); }
  return 0;
}

/// An address space that is full of objects at work is waited for, and emptied (i915_gem_evict.c).
int DrmFile::execbuffer2(void* arg) {
  auto& args = *static_cast<drm_i915_gem_execbuffer2*>(arg);
  for (bool emptied = false;;) {
    std::vector<FencePtr> work;
    {
      MutexLock lock(driver_.gpu.lock());
      const int result = ExecBuffer(*this, args).run();
      if (result != -ENOSPC) return result;
      const auto of = context(i915_execbuffer2_get_context_id(args));
      work = of->vm->pending();
      if (work.empty() && (std::exchange(emptied, true) || !of->vm->evict_idle())) return result;
    }
    FenceClock::get().wait(INT64_MAX, [&] { return std::ranges::all_of(work, [](const FencePtr& fence) { return fence->signalled; }); });
  }
}

}  // namespace softgen::run

// SPDX-License-Identifier: GPL-2.0-or-later
// GEM contexts, engine maps and address spaces. Semantics: i915 gem/i915_gem_context.c.
#include <errno.h>
#include <i915_drm.h>

#include <algorithm>
#include <new>

#include "hw/base/log.h"
#include "hw/base/mutex.h"
#include "hw/defs/platform.h"
#include "hw/run/drm_file.h"
#include "hw/run/program_memory.h"

namespace softgen::run {
namespace {

constexpr uint32_t max_slots = 64, max_extensions = 512;

int engine_of(const Chip& chip, uint16_t engine_class, uint16_t instance) {
  return chip.has(engine_class) && instance == 0 ? engine_class : -1;
}

/// A slot that any of several engines serves: each class has one engine here, so the first will do (set_engines__load_balance()).
int balance(const Chip& chip, std::vector<int>& slots, const i915_context_engines_load_balance& wish) {
  if (wish.flags || wish.mbz64 || wish.engine_index >= slots.size()) return -EINVAL;
  if (slots[wish.engine_index] >= 0) return -EEXIST;
  const auto* siblings = reinterpret_cast<const i915_engine_class_instance*>(&wish + 1);
  for (unsigned i = 0; i < wish.num_siblings; ++i) {
    const int engine = engine_of(chip, siblings[i].engine_class, siblings[i].engine_instance);
    if (engine < 0) return -EINVAL;
    if (i == 0) slots[wish.engine_index] = engine;
  }
  return 0;
}

/// i915 set_engines(), its chain of extensions. A bond says which engine goes with another's request: there is no choice.
int extend_engines(const Chip& chip, std::vector<int>& slots, uint64_t first) {
  unsigned links = 0;
  for (const auto* e = reinterpret_cast<const i915_user_extension*>(first); e;
       e = reinterpret_cast<const i915_user_extension*>(e->next_extension)) {
    if (++links > max_extensions) return -E2BIG;
    if (e->name == I915_CONTEXT_ENGINES_EXT_LOAD_BALANCE) {
      if (const int result = balance(chip, slots, *reinterpret_cast<const i915_context_engines_load_balance*>(e))) return result;
    } else if (e->name == I915_CONTEXT_ENGINES_EXT_BOND) {
      if (reinterpret_cast<const i915_context_engines_bond*>(e)->virtual_index >= slots.size()) return -EINVAL;
    } else {
      unimplemented("context engine map extension", "{}", e->name);
      return -EINVAL;
    }
  }
  return 0;
}

int set_engines(const Chip& chip, Context& context, uint64_t value, uint32_t size) {
  if (size < sizeof(i915_context_param_engines)) return size == 0 ? (context.slots.clear(), 0) : -EINVAL;
  const auto* map = reinterpret_cast<const i915_context_param_engines*>(value);
  const uint32_t count = (size - sizeof *map) / sizeof(i915_engine_class_instance);
  if (count > max_slots) return -EINVAL;
  const auto* entries = reinterpret_cast<const i915_engine_class_instance*>(map + 1);
  std::vector<int> slots;
  for (uint32_t i = 0; i < count; ++i) {
    const bool none = entries[i].engine_class == static_cast<uint16_t>(I915_ENGINE_CLASS_INVALID) &&
                      entries[i].engine_instance == static_cast<uint16_t>(I915_ENGINE_CLASS_INVALID_NONE);
    const int engine = none ? -1 : engine_of(chip, entries[i].engine_class, entries[i].engine_instance);
    if (!none && engine < 0) return -ENOENT;
    slots.push_back(engine);
  }
  if (const int result = extend_engines(chip, slots, map->extensions)) return result;
  context.slots = std::move(slots);
  return 0;
}

}  // namespace

std::shared_ptr<Context> DrmFile::context(uint32_t id) {
  const auto it = contexts_.find(id);
  if (it != contexts_.end()) return it->second;
  if (id != 0) return nullptr;
  // The file's default context, made at first use.
  auto created = std::make_shared<Context>();
  created->vm = driver_.gpu.address_space();
  return contexts_[0] = created;
}

int DrmFile::context_param(Context& context, uint64_t param, uint64_t value, uint32_t size) {
  switch (param) {
    case I915_CONTEXT_PARAM_PRIORITY:
      if (!driver_.gpu.chip().uapi.schedules) return -ENODEV;
      context.priority = static_cast<int>(value);
      return context.priority < -1023 || context.priority > 1023 ? -EINVAL : 0;
    case I915_CONTEXT_PARAM_RECOVERABLE: context.recoverable = value; return 0;
    case I915_CONTEXT_PARAM_BANNABLE: context.bannable = value; return 0;
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
    case I915_CONTEXT_PARAM_PERSISTENCE: return 0;
    case I915_CONTEXT_PARAM_ENGINES: return set_engines(driver_.gpu.chip(), context, value, size);
    case I915_CONTEXT_PARAM_VM: {
      const auto it = vms_.find(static_cast<uint32_t>(value));
      if (it == vms_.end()) return -ENOENT;
      if (!context.logical.empty()) return -EINVAL;
      context.vm = it->second;
      return 0;
    }
    case I915_CONTEXT_PARAM_SSEU: return 0;  // power gating of slices changes no result
    default: return -EINVAL;
  }
}

int DrmFile::context_create(void* arg) {
  auto* create = static_cast<drm_i915_gem_context_create_ext*>(arg);
  MutexLock lock(driver_.gpu.lock());
  auto created = std::make_shared<Context>();
  try {
    created->vm = driver_.gpu.address_space();
  } catch (const std::bad_alloc&) { return -ENOMEM; }
  if (create->flags & I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS) {
    unsigned links = 0;
    for (auto* e = reinterpret_cast<i915_user_extension*>(create->extensions); e;
         e = reinterpret_cast<i915_user_extension*>(e->next_extension)) {
      if (e->name != I915_CONTEXT_CREATE_EXT_SETPARAM || ++links > max_extensions) return -EINVAL;
      const auto& param = reinterpret_cast<drm_i915_gem_context_create_ext_setparam*>(e)->param;
      if (const int result = context_param(*created, param.param, param.value, param.size)) return result;
    }
  }
  create->ctx_id = next_context_++;
  contexts_[create->ctx_id] = std::move(created);
  return 0;
}

int DrmFile::context_destroy(void* arg) {
  const uint32_t id = static_cast<drm_i915_gem_context_destroy*>(arg)->ctx_id;
  MutexLock lock(driver_.gpu.lock());
  const auto it = contexts_.find(id);
  if (id == 0 || it == contexts_.end()) return -ENOENT;
  driver_.gpu.release(it->second);
  contexts_.erase(it);
  return 0;
}

/// All slices, subslices and EUs are on (i915_gem_context.c, get_sseu).
int DrmFile::get_sseu(const Context& of, drm_i915_gem_context_param& param) {
  drm_i915_gem_context_param_sseu sseu;
  const bool size_wanted = param.size == 0;
  if (!size_wanted && param.size < sizeof sseu) return -EINVAL;
  param.size = sizeof sseu;
  if (size_wanted) return 0;
  if (!copy_from_program(&sseu, param.value, sizeof sseu)) return -EFAULT;
  if (sseu.rsvd || sseu.flags & ~I915_CONTEXT_SSEU_FLAG_ENGINE_INDEX) return -EINVAL;
  const bool by_slot = sseu.flags & I915_CONTEXT_SSEU_FLAG_ENGINE_INDEX;
  if (by_slot != !of.slots.empty()) return -EINVAL;
  if (by_slot ? sseu.engine.engine_instance >= of.slots.size() || of.slots[sseu.engine.engine_instance] < 0
              : engine_of(driver_.gpu.chip(), sseu.engine.engine_class, sseu.engine.engine_instance) < 0)
    return -EINVAL;
  const defs::Platform& platform = driver_.gpu.platform();
  sseu.slice_mask = (uint64_t{1} << platform.slices) - 1;
  sseu.subslice_mask = (uint64_t{1} << platform.subslices) - 1;
  sseu.min_eus_per_subslice = sseu.max_eus_per_subslice = static_cast<uint16_t>(platform.eus);
  return copy_to_program(param.value, &sseu, sizeof sseu) ? 0 : -EFAULT;
}

int DrmFile::context_getparam(void* arg) {
  auto* param = static_cast<drm_i915_gem_context_param*>(arg);
  MutexLock lock(driver_.gpu.lock());
  const auto found = context(param->ctx_id);
  if (!found) return -ENOENT;
  if (param->param == I915_CONTEXT_PARAM_SSEU) return get_sseu(*found, *param);
  param->size = 0;
  switch (param->param) {
    case I915_CONTEXT_PARAM_GTT_SIZE: param->value = found->vm->size(); return 0;
    case I915_CONTEXT_PARAM_PRIORITY: param->value = static_cast<uint64_t>(found->priority); return 0;
    case I915_CONTEXT_PARAM_RECOVERABLE: param->value = found->recoverable; return 0;
    case I915_CONTEXT_PARAM_BANNABLE: param->value = found->bannable; return 0;
    case I915_CONTEXT_PARAM_PERSISTENCE: param->value = 1; return 0;
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE: param->value = 0; return 0;
    case I915_CONTEXT_PARAM_VM:
      if (!driver_.gpu.chip().uapi.own_tables) return -ENODEV;
      vms_[next_vm_] = found->vm;
      param->value = next_vm_++;
      return 0;
    default: return -EINVAL;
  }
}

int DrmFile::context_setparam(void* arg) {
  const auto* param = static_cast<drm_i915_gem_context_param*>(arg);
  MutexLock lock(driver_.gpu.lock());
  const auto found = context(param->ctx_id);
  return found ? context_param(*found, param->param, param->value, param->size) : -ENOENT;
}

int DrmFile::vm_create(void* arg) {
  auto* control = static_cast<drm_i915_gem_vm_control*>(arg);
  if (!driver_.gpu.chip().uapi.own_tables) return -ENODEV;
  MutexLock lock(driver_.gpu.lock());
  try {
    vms_[next_vm_] = driver_.gpu.address_space();
  } catch (const std::bad_alloc&) { return -ENOMEM; }
  control->vm_id = next_vm_++;
  return 0;
}

int DrmFile::vm_destroy(void* arg) {
  MutexLock lock(driver_.gpu.lock());
  return vms_.erase(static_cast<drm_i915_gem_vm_control*>(arg)->vm_id) ? 0 : -ENOENT;
}

int DrmFile::get_reset_stats(void* arg) {
  auto* stats = static_cast<drm_i915_reset_stats*>(arg);
  MutexLock lock(driver_.gpu.lock());
  const auto found = context(stats->ctx_id);
  if (!found) return -ENOENT;
  stats->reset_count = found->resets;
  stats->batch_active = found->batch_active;
  stats->batch_pending = found->batch_pending;
  return 0;
}

}  // namespace softgen::run

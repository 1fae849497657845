// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/perf_configs.h"

#include <errno.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <span>

#include "hw/run/program_memory.h"

namespace softgen::run {
namespace {

constexpr uint64_t first_id = 2;              // 1 is reserved for the set that i915 had before 5.8
constexpr uint32_t max_registers = 1u << 19;  // per kind: kmalloc()'s limit

bool in_ranges(std::span<const RegisterRange> ranges, uint32_t offset) {
  return std::ranges::any_of(ranges, [&](const RegisterRange& range) { return offset >= range.first && offset <= range.last; });
}

bool is_flex(uint32_t offset) { return std::ranges::count(oa::flex, offset) != 0; }

/// linux/uuid.h, uuid_is_valid().
bool is_uuid(std::string_view text) {
  const auto fits = [&](size_t i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    return dash ? text[i] == '-' : std::isxdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  for (size_t i = 0; i < text.size(); ++i)
    if (!fits(i)) return false;
  return true;
}

template <typename Valid>
int read_registers(uint64_t from, uint32_t count, Valid valid, std::vector<RegisterValue>& registers) {
  if (count > max_registers) return -ENOMEM;
  registers.resize(count);
  if (!copy_from_program(registers.data(), from, registers.size() * sizeof(RegisterValue))) return -EFAULT;
  for (RegisterValue& entry : registers) {
    if (!valid(entry.offset)) return -EINVAL;
    entry.value = oa::allowed_bits(entry);
  }
  return 0;
}

/// As copy_perf_config_registers_or_number(): a size of 0 requests the number only.
int write_registers(const std::vector<RegisterValue>& registers, uint64_t to, uint32_t& count) {
  const bool wanted = count != 0;
  count = static_cast<uint32_t>(registers.size());
  return wanted && !copy_to_program(to, registers.data(), registers.size() * sizeof(RegisterValue)) ? -EFAULT : 0;
}

std::string_view uuid_of(const char (&text)[36]) { return {text, strnlen(text, sizeof text)}; }

}  // namespace

OaConfig::~OaConfig() {
  if (id_file >= 0) close(id_file);
}

uint32_t OaConfig::flex_value(uint32_t offset) const {
  const auto found = std::ranges::find(flex, offset, &RegisterValue::offset);
  return found == flex.end() ? 0 : found->value;
}

OaConfigs::Config OaConfigs::with_uuid(std::string_view uuid) const {
  const auto found = std::ranges::find_if(configs_, [&](const auto& entry) { return entry.second->uuid == uuid; });
  return found == configs_.end() ? nullptr : found->second;
}

int OaConfigs::add(const drm_i915_perf_oa_config& from) {
  const auto given = [](uint64_t pointer, uint32_t count) { return pointer && count; };
  if (!given(from.mux_regs_ptr, from.n_mux_regs) && !given(from.boolean_regs_ptr, from.n_boolean_regs) &&
      !given(from.flex_regs_ptr, from.n_flex_regs))
    return -EINVAL;
  const auto config = std::make_shared<OaConfig>();
  config->uuid = std::string(from.uuid, sizeof from.uuid);
  if (!is_uuid(config->uuid)) return -EINVAL;
  const auto is_mux = [&](uint32_t offset) { return in_ranges(unit_.mux, offset); };
  const auto is_boolean = [&](uint32_t offset) { return in_ranges(unit_.boolean, offset); };
  if (const int error = read_registers(from.mux_regs_ptr, from.n_mux_regs, is_mux, config->mux)) return error;
  if (const int error = read_registers(from.boolean_regs_ptr, from.n_boolean_regs, is_boolean, config->boolean)) return error;
  if (const int error = read_registers(from.flex_regs_ptr, from.n_flex_regs, is_flex, config->flex)) return error;
  MutexLock lock(mutex_);
  if (with_uuid(config->uuid)) return -EADDRINUSE;
  config->id = first_id;
  while (configs_.contains(config->id)) ++config->id;
  configs_[config->id] = config;
  return static_cast<int>(config->id);
}

int OaConfigs::remove(uint64_t id) {
  MutexLock lock(mutex_);
  return configs_.erase(id) ? 0 : -ENOENT;
}

OaConfigPtr OaConfigs::find(uint64_t id) const {
  MutexLock lock(mutex_);
  const auto found = configs_.find(id);
  return found == configs_.end() ? nullptr : found->second;
}

int OaConfigs::id_file(std::string_view uuid) {
  MutexLock lock(mutex_);
  const Config config = with_uuid(uuid);
  if (!config) return -1;
  if (config->id_file >= 0) return config->id_file;
  const int file = memfd_create("softgen-run metrics id", MFD_CLOEXEC);
  const std::string text = fmt::format("{}\n", config->id);
  if (file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size())) return config->id_file = file;
  if (file >= 0) close(file);
  return -1;
}

int32_t OaConfigs::query(const drm_i915_query_item& item) const {
  MutexLock lock(mutex_);
  switch (item.flags) {
    case DRM_I915_QUERY_PERF_CONFIG_LIST: return list(item);
    case DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID:
    case DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID: return data(item);
    default: return -EINVAL;
  }
}

/// The list includes the reserved id 1.
int32_t OaConfigs::list(const drm_i915_query_item& item) const {
  std::vector<uint64_t> ids{1};
  for (const auto& [id, config] : configs_) ids.push_back(id);
  drm_i915_query_perf_config head;
  const size_t size = sizeof head + ids.size() * sizeof ids[0];
  if (item.length == 0) return static_cast<int32_t>(size);
  if (!copy_from_program(&head, item.data_ptr, sizeof head)) return -EFAULT;
  if (head.flags != 0 || item.length < static_cast<int32_t>(size)) return -EINVAL;
  const uint64_t count = ids.size();
  const bool written = copy_to_program(item.data_ptr + offsetof(drm_i915_query_perf_config, n_configs), &count, sizeof count) &&
                       copy_to_program(item.data_ptr + sizeof head, ids.data(), ids.size() * sizeof ids[0]);
  return written ? static_cast<int32_t>(size) : -EFAULT;
}

int32_t OaConfigs::data(const drm_i915_query_item& item) const {
  drm_i915_query_perf_config head;
  drm_i915_perf_oa_config to;
  const uint64_t place = item.data_ptr + sizeof head;  // i915's place: the head's `data` is before its padding
  constexpr auto size = static_cast<int32_t>(sizeof head + sizeof to);
  if (item.length == 0) return size;
  if (item.length < size) return -EINVAL;
  if (!copy_from_program(&head, item.data_ptr, sizeof head)) return -EFAULT;
  if (head.flags != 0) return -EINVAL;
  const bool by_uuid = item.flags == DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID;
  const auto by_id = by_uuid ? configs_.end() : configs_.find(head.config);
  const Config found = by_uuid ? with_uuid(uuid_of(head.uuid)) : by_id == configs_.end() ? nullptr : by_id->second;
  if (!found) return -ENOENT;
  if (!copy_from_program(&to, place, sizeof to)) return -EFAULT;
  const auto too_few = [](uint32_t room, const std::vector<RegisterValue>& registers) { return room != 0 && room < registers.size(); };
  if (too_few(to.n_boolean_regs, found->boolean) || too_few(to.n_flex_regs, found->flex) || too_few(to.n_mux_regs, found->mux))
    return -EINVAL;
  if (write_registers(found->boolean, to.boolean_regs_ptr, to.n_boolean_regs) ||
      write_registers(found->flex, to.flex_regs_ptr, to.n_flex_regs) || write_registers(found->mux, to.mux_regs_ptr, to.n_mux_regs))
    return -EFAULT;
  std::memcpy(to.uuid, found->uuid.data(), sizeof to.uuid);
  return copy_to_program(place, &to, sizeof to) ? size : -EFAULT;
}

}  // namespace softgen::run

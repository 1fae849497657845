// SPDX-License-Identifier: GPL-2.0-or-later
// A chip with rings and one global table: Ironlake. Batches are privileged where they read registers.
#include <errno.h>
#include <i915_drm.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "hw/base/mutex.h"
#include "hw/run/drm_file.h"
#include "hw/run/global_space.h"
#include "hw/run/linear_view.h"
#include "tests/catch.h"
#include "tests/unit/run/batch_machine.h"

using namespace softgen::run;
using softgen::MutexLock;
using softgen::surface::Tiling;

namespace {

constexpr uint64_t page = 4096, mib = 1 << 20;
constexpr uint32_t mi_batch_buffer_end = 0x0a << 23, mi_store_data_imm = 0x20 << 23 | 1 << 22 | 2, mi_load_register_imm = 0x22 << 23 | 1,
                   mi_store_register_mem = 0x24 << 23 | 1 << 22 | 1;
constexpr uint32_t cache_mode_0 = 0x2120, cache_mode_bit = 1 << 5;

Options ironlake() {
  Options options;
  options.platform = "ilk";
  return options;
}

/// The entry of an address (char/agp/intel-gtt.c, i965_write_entry): the page, or ~0 if it is not valid.
uint64_t page_at(Gpu& gpu, uint32_t address) {
  const uint64_t entry = sg_bar0_read(gpu.device(), (2u << 20) + (address >> 12) * 4, 4);
  return entry & 1 ? (entry & 0xffff'f000) | (entry & 0xf0) << 28 : ~uint64_t{0};
}

struct Machine : test::BatchMachine {
  std::shared_ptr<AddressSpace> vm;
  uint32_t batch_at = 0, words_at = 0;

  Machine() : BatchMachine(ironlake()) {
    MutexLock lock(gpu.lock());
    vm = gpu.address_space();
    batch_at = place(batches);
    words_at = place(words);
  }
  /// Where the object is bound, in a call of its own.
  uint32_t place(const BoPtr& bo) {
    Place place;
    vm->begin();
    REQUIRE(vm->bind(bo, place) == 0);
    return static_cast<uint32_t>(place.address);
  }
  uint32_t word(size_t index) { return reinterpret_cast<uint32_t*>(words->host())[index]; }
  uint32_t address(size_t index) const { return words_at + static_cast<uint32_t>(4 * index); }
  std::shared_ptr<Context> context() {
    auto made = std::make_shared<Context>();
    MutexLock lock(gpu.lock());
    made->vm = gpu.address_space();
    return made;
  }

  void submit(const std::shared_ptr<Context>& context, std::span<const uint32_t> batch, unsigned engine = 0,
              std::vector<FencePtr> after = {}) {
    auto request = std::make_shared<Request>();
    request->context = context;
    request->engine = engine;
    request->secure = true;
    request->waits = std::move(after);
    submit_request(batch_at, batch, request);
  }
  void finish() {
    for (const RequestPtr& request : requests) {
      FenceClock::get().wait(INT64_MAX, [&] { return request->fence->signalled; });
      CHECK(request->fence->error == 0);
    }
  }
};

}  // namespace

TEST_CASE("ring: requests of several contexts run in the order in which they come, and the engine goes round its ring") {
  Machine machine;
  const std::vector<std::shared_ptr<Context>> contexts{machine.context(), machine.context(), machine.context()};
  constexpr uint32_t count = 60;  // of some 340 bytes: more than a ring
  for (uint32_t i = 0; i < count; ++i) {
    const std::vector<uint32_t> batch{mi_store_data_imm,     0,      machine.address(0),     i,
                                      mi_store_register_mem, 0x2358, machine.address(1 + i), mi_batch_buffer_end};
    machine.submit(contexts[i % contexts.size()], batch);
  }
  machine.finish();
  CHECK(machine.word(0) == count - 1);
  for (uint32_t i = 2; i <= count; ++i) CHECK(static_cast<int32_t>(machine.word(i) - machine.word(i - 1)) >= 0);
}

TEST_CASE("ring: a context has its registers, and a new one those that the driver has set") {
  Machine machine;
  const auto one = machine.context(), other = machine.context();
  const auto set = [&](uint32_t value) { return std::vector<uint32_t>{mi_load_register_imm, cache_mode_0, value, mi_batch_buffer_end}; };
  const auto get = [&](size_t index) {
    return std::vector<uint32_t>{mi_store_register_mem, cache_mode_0, machine.address(index), mi_batch_buffer_end};
  };
  machine.submit(one, set(cache_mode_bit << 16 | cache_mode_bit));
  machine.submit(other, get(0));
  machine.submit(one, get(1));
  machine.submit(machine.context(), get(2));
  machine.finish();
  constexpr uint32_t pipelined_flush_disable = 1 << 8;
  CHECK(machine.word(0) == pipelined_flush_disable);
  CHECK(machine.word(1) == (pipelined_flush_disable | cache_mode_bit));
  CHECK(machine.word(2) == pipelined_flush_disable);
}

TEST_CASE("ring: the video engine has a ring of its own, without contexts") {
  Machine machine;
  const auto context = machine.context();
  machine.submit(context, std::vector<uint32_t>{mi_store_data_imm, 0, machine.address(0), 77, mi_batch_buffer_end},
                 I915_ENGINE_CLASS_VIDEO);
  machine.finish();
  CHECK(machine.word(0) == 77);
  CHECK(context->logical.at(I915_ENGINE_CLASS_VIDEO).image.pages == 0);
}

TEST_CASE("ring: a released context's image stays until the engine has saved into it") {
  Machine machine;
  const std::vector<uint32_t> nothing{mi_batch_buffer_end};
  auto released = machine.context();
  machine.submit(released, nothing);
  machine.finish();
  const GgttMemory image = released->logical.at(0).image;
  machine.requests.clear();
  // The engine has not yet left the context when the driver has to do with others only.
  sg_pause(machine.gpu.device());
  const FencePtr gate = std::make_shared<Fence>();
  machine.submit(machine.context(), nothing);
  machine.submit(machine.context(), nothing, 0, {gate});
  {
    MutexLock lock(machine.gpu.lock());
    machine.gpu.release(released);
    released.reset();
  }
  FenceClock::get().signal(gate);
  machine.gpu.kick();
  const auto served = [&] {
    MutexLock lock(machine.gpu.lock());
    return machine.requests.back()->seqno != 0;
  };
  while (!served()) std::this_thread::yield();
  {
    MutexLock lock(machine.gpu.lock());
    CHECK(page_at(machine.gpu, image.address) == image.gpa);
  }
  sg_resume(machine.gpu.device());
  machine.finish();
  machine.gpu.kick();
  const auto gone = [&] {
    MutexLock lock(machine.gpu.lock());
    return page_at(machine.gpu, image.address) != image.gpa;
  };
  for (const int64_t end = monotonic_ns() + 60'000'000'000; !gone() && monotonic_ns() < end;) std::this_thread::yield();
  CHECK(gone());
}

TEST_CASE("global table: objects have entries, also where memory is beyond 4 GiB; pages that are not mapped refer to one scratch page") {
  Machine machine;
  Gpu& gpu = machine.gpu;
  MutexLock lock(gpu.lock());
  const uint64_t scratch = page_at(gpu, 0);
  CHECK(scratch != ~uint64_t{0});
  CHECK(page_at(gpu, 0x7fff'f000) == scratch);
  CHECK(page_at(gpu, machine.words_at) == machine.words->gpa());
  const uint64_t low = gpu.arena().allocate(uint64_t{5} << 30);
  REQUIRE(low);
  BoPtr high = Bo::create(gpu.arena(), 3 * page);
  REQUIRE(high->gpa() > uint64_t{4} << 30);
  const uint32_t at = machine.place(high);
  for (uint32_t i = 0; i < 3; ++i) CHECK(page_at(gpu, at + i * 4096) == high->gpa() + i * page);
  CHECK(machine.place(high) == at);
  high.reset();
  machine.place(Bo::create(gpu.arena(), page));  // drops what is gone
  CHECK(page_at(gpu, at + 4096) == scratch);
}

TEST_CASE("global table: the object used longest ago makes room, but none that works or is of the same call") {
  Machine machine;
  Gpu& gpu = machine.gpu;
  MutexLock lock(gpu.lock());
  std::vector<BoPtr> objects;
  for (int i = 0; i < 4; ++i) objects.push_back(Bo::create(gpu.arena(), 512 * mib));
  std::vector<uint32_t> at;
  for (size_t i = 0; i < 3; ++i) at.push_back(machine.place(objects[i]));
  machine.place(objects[0]);  // now 1 is the oldest
  SECTION("idle") {
    CHECK(machine.place(objects[3]) == at[1]);
    CHECK(page_at(gpu, at[1]) == objects[3]->gpa());
  }
  SECTION("the oldest works") {
    objects[1]->last_write = std::make_shared<Fence>();
    CHECK(machine.place(objects[3]) == at[2]);
  }
  SECTION("all work") {
    const FencePtr fence = std::make_shared<Fence>();
    for (size_t i = 0; i < 3; ++i) objects[i]->last_reads = {fence};
    Place place;
    machine.vm->begin();
    CHECK(machine.vm->bind(objects[3], place) == -ENOSPC);
    CHECK(std::ranges::count(machine.vm->pending(), fence) == 3);
    FenceClock::get().signal(fence);
    CHECK(machine.vm->pending().empty());
    CHECK(machine.vm->bind(objects[3], place) == 0);
  }
  SECTION("one call wants more than there is") {
    machine.vm->begin();
    int result = 0;
    for (const BoPtr& object : objects) {
      Place place;
      if (!result) result = machine.vm->bind(object, place);
    }
    CHECK(result == -ENOSPC);
  }
}

TEST_CASE("global table: pinned and aligned objects") {
  Machine machine;
  Gpu& gpu = machine.gpu;
  MutexLock lock(gpu.lock());
  const BoPtr one = Bo::create(gpu.arena(), 2 * page), other = Bo::create(gpu.arena(), 2 * page);
  const auto bind = [&](const BoPtr& bo, Place place) {
    machine.vm->begin();
    const int error = machine.vm->bind(bo, place);
    return error ? static_cast<int64_t>(error) : static_cast<int64_t>(place.address);
  };
  constexpr uint64_t where = 64 * mib;
  CHECK(bind(one, {.pinned = true, .address = where}) == where);
  CHECK(bind(one, {}) == where);
  CHECK(bind(one, {.alignment = 128 * mib}) % (128 * mib) == 0);
  CHECK(bind(one, {.pinned = true, .address = where}) == where);
  CHECK(bind(other, {.pinned = true, .address = where + page}) == where + page);  // the other one goes
  CHECK(page_at(gpu, where) != one->gpa());
  other->last_write = std::make_shared<Fence>();
  CHECK(bind(one, {.pinned = true, .address = where}) == -ENOSPC);
  CHECK(bind(one, {.pinned = true, .address = uint64_t{2} << 30}) == -EINVAL);
  CHECK(bind(one, {.pinned = true, .address = (uint64_t{2} << 30) - page}) == -EINVAL);
  CHECK(bind(one, {.alignment = 3 * page}) == -EINVAL);
  // The driver's own memory, the rings among it, stays.
  CHECK(bind(one, {.pinned = true, .address = page}) == -ENOSPC);
  FenceClock::get().signal(other->last_write);
}

// The walks and their bits: i915 gt/intel_ggtt_fencing.c, detect_bit_6_swizzle.
TEST_CASE("a linear view of swizzled memory") {
  const Tiling tiling = GENERATE(Tiling::x, Tiling::y);
  constexpr uint32_t pitch = 1024, rows = 64;
  std::vector<std::byte> tiled(size_t{pitch} * rows);
  std::mt19937 random(5);
  for (std::byte& byte : tiled) byte = static_cast<std::byte>(random());
  const auto before = tiled;
  const auto view = LinearView::create(tiling, pitch, tiled.size(), softgen::defs::gen5_swizzle);
  REQUIRE(view);
  view->fill(tiled);
  std::vector<std::byte> linear(tiled.size());
  REQUIRE(pread(view->fd(), linear.data(), linear.size(), 0) == static_cast<ssize_t>(linear.size()));
  const auto place = [&](uint32_t x, uint32_t y) {
    const uint64_t at = softgen::surface::offset(tiling, 1, x, y, pitch);
    return at ^ ((at >> 9 ^ (tiling == Tiling::x ? at >> 10 : 0)) & 1) << 6;
  };
  size_t wrong = 0;
  for (uint32_t y = 0; y < rows; ++y)
    for (uint32_t x = 0; x < pitch; ++x) wrong += linear[y * pitch + x] != before[place(x, y)];
  CHECK(wrong == 0);
  view->expect_writes();
  const std::byte changed = before[place(700, 41)] ^ std::byte{0xff};
  REQUIRE(pwrite(view->fd(), &changed, 1, 41 * pitch + 700) == 1);
  view->flush(tiled);
  CHECK(tiled[place(700, 41)] == changed);
  tiled[place(700, 41)] = before[place(700, 41)];
  CHECK(tiled == before);
}

TEST_CASE("Ironlake's node refuses what its i915 has not") {
  Driver driver{ironlake()};
  DrmFile file{driver, false, -1};
  drm_i915_perf_open_param open = {};
  CHECK(file.perf_open(&open) == -524);  // Linux's ENOTSUPP
  drm_i915_gem_vm_control vm = {};
  CHECK(file.vm_create(&vm) == -ENODEV);
  drm_i915_gem_context_param priority = {.param = I915_CONTEXT_PARAM_PRIORITY, .value = 1};
  CHECK(file.context_setparam(&priority) == -ENODEV);
  i915_context_param_engines map = {};
  struct {
    i915_context_param_engines map;
    i915_engine_class_instance entries[1];
  } engines = {map, {{I915_ENGINE_CLASS_COPY, 0}}};
  drm_i915_gem_context_param param = {
      .size = sizeof engines, .param = I915_CONTEXT_PARAM_ENGINES, .value = reinterpret_cast<uint64_t>(&engines)};
  CHECK(file.context_setparam(&param) == -ENOENT);
  engines.entries[0].engine_class = I915_ENGINE_CLASS_VIDEO;
  CHECK(file.context_setparam(&param) == 0);
  // Not of a render node (i915_gem_do_execbuffer()).
  drm_i915_gem_create create = {.size = page};
  REQUIRE(file.gem_create(&create) == 0);
  drm_i915_gem_exec_object2 object = {.handle = create.handle};
  drm_i915_gem_execbuffer2 secure = {.buffers_ptr = reinterpret_cast<uint64_t>(&object), .buffer_count = 1, .flags = I915_EXEC_SECURE};
  CHECK(file.execbuffer2(&secure) == -EPERM);
}

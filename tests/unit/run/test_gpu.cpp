// SPDX-License-Identifier: GPL-2.0-or-later
// Requests of several contexts on one engine run in the order of submission, whether they are queued in a ring or wait for it.
#include <signal.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <vector>

#include "hw/base/mutex.h"
#include "hw/run/gpu.h"
#include "hw/run/kms.h"
#include "hw/run/ppgtt.h"
#include "hw/run/regs.h"
#include "tests/catch.h"
#include "tests/unit/run/batch_machine.h"

using namespace softgen::run;
using softgen::MutexLock;

namespace {

constexpr uint64_t page = 4096, batch_at = 1 << 20, words_at = 2 << 20;
constexpr uint32_t mi_batch_buffer_end = 0x0a << 23, mi_copy_mem_mem = 0x2e << 23 | 3, mi_store_data_imm = 0x20 << 23 | 2,
                   mi_semaphore_wait_until_equal = 0x1c << 23 | 1 << 15 | 4 << 12 | 2;
/// Words that the batches use: the gate that they wait for, the number of the last one, and what each has seen there.
constexpr size_t gate = 0, last = 1, seen = 2;

Options one_worker() {
  Options options;
  options.threads = 1;
  return options;
}

struct Machine : test::BatchMachine {
  Machine() : BatchMachine(one_worker()) {}
  ~Machine() { open(); }
  uint32_t* word(size_t index) { return reinterpret_cast<uint32_t*>(words->host()) + index; }
  void open() { std::atomic_ref(*word(gate)).store(1, std::memory_order_release); }

  std::shared_ptr<Context> context() {
    auto made = std::make_shared<Context>();
    const auto vm = std::make_shared<Ppgtt>(gpu.arena());
    REQUIRE(vm->bind(batch_at, batches->gpa(), page, batches->id()));
    REQUIRE(vm->bind(words_at, words->gpa(), page, words->id()));
    made->vm = vm;
    return made;
  }

  /// On the engine of the slot's number.
  void submit_batch(const std::shared_ptr<Context>& context, std::span<const uint32_t> batch, std::vector<FencePtr> after,
                    unsigned slot = 0) {
    auto request = std::make_shared<Request>();
    request->context = context;
    request->engine = slot;
    request->waits = std::move(after);
    submit_request(batch_at, batch, request);
  }

  /// Records which batch ran before it. `waits`: for the gate.
  RequestPtr submit(const std::shared_ptr<Context>& context, bool waits, std::vector<FencePtr> after = {}) {
    const auto number = static_cast<uint32_t>(requests.size() + 1);
    const auto address = [](size_t index) { return static_cast<uint32_t>(words_at + 4 * index); };
    std::vector<uint32_t> batch;
    if (waits) batch = {mi_semaphore_wait_until_equal, 1, address(gate), 0};
    batch.insert(batch.end(), {mi_copy_mem_mem, address(seen + number), 0, address(last), 0, mi_store_data_imm, address(last), 0, number,
                               mi_batch_buffer_end});
    submit_batch(context, batch, std::move(after));
    return requests.back();
  }

  void check_order() {
    for (const RequestPtr& request : requests) FenceClock::get().wait(INT64_MAX, [&] { return request->fence->signalled; });
    for (size_t i = 0; i < requests.size(); ++i) {
      CHECK(requests[i]->fence->error == 0);
      CHECK(*word(seen + i + 1) == i);
    }
  }
};

}  // namespace

TEST_CASE("requests of one context are queued in its ring, also those that wait for earlier ones of it") {
  Machine machine;
  const auto context = machine.context();
  constexpr size_t count = 50;  // more than a ring takes at a time
  std::vector<FencePtr> after;
  for (size_t i = 0; i < count; ++i) {
    after = {machine.submit(context, i == 0, after)->fence};
    CHECK_FALSE(FenceClock::get().signalled(after[0]));
  }
  machine.open();
  machine.check_order();
}

TEST_CASE("a request of another context is not overtaken by later requests of the running one") {
  Machine machine;
  const auto one = machine.context(), other = machine.context();
  machine.submit(one, true);
  for (int i = 0; i < 8; ++i) machine.submit(i % 2 ? one : other, false);
  machine.open();
  machine.check_order();
}

TEST_CASE("batches may write the registers that i915 permits, and no others") {
  constexpr uint32_t mi_load_register_imm = 0x22 << 23 | 1, mi_store_register_mem = 0x24 << 23 | 2;
  struct Case {
    uint32_t offset, value, expected;
    bool open;
  };
  // HDC_CHICKEN1 and COMMON_SLICE_CHICKEN2 have write masks; FF_SLICE_CS_CHICKEN1 is in no list.
  const Case cases[] = {{0x7304, 0x0010'0010, 0x10, true},
                        {0x7014, 0x0200'0200, 0x200, true},
                        {0xb118, 0x4060'0000, 0x4060'0000, true},
                        {0x20e0, 0x0100'0100, 0x100, false}};
  Machine machine;
  machine.open();
  const auto context = machine.context();
  for (size_t i = 0; i < std::size(cases); ++i) {
    const auto to = static_cast<uint32_t>(words_at + 4 * (seen + i));
    const std::vector<uint32_t> batch{mi_load_register_imm, cases[i].offset, cases[i].value, mi_store_register_mem, cases[i].offset, to, 0,
                                      mi_batch_buffer_end};
    machine.submit_batch(context, batch, {});
  }
  for (const RequestPtr& request : machine.requests) FenceClock::get().wait(INT64_MAX, [&] { return request->fence->signalled; });
  for (size_t i = 0; i < std::size(cases); ++i) {
    INFO("register " << std::hex << cases[i].offset);
    CHECK(((*machine.word(seen + i) & cases[i].expected) == cases[i].expected) == cases[i].open);
  }
}

TEST_CASE("a ring that has become empty accepts the next request") {
  Machine machine;
  machine.open();
  const auto context = machine.context();
  for (int i = 0; i < 30; ++i) {
    const FencePtr fence = machine.submit(context, false)->fence;
    CHECK(FenceClock::get().wait(INT64_MAX, [&] { return fence->signalled; }));
  }
  machine.check_order();
}

TEST_CASE("what a released context had is freed once, when the last of its engines has left it") {
  Machine machine;
  const uint32_t nothing[] = {mi_batch_buffer_end}, waits[] = {mi_semaphore_wait_until_equal, 1, words_at, 0, mi_batch_buffer_end};
  const auto other = machine.context();
  const auto run = [&](const std::shared_ptr<Context>& context, unsigned slot = 0) {
    machine.submit_batch(context, nothing, {}, slot);
    const FencePtr fence = machine.requests.back()->fence;
    CHECK(FenceClock::get().wait(INT64_MAX, [&] { return fence->signalled; }));
    MutexLock until_served(machine.gpu.lock());
  };
  auto context = machine.context();
  run(context);
  run(other);  // so the render engine has left it
  machine.submit_batch(context, waits, {}, 1);
  const FencePtr fence = machine.requests.back()->fence;
  {
    // The request's end is in memory, while its engine is still at it.
    MutexLock lock(machine.gpu.lock());
    auto* status = reinterpret_cast<uint32_t*>(machine.gpu.arena().host(context->logical.at(1).image.gpa));
    std::atomic_ref(status[regs::pphwsp_seqno]).store(machine.requests.back()->seqno);
    machine.gpu.release(context);
    context.reset();
    machine.requests.clear();
  }
  machine.gpu.kick();
  CHECK(FenceClock::get().wait(INT64_MAX, [&] { return fence->signalled; }));
  std::vector<uint64_t> ours(64);
  {
    MutexLock lock(machine.gpu.lock());
    for (uint64_t& gpa : ours) std::memset(machine.gpu.arena().host(gpa = machine.gpu.arena().allocate(page)), 1, page);
  }
  run(other);
  for (const uint64_t gpa : ours) CHECK(*machine.gpu.arena().host(gpa) == std::byte{1});
  machine.open();
  run(other, 1);  // when the copy engine has really ended
}

TEST_CASE("work that was queued before an object is shared counts as its use") {
  Machine machine;
  const FencePtr fence = machine.submit(machine.context(), true)->fence;
  machine.words->last_write = fence;  // as EXECBUFFER2 notes it
  {
    MutexLock lock(machine.gpu.lock());
    machine.gpu.share(machine.words);
  }
  Arena of_another_process(page * 16);
  const BoPtr theirs = Bo::import(of_another_process, machine.words->fd());
  REQUIRE(theirs);
  CHECK(theirs->locks().others(1, last_ticket, false));
  machine.open();
  machine.check_order();
  MutexLock lock(machine.gpu.lock());
  CHECK_FALSE(theirs->locks().others(1, last_ticket, true));
}

namespace {

/// Signals that a thread of this process blocks; bit n - 1: signal n (proc(5), SigBlk).
uint64_t blocked_by(const std::filesystem::path& task) {
  std::ifstream status(task / "status");
  for (std::string name; status >> name;)
    if (name == "SigBlk:") {
      uint64_t mask = 0;
      status >> std::hex >> mask;
      return mask;
    }
  return 0;
}

}  // namespace

TEST_CASE("the program's signals are not handled on our threads") {
  const auto tasks = [] { return std::filesystem::directory_iterator("/proc/self/task"); };
  std::vector<std::filesystem::path> before;
  for (const auto& task : tasks()) before.push_back(task.path());
  Machine machine;
  const Kms kms{one_worker()};
  machine.open();
  machine.submit(machine.context(), false);
  machine.check_order();
  size_t ours = 0;
  for (const auto& task : tasks()) {
    if (std::find(before.begin(), before.end(), task.path()) != before.end()) continue;
    ++ours;
    // Until it runs, a new thread blocks all signals (glibc's pthread_create); later, those of faults are not blocked.
    uint64_t blocked = 0;
    const auto faults_blocked = [&] { return (blocked = blocked_by(task.path())) >> (SIGSEGV - 1) & 1; };
    for (const int64_t end = monotonic_ns() + 60'000'000'000; faults_blocked() && monotonic_ns() < end;) std::this_thread::yield();
    for (const int taken : {SIGTERM, SIGINT, SIGCHLD, SIGALRM, SIGUSR1, SIGRTMIN + 5}) CHECK(blocked >> (taken - 1) & 1);
    CHECK_FALSE(blocked >> (SIGSEGV - 1) & 1);
  }
  CHECK(ours >= 2);
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  CHECK_FALSE(sigismember(&own, SIGTERM));
}

// SPDX-License-Identifier: GPL-2.0-or-later
// tests/fuzz/isolated_memory.h works as documented, so that tests which use it can rely on it.
#include "tests/fuzz/isolated_memory.h"

#include <sys/wait.h>

#include <csignal>

#include "hw/base/log.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/tables.h"

using namespace softgen;
using namespace softgen::memory;
using fuzz::IsolatedMemory;

namespace {

/// The signal that ended `act` in a process of its own; 0: none.
template <typename F>
int signal_of(F&& act) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    act();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void touch(std::byte* at) { *const_cast<volatile std::byte*>(at) = std::byte{1}; }

}  // namespace

TEST_CASE("each page of isolated memory is between inaccessible pages") {
  IsolatedMemory memory(3);
  for (uint64_t gpa = 0; gpa < memory.size(); gpa += 4096) {
    const HostSpan span = memory.resolve(gpa, Access::write);
    REQUIRE(span.size == 4096);
    CHECK(signal_of([&] { touch(span.data), touch(span.data + 4095); }) == 0);
    CHECK(signal_of([&] { touch(span.data - 1); }) == SIGSEGV);
    CHECK(signal_of([&] { touch(span.data + 4096); }) == SIGSEGV);
  }
  CHECK(memory.resolve(0x1ff8, Access::read).size == 8);
  CHECK(memory.resolve(memory.size(), Access::read).data == nullptr);
  memory.make_read_only(1);
  CHECK(memory.resolve(0x1000, Access::write).data == nullptr);
  CHECK(signal_of([&] { touch(memory.resolve(0x1000, Access::read).data); }) == SIGSEGV);
}

TEST_CASE("isolated memory restores what was written, and only that") {
  IsolatedMemory memory(8);
  memory.store<uint32_t>(0x2004, 7);
  memory.keep();
  CHECK(memory.written().empty());
  const TlbGeneration generation;
  test::Tables tables{memory, 0x3000};
  const uint64_t root = tables.new_table();
  tables.map(root, 0x10'0000, 0x2000);
  memory.keep();
  View view(memory, nullptr);
  view.set_space(AddressSpace::ppgtt48(root, generation));
  for (unsigned round = 0; round < 2; ++round) {
    CHECK(view.load<uint32_t>(0x10'0004) == 7);
    view.store<uint32_t>(0x10'0004, 9), view.store<uint32_t>(0x10'0008, 9);
    // The second round only passes if restore() invalidated the page in the view's TLB.
    REQUIRE(memory.written().size() == 1);
    CHECK(memory.written()[0] == 2);
    memory.restore();
  }
  CHECK(view.load<uint32_t>(0x10'0004) == 7);
}

TEST_CASE("views never access guard pages") {
  quiet_log();
  fuzz::GuardedNowhere nowhere;
  IsolatedMemory memory(1);
  View view(memory, nullptr);
  CHECK(view.load<uint64_t>(0x5000) == 0);
  view.store<uint64_t>(0x5000, 1);
  uint64_t left;
  std::byte* to = view.at_for_write(0x5000, left);
  CHECK(signal_of([&] { touch(to + 4095); }) == 0);
  CHECK(signal_of([&] { touch(to + 4096); }) == SIGSEGV);
  const std::byte* from = view.at(0x5000, left);
  CHECK(from[4095] == std::byte{0});
  CHECK(signal_of([&] { (void)*const_cast<const volatile std::byte*>(from + 4096); }) == SIGSEGV);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Implicit synchronisation between processes. Two objects over one file are two processes here: each has an open file description of its own.
#include "hw/run/use_locks.h"

#include <linux/dma-buf.h>
#include <unistd.h>

#include "hw/run/bo.h"
#include "tests/catch.h"

using namespace softgen::run;

namespace {

constexpr uint64_t page = 4096;

/// A buffer as two processes have it.
struct Shared {
  Arena first{16 * page}, second{16 * page};
  BoPtr one = Bo::create(first, page), two;

  Shared() {
    one->share();
    two = Bo::import(second, one->fd());
  }
};

bool done(const FencePtr& fence) { return !fence || FenceClock::get().signalled(fence); }

bool ends(const FencePtr& fence) {
  return FenceClock::get().wait(deadline_after(20'000'000'000), [&] { return !fence || fence->signalled; });
}

FencePtr others_done(const BoPtr& bo, Ticket ticket, bool write) {
  return bo->locks().others_done(ticket, write, [] {});
}

}  // namespace

TEST_CASE("tickets grow") {
  Ticket last = 0;
  for (unsigned i = 0; i < 100'000; ++i) {
    const Ticket ticket = next_ticket();
    REQUIRE(ticket > last);
    last = ticket;
  }
}

TEST_CASE("a use conflicts with other processes' writes, and a write with their reads, too") {
  for (const bool theirs : {false, true})
    for (const bool ours : {false, true}) {
      INFO("they " << (theirs ? "write" : "read") << ", we " << (ours ? "write" : "read"));
      Shared shared;
      const Ticket earlier = next_ticket();
      REQUIRE(shared.two->locks().begin(earlier, theirs));
      CHECK(shared.one->locks().others(1, last_ticket, ours) == (theirs || ours));
      CHECK_FALSE(shared.one->locks().others(1, earlier, ours));
      CHECK_FALSE(shared.one->locks().others(earlier + 1, last_ticket, ours));
      CHECK_FALSE(shared.two->locks().others(1, last_ticket, true));
      const FencePtr fence = others_done(shared.one, next_ticket(), ours);
      CHECK((fence != nullptr) == (theirs || ours));
      CHECK((!fence || !done(fence)));
      shared.two->locks().end(earlier);
      CHECK(ends(fence));
      CHECK_FALSE(shared.one->locks().others(1, last_ticket, true));
    }
}

TEST_CASE("a waiting use does not wait for a later one, which waits for it") {
  Shared shared;
  const Ticket first = next_ticket(), second = next_ticket(), third = next_ticket();
  REQUIRE(shared.two->locks().begin(first, true));
  REQUIRE(shared.one->locks().begin(second, true));
  const FencePtr second_may = others_done(shared.one, second, true);
  REQUIRE(shared.two->locks().begin(third, true));
  const FencePtr third_may = others_done(shared.two, third, true);
  REQUIRE((second_may && third_may));
  shared.two->locks().end(first);
  CHECK(ends(second_may));
  CHECK_FALSE(done(third_may));
  shared.one->locks().end(second);
  CHECK(ends(third_may));
}

// Weston samples two windows' buffers while Xwayland draws into both. When each held a lock of one and waited for the other's, neither went on.
TEST_CASE("two processes with work on the same two buffers do not wait for each other in a circle") {
  Shared a, b;
  const Ticket drawn = next_ticket(), sampled = next_ticket();
  REQUIRE(b.two->locks().begin(drawn, true));
  REQUIRE(a.one->locks().begin(sampled, false));
  const Ticket frame = next_ticket();
  REQUIRE((a.one->locks().begin(frame, false) && b.one->locks().begin(frame, false)));
  const FencePtr frame_may = others_done(b.one, frame, false);
  REQUIRE(frame_may);
  CHECK_FALSE(others_done(a.one, frame, false));
  const Ticket drawing = next_ticket();
  REQUIRE((a.two->locks().begin(drawing, true) && b.two->locks().begin(drawing, true)));
  const FencePtr drawing_may[] = {others_done(a.two, drawing, true), others_done(b.two, drawing, true)};
  b.two->locks().end(drawn);
  a.one->locks().end(sampled);
  CHECK(ends(frame_may));
  for (const FencePtr& fence : drawing_may) CHECK((fence && !done(fence)));
  a.one->locks().end(frame);
  b.one->locks().end(frame);
  for (const FencePtr& fence : drawing_may) CHECK(ends(fence));
}

TEST_CASE("work takes a later ticket when another process may have missed it") {
  Shared shared;
  const Ticket ours = next_ticket(), theirs = next_ticket();
  REQUIRE(shared.two->locks().begin(theirs, true));
  CHECK_FALSE(shared.one->locks().begin(ours, false));
  CHECK_FALSE(shared.one->locks().begin(theirs, true));
  CHECK_FALSE(shared.two->locks().others(1, last_ticket, true));  // what was refused is not there
  CHECK(shared.one->locks().begin(next_ticket(), false));
}

TEST_CASE("a wait in progress serves a later one, unless there is new work between") {
  Shared shared;
  const Ticket first = next_ticket();
  REQUIRE(shared.two->locks().begin(first, true));
  const FencePtr fence = others_done(shared.one, next_ticket(), true);
  REQUIRE(fence);
  CHECK(others_done(shared.one, next_ticket(), true) == fence);
  const Ticket second = next_ticket();
  REQUIRE(shared.two->locks().begin(second, true));
  const FencePtr later = others_done(shared.one, next_ticket(), true);
  CHECK((later && later != fence));
  shared.two->locks().end(first);
  CHECK(ends(fence));
  CHECK_FALSE(done(later));
  shared.two->locks().end(second);
  CHECK(ends(later));
}

TEST_CASE("the uses of a process go with it") {
  Shared shared;
  REQUIRE(shared.two->locks().begin(next_ticket(), true));
  const FencePtr fence = others_done(shared.one, next_ticket(), false);
  REQUIRE(fence);
  shared.two.reset();
  CHECK(ends(fence));
}

TEST_CASE("a sync_file exported from a dma-buf is signalled when its uses are done: writes, and reads if it is asked to write") {
  Shared shared;
  const int fd = shared.one->fd();
  CHECK(is_dma_buf(fd));
  const auto idle = [&](uint32_t flags) {
    dma_buf_export_sync_file uses{.flags = flags, .fd = -1};
    REQUIRE(dma_buf_ioctl(fd, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &uses, [] {}) == 0);
    const FencePtr fence = import_sync_file(uses.fd, [] {});
    forget_sync_file(uses.fd), close(uses.fd);
    return fence;
  };
  CHECK(done(idle(DMA_BUF_SYNC_RW)));
  const bool theirs = GENERATE(false, true);
  const Ticket ticket = next_ticket();
  REQUIRE(shared.two->locks().begin(ticket, theirs));
  const FencePtr read = idle(DMA_BUF_SYNC_READ), write = idle(DMA_BUF_SYNC_WRITE);
  CHECK(done(read) == !theirs);
  CHECK_FALSE(done(write));
  shared.two->locks().end(ticket);
  CHECK(ends(read));
  CHECK(ends(write));
}

TEST_CASE("a fence imported into a dma-buf is a use by others until it is signalled") {
  Shared shared;
  const bool write = GENERATE(false, true);
  const auto fence = std::make_shared<Fence>();
  const int file = export_sync_file(fence);
  dma_buf_import_sync_file use{.flags = static_cast<uint32_t>(write ? DMA_BUF_SYNC_RW : DMA_BUF_SYNC_READ), .fd = file};
  REQUIRE(dma_buf_ioctl(shared.one->fd(), DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &use, [] {}) == 0);
  for (const BoPtr& bo : {shared.one, shared.two}) {
    CHECK(bo->locks().others(1, last_ticket, true));
    CHECK(bo->locks().others(1, last_ticket, false) == write);
  }
  const FencePtr uses = others_done(shared.two, next_ticket(), true);
  CHECK_FALSE(done(uses));
  FenceClock::get().signal(fence);
  CHECK(ends(uses));
  dma_buf_sync sync{.flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW};
  CHECK(dma_buf_ioctl(shared.one->fd(), DMA_BUF_IOCTL_SYNC, &sync, [] {}) == 0);
  CHECK_FALSE(shared.one->locks().others(1, last_ticket, true));
  forget_sync_file(file), close(file);
}

TEST_CASE("what a dma-buf's ioctls refuse") {
  Shared shared;
  const int fd = shared.one->fd();
  dma_buf_export_sync_file none{.flags = 0, .fd = -1};
  CHECK(dma_buf_ioctl(fd, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &none, [] {}) == -EINVAL);
  dma_buf_import_sync_file no_fence{.flags = DMA_BUF_SYNC_RW, .fd = fd};
  CHECK(dma_buf_ioctl(fd, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &no_fence, [] {}) == -EINVAL);
  dma_buf_sync unknown{.flags = 8 | DMA_BUF_SYNC_READ};
  CHECK(dma_buf_ioctl(fd, DMA_BUF_IOCTL_SYNC, &unknown, [] {}) == -EINVAL);
  CHECK(dma_buf_ioctl(fd, _IO('b', 99), nullptr, [] {}) == -ENOTTY);
  CHECK(dma_buf_ioctl(STDIN_FILENO, DMA_BUF_IOCTL_SYNC, &unknown, [] {}) == -ENOTTY);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

#include "hw/run/drm_file.h"
#include "hw/run/fence.h"
#include "tests/catch.h"

using namespace softgen::run;

namespace {

bool readable(int fd) {
  pollfd p{fd, POLLIN, 0};
  return poll(&p, 1, 0) == 1 && (p.revents & POLLIN);
}

/// The descriptor that the other end of a socket receives for `fd`; -1: none.
int sent_over(const int (&ends)[2], int fd) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
  msghdr message{};
  message.msg_iov = &data, message.msg_iovlen = 1;
  message.msg_control = control, message.msg_controllen = sizeof control;
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
  if (sendmsg(ends[0], &message, 0) != 1 || recvmsg(ends[1], &message, 0) != 1 || !(head = CMSG_FIRSTHDR(&message))) return -1;
  std::memcpy(&fd, CMSG_DATA(head), sizeof fd);
  return fd;
}

}  // namespace

TEST_CASE("a timeline syncobj advances point by point") {
  Syncobj timeline;
  auto one = std::make_shared<Fence>(), two = std::make_shared<Fence>();
  timeline.add_point(10, one);
  timeline.add_point(20, two);
  CHECK(timeline.find(5) == one);
  CHECK(timeline.find(10) == one);
  CHECK(timeline.find(11) == two);
  CHECK(timeline.find(21) == nullptr);
  CHECK(timeline.signalled_point() == 0);
  FenceClock::get().signal(two);
  CHECK(timeline.signalled_point() == 0);
  FenceClock::get().signal(one);
  CHECK(timeline.signalled_point() == 20);
}

// dEQP-VK.api.external.semaphore.opaque_fd.send_over_socket_*: the descriptor comes back with another number.
TEST_CASE("a syncobj is found by its descriptor, also by one received over a socket") {
  auto syncobj = std::make_shared<Syncobj>();
  const int fd = memfd_create("exported", MFD_CLOEXEC), other = memfd_create("not exported", MFD_CLOEXEC);
  export_syncobj(fd, syncobj);
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const int received = sent_over(ends, fd);
  REQUIRE(received >= 0);
  CHECK(received != fd);
  CHECK(exported_syncobj(fd) == syncobj);
  CHECK(exported_syncobj(received) == syncobj);
  CHECK(exported_syncobj(other) == nullptr);
  forget_syncobj(fd);
  close(fd);
  CHECK(exported_syncobj(received) == syncobj);
  syncobj.reset();
  CHECK(exported_syncobj(received) == nullptr);
  for (const int end : {ends[0], ends[1], received, other}) close(end);
}

TEST_CASE("a sync_file becomes readable when its fence is signalled") {
  const auto fence = std::make_shared<Fence>();
  const int fd = export_sync_file(fence);
  REQUIRE(fd >= 0);
  CHECK_FALSE(readable(fd));
  CHECK(import_sync_file(fd) == fence);
  FenceClock::get().signal(fence);
  CHECK(readable(fd));
  forget_sync_file(fd);
  close(fd);
}

TEST_CASE("waiting ends with the signal, or at the deadline") {
  const auto fence = std::make_shared<Fence>();
  CHECK_FALSE(FenceClock::get().wait(monotonic_ns(), [&] { return fence->signalled; }));
  std::thread signaller([&] { FenceClock::get().signal(fence, -5); });
  CHECK(FenceClock::get().wait(INT64_MAX, [&] { return fence->signalled; }));
  signaller.join();
  CHECK(fence->error == -5);
}

TEST_CASE("a waiter accepts offered work, and one that leaves refuses it") {
  FenceClock& clock = FenceClock::get();
  const auto fence = std::make_shared<Fence>();
  std::atomic<int> served{0}, refused{0};
  CHECK_FALSE(clock.offer());
  clock.set_service({[&] {
                       ++served;
                       clock.mark(fence);
                     },
                     [&] { ++refused; }});
  CHECK_FALSE(clock.offer());  // without a waiter
  // Offered during the first check: served before the second.
  std::thread offering;
  bool taken = false;
  CHECK(clock.wait(INT64_MAX, [&] {
    if (!offering.joinable()) offering = std::thread([&] { taken = clock.offer(); });
    return fence->signalled;
  }));
  offering.join();
  CHECK(taken);
  CHECK((served == 1 && refused == 0));
  // Offered to a waiter whose wait has just ended: another one must serve it.
  std::atomic<bool> waits{false}, goes{false};
  std::thread waiter([&] {
    clock.wait(INT64_MAX, [&] {
      waits = true;
      return goes.load();
    });
  });
  while (!waits) std::this_thread::yield();
  clock.locked([&] { goes = true; });
  if (clock.offer()) {
    waiter.join();
    CHECK(served + refused == 2);
  } else {
    waiter.join();
  }
  clock.set_service({});
  CHECK_FALSE(clock.offer());
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/sync_file.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
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

/// A message of one byte with room for a descriptor.
struct Message {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  Message() {
    header.msg_iov = &data, header.msg_iovlen = 1;
    header.msg_control = control, header.msg_controllen = sizeof control;
  }
};

bool send_descriptor(int socket, int fd) {
  Message message;
  cmsghdr* const head = CMSG_FIRSTHDR(&message.header);
  head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
  return sendmsg(socket, &message.header, 0) == 1;
}

/// -1: none came.
int receive_descriptor(int socket) {
  Message message;
  if (recvmsg(socket, &message.header, 0) != 1) return -1;
  const cmsghdr* const head = CMSG_FIRSTHDR(&message.header);
  int fd = -1;
  if (head) std::memcpy(&fd, CMSG_DATA(head), sizeof fd);
  return fd;
}

/// The descriptor that the other end of a socket receives for `fd`; -1: none.
int sent_over(const int (&ends)[2], int fd) { return send_descriptor(ends[0], fd) ? receive_descriptor(ends[1]) : -1; }

void nothing() {}

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
  CHECK(import_sync_file(fd, nothing) == fence);
  FenceClock::get().signal(fence);
  CHECK(readable(fd));
  forget_sync_file(fd);
  close(fd);
}

TEST_CASE("a sync_file of another process is pending until it is signalled, or until that process dies") {
  const bool dies = GENERATE(false, true);
  int there[2], back[2];
  REQUIRE(pipe(there) == 0);
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, back) == 0);
  const pid_t other = fork();
  if (other == 0) {
    close(there[1]);
    const auto fence = std::make_shared<Fence>();
    const int fd = export_sync_file(fence);
    if (!send_descriptor(back[0], fd)) _exit(1);
    char byte;
    if (read(there[0], &byte, 1) == 1) FenceClock::get().signal(fence);
    _exit(0);
  }
  const int fd = receive_descriptor(back[1]);
  REQUIRE(fd >= 0);
  std::atomic<bool> changed{false};
  const FencePtr fence = import_sync_file(fd, [&] { changed = true; });
  REQUIRE(fence);
  CHECK_FALSE(FenceClock::get().signalled(fence));
  sync_file_info info{};
  REQUIRE(sync_file_ioctl(fd, SYNC_IOC_FILE_INFO, &info, nothing) == 0);
  CHECK(info.status == 0);
  if (!dies) REQUIRE(write(there[1], "", 1) == 1);
  close(there[0]), close(there[1]);
  CHECK(FenceClock::get().wait(INT64_MAX, [&] { return fence->signalled; }));
  while (!changed) std::this_thread::yield();
  CHECK(FenceClock::get().signalled(import_sync_file(fd, nothing)));
  REQUIRE(sync_file_ioctl(fd, SYNC_IOC_FILE_INFO, &info, nothing) == 0);
  CHECK(info.status == 1);
  CHECK(waitpid(other, nullptr, 0) == other);
  for (const int end : {back[0], back[1], fd}) close(end);
}

TEST_CASE("a merged sync_file is signalled when both are, without a wait") {
  const auto a = std::make_shared<Fence>(), b = std::make_shared<Fence>();
  const int first = export_sync_file(a), second = export_sync_file(b);
  sync_merge_data merge{};
  merge.fd2 = second;
  REQUIRE(sync_file_ioctl(first, SYNC_IOC_MERGE, &merge, nothing) == 0);
  FenceClock::get().signal(GENERATE_COPY(a, b), -5);
  CHECK_FALSE(readable(merge.fence));
  FenceClock::get().signal(a), FenceClock::get().signal(b);
  CHECK(readable(merge.fence));
  CHECK(import_sync_file(merge.fence, nothing)->error == -5);
  for (const int fd : {first, second, merge.fence}) forget_sync_file(fd), close(fd);
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

// SPDX-License-Identifier: GPL-2.0-or-later
// The filter is seccomp's (Documentation/userspace-api/seccomp_filter.rst in Linux).
#include "hw/eu/jit/confinement.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <vector>

namespace softgen::eu::jit {

namespace {

constexpr unsigned data_arch = offsetof(seccomp_data, arch), data_number = offsetof(seccomp_data, nr);
constexpr unsigned low_half_of(unsigned argument) { return offsetof(seccomp_data, args) + argument * 8; }

/// Needed by glibc's allocator, by LLVM's code generator and for the socket.
constexpr int allowed[] = {SYS_read,         SYS_write,          SYS_recvfrom,
                           SYS_sendto,       SYS_poll,           SYS_munmap,
                           SYS_mremap,       SYS_madvise,        SYS_brk,
                           SYS_futex,        SYS_exit,           SYS_exit_group,
                           SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_restart_syscall,
                           SYS_setitimer,    SYS_clock_gettime,  SYS_gettimeofday,
                           SYS_getpid,       SYS_gettid,         SYS_getrandom,
                           SYS_sched_yield};
/// Calls that libraries may try and that may fail.
constexpr int failing[] = {SYS_open,      SYS_openat,       SYS_stat,       SYS_lstat,      SYS_fstat,     SYS_newfstatat,
                           SYS_statx,     SYS_access,       SYS_readlink,   SYS_readlinkat, SYS_getcwd,    SYS_ioctl,
                           SYS_lseek,     SYS_sysinfo,      SYS_uname,      SYS_prlimit64,  SYS_getrlimit, SYS_sched_getaffinity,
                           SYS_getrusage, SYS_rt_sigaction, SYS_sigaltstack};

class Filter {
 public:
  void add(uint16_t code, uint32_t k, uint8_t if_true = 0, uint8_t if_false = 0) { code_.push_back({code, if_true, if_false, k}); }
  void load(unsigned offset) { add(BPF_LD | BPF_W | BPF_ABS, offset); }
  void answer(uint32_t action) { add(BPF_RET | BPF_K, action); }
  /// Returns `action` if the loaded value equals `value`.
  void answer_if(uint32_t value, uint32_t action) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    answer(action);
  }
  /// Allows a call that maps memory, unless the memory would be executable.
  void allow_unless_executable(uint32_t number, unsigned protection_argument) {
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
    load(low_half_of(protection_argument));
    add(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1);
    answer(SECCOMP_RET_ERRNO | EPERM);
    answer(SECCOMP_RET_ALLOW);
  }
  bool install() {
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  }

 private:
  std::vector<sock_filter> code_;
};

}  // namespace

bool confines() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
  return false;
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#else
  return true;
#endif
}

void limit_process() {
  const auto limit = [](auto what, rlim_t most) {
    const rlimit both{most, most};
    setrlimit(what, &both);
  };
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  if (confines()) limit(RLIMIT_AS, compiler_memory);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGTTIN, SIGTTOU}) std::signal(signal, SIG_IGN);
}

const char* filter_system_calls() {
  if (!confines()) return nullptr;
  Filter filter;
  filter.load(data_arch);
  filter.add(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
  filter.answer(SECCOMP_RET_KILL_PROCESS);
  filter.load(data_number);  // numbers of the x32 ABI have another bit set, so they kill the process as well
  for (const int number : allowed) filter.answer_if(static_cast<uint32_t>(number), SECCOMP_RET_ALLOW);
  for (const int number : failing) filter.answer_if(static_cast<uint32_t>(number), SECCOMP_RET_ERRNO | EACCES);
  filter.allow_unless_executable(SYS_mmap, 2);
  filter.allow_unless_executable(SYS_mprotect, 2);
  filter.answer(SECCOMP_RET_KILL_PROCESS);
  return filter.install() ? nullptr : "this host has no filter of system calls (seccomp) to confine it";
}

void limit_time(bool on) {
  itimerval timer{};
  timer.it_value.tv_sec = on ? kernel_seconds : 0;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace softgen::eu::jit

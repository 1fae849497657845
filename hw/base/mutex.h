// SPDX-License-Identifier: GPL-2.0-or-later
// A mutex with the attributes of clang's thread safety analysis (-Wthread-safety): a member marked SG_GUARDED_BY(mutex_) can be used only where mutex_
// is held, which clang checks when it compiles (CI builds with it). GCC sees no attributes. It stands on POSIX threads: <mutex>, with what it includes,
// would be a third of what most sources parse.
#pragma once

#include <pthread.h>

#ifdef __clang__
#define SG_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define SG_THREAD_ATTRIBUTE(x)
#endif

#define SG_CAPABILITY(name) SG_THREAD_ATTRIBUTE(capability(name))
#define SG_SCOPED_CAPABILITY SG_THREAD_ATTRIBUTE(scoped_lockable)
#define SG_GUARDED_BY(...) SG_THREAD_ATTRIBUTE(guarded_by(__VA_ARGS__))
#define SG_PT_GUARDED_BY(...) SG_THREAD_ATTRIBUTE(pt_guarded_by(__VA_ARGS__))
#define SG_REQUIRES(...) SG_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define SG_ACQUIRE(...) SG_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define SG_RELEASE(...) SG_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define SG_TRY_ACQUIRE(...) SG_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define SG_EXCLUDES(...) SG_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define SG_RETURN_CAPABILITY(x) SG_THREAD_ATTRIBUTE(lock_returned(x))
/// For what the analysis cannot follow; a comment there says why it is right.
#define SG_NO_THREAD_SAFETY_ANALYSIS SG_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace softgen {

class SG_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // A mutex of the default kind reports no error (POSIX.1, pthread_mutex_lock).
  void lock() SG_ACQUIRE() { pthread_mutex_lock(&mutex_); }
  void unlock() SG_RELEASE() { pthread_mutex_unlock(&mutex_); }
  bool try_lock() SG_TRY_ACQUIRE(true) { return pthread_mutex_trylock(&mutex_) == 0; }

 private:
  friend class Condition;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

/// Holds a mutex while it lives, but between unlock() and lock().
class SG_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) SG_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  ~MutexLock() SG_RELEASE() {
    if (held_) mutex_.unlock();
  }
  void lock() SG_ACQUIRE() {
    mutex_.lock();
    held_ = true;
  }
  void unlock() SG_RELEASE() {
    held_ = false;
    mutex_.unlock();
  }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

}  // namespace softgen

// SPDX-License-Identifier: GPL-2.0-or-later
// As mutex.h, for what is read much more often than it changes: many threads may hold it to read, or one to write.
#pragma once

#include <shared_mutex>

#include "hw/base/mutex.h"

#define SG_ACQUIRE_SHARED(...) SG_THREAD_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define SG_RELEASE_SHARED(...) SG_THREAD_ATTRIBUTE(release_shared_capability(__VA_ARGS__))

namespace softgen {

class SG_CAPABILITY("mutex") SharedMutex {
 public:
  void lock() SG_ACQUIRE() { mutex_.lock(); }
  void unlock() SG_RELEASE() { mutex_.unlock(); }
  void lock_shared() SG_ACQUIRE_SHARED() { mutex_.lock_shared(); }
  void unlock_shared() SG_RELEASE_SHARED() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

/// Holds it to read while it lives.
class SG_SCOPED_CAPABILITY ReadLock {
 public:
  explicit ReadLock(SharedMutex& mutex) SG_ACQUIRE_SHARED(mutex) : mutex_(mutex) { mutex_.lock_shared(); }
  ~ReadLock() SG_RELEASE() { mutex_.unlock_shared(); }
  ReadLock(const ReadLock&) = delete;
  ReadLock& operator=(const ReadLock&) = delete;

 private:
  SharedMutex& mutex_;
};

/// Holds it alone while it lives.
class SG_SCOPED_CAPABILITY WriteLock {
 public:
  explicit WriteLock(SharedMutex& mutex) SG_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~WriteLock() SG_RELEASE() { mutex_.unlock(); }
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace softgen

// SPDX-License-Identifier: GPL-2.0-or-later
// An object for each host thread that may also be used while the process exits.
#pragma once

#include <utility>

namespace softgen {

/// This thread's T, made when it is first asked for and gone with the thread. A plain thread_local is destroyed before exit handlers run, and
/// drivers submit their last work from there (softgen-run without worker threads executes it in the caller): calls after that get
/// a new one, which stays.
template <typename T>
T& per_thread() {
  // A few of these fit into what the C library keeps ready for libraries that are loaded later; the general way costs a call.
  [[gnu::tls_model("initial-exec")]] thread_local T* instance = nullptr;
  if (!instance) {
    instance = new T;
    struct Owner {
      ~Owner() { delete std::exchange(instance, nullptr); }
    };
    thread_local const Owner owner;
  }
  return *instance;
}

}  // namespace softgen

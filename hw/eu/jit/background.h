// SPDX-License-Identifier: GPL-2.0-or-later
// The thread that compiles while others run.
#pragma once

#include <functional>

namespace softgen::eu::jit {

/// On one thread, which is started when it is first needed and sleeps when there is nothing to do. `find` is asked first, in order; where it
/// finds nothing (false), `make` follows once nobody waits to be asked, the newest first: what was asked for last is what runs now. Work left
/// when the process ends is dropped. False: as much is waiting as may wait.
bool compile_later(std::function<bool()> find, std::function<void()> make);
/// From now on the process may end at any time (exit runs LLVM's destructors, which must not meet the thread at work).
void stop_before_exit();
/// Work uses LLVM: before the first of it the thread loads LLVM.
void load_llvm_first();
/// Called by another thread when this one is to stop, to end its current work soon. Null: nothing is called.
void when_stopping(void (*function)());
/// Until all that was asked for is done.
void drain();

}  // namespace softgen::eu::jit

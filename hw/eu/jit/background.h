// SPDX-License-Identifier: GPL-2.0-or-later
// The thread that compiles while others run.
#pragma once

#include <functional>

namespace softgen::eu::jit {

/// In order, on one thread of low priority, which is started when it is first needed and sleeps when there is nothing to do. Work left when
/// the process ends is dropped. False: as much is waiting as may wait.
bool compile_later(std::function<void()> work);
/// From now on the process may end at any time (exit runs LLVM's destructors, which must not meet the thread at work).
void stop_before_exit();
/// Until all that was asked for is done.
void drain();

}  // namespace softgen::eu::jit

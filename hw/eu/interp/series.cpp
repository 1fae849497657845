// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/interp/run.h"

#include <cstring>

#include "hw/base/work.h"
#include "hw/iface/engine.h"

namespace softgen::eu {
namespace {

void copy(Thread& thread, unsigned first, unsigned end, const Grf* from) {
  if (first < end) std::memcpy(&thread.grf(first), from, size_t{end - first} * sizeof(Grf));
}

}  // namespace

bool run_series(Thread& thread, const ThreadStart& how, const ThreadSeries& series, ThreadEnv& env, MessageTarget& target) {
  auto way = FastPath::Series::interpreted;
  if (FastPath* fast = how.program->fast_path()) way = fast->run_series(thread, how, series, env, target);
  if (way == FastPath::Series::done) return true;
  if (series.payloads) series.payloads->write_all();
  bool ended = true;
  ThreadStart one = how;
  one.payload = series.layout.end;
  for (SeriesThread* t = series.first; t && !env.stop.aborting(); t = t->next) {
    *series.running = t;
    copy(thread, 0, series.layout.constants, t->own);
    copy(thread, series.layout.constants, series.layout.attributes, series.constants);
    copy(thread, series.layout.attributes, series.layout.end, t->attributes);
    count_path(Path::threads_alone, 1);
    one.dispatch_mask = t->dispatch_mask, one.vector_mask = t->vector_mask;
    thread.start(one);
    const RunResult result = way == FastPath::Series::interpreted ? interpret(thread, env, target) : run(thread, env, target);
    if (result == RunResult::aborted) break;
    if (result == RunResult::blocked) ended = false;
  }
  return ended;
}

}  // namespace softgen::eu

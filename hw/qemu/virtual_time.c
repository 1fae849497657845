/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sleep of a guest whose clock counts instructions (-icount sleep=off): the clock jumps to the next timer. In QEMU 10.0 the virtual CPU's thread wakes
 * the main loop for that, waits until it has run the timer, and each timer wakes the main loop and all other AioContexts. A fuzzer's
 * execution has hundreds of such sleeps, each of which costs more than what the guest does between them.
 *
 * Here the CPU's thread does both: when QEMU asks whether a halted CPU has work (SysemuCPUOps.has_work), a piece of work is queued that jumps
 * and runs the timers. It runs outside of timers' callbacks, with the big lock, as icount_handle_deadline() does for a CPU that runs.
 */
#include "qemu/osdep.h"

#include <malloc.h>

#include "hw/core/cpu.h"
#include "hw/core/sysemu-cpu-ops.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "system/cpu-timers.h"
#include "system/cpus.h"
#include "system/runstate.h"
#include "virtual_time.h"

/* After so many sleeps in a row the main loop does one: it gets the big lock even from a guest that only sleeps. */
#define SLEEPS_IN_A_ROW 64

static struct {
  SysemuCPUOps ops;
  bool (*has_work)(CPUState* cpu);
  bool queued;    /* pass() waits to be run, or runs */
  bool leave;     /* the next sleep is the main loop's */
  unsigned count; /* of sleeps */
} idle;

static void pass(CPUState* cpu, run_on_cpu_data data) {
  if (runstate_is_running() && cpu->halted && !cpu->stop && !idle.has_work(cpu)) {
    icount_start_warp_timer();
    idle.leave = !qemu_clock_run_timers(QEMU_CLOCK_VIRTUAL) || ++idle.count % SLEEPS_IN_A_ROW == 0;
  }
  idle.queued = false;
}

static bool has_work(CPUState* cpu) {
  if (idle.has_work(cpu)) return true;
  /* TCG's own question whether to leave the halt comes without the lock. */
  if (idle.queued || !cpu->halted || cpu->stop || !bql_locked() || !qemu_cpu_is_self(cpu) || !runstate_is_running()) return false;
  if (idle.leave) {
    idle.leave = false;
    return false;
  }
  idle.queued = true;
  async_run_on_cpu(cpu, pass, RUN_ON_CPU_NULL);
  return true;
}

/*
 * Each AioContext has a list of timers, and is woken when a timer of any list is due, though only throttled disks have timers of guest time there.
 * The private struct QEMUTimerList (util/qemu-timer.c) has these members in a row: the clock's next list, the place that has its own address, a callback,
 * and the callback's argument. Their offset is found in two lists that are made here with a known callback, and used only if the second one's `next` is
 * the first one. (AioContext itself has another layout in each build of QEMU.)
 */
typedef struct {
  QEMUTimerList* next;
  void* place;
  QEMUTimerListNotifyCB* callback;
  void* argument;
} ListPart;

typedef struct {
  QEMUTimerList* list;
  QEMUTimerListNotifyCB* callback;
  void* argument;
} Listener;

static ListPart* list_part(QEMUTimerList* list, size_t offset) { return (ListPart*)((uint8_t*)list + offset); }

static void never(void* opaque, QEMUClockType type) {}

/* The offset of a ListPart, or 0. `second` was made after `first`. */
static size_t find_part(QEMUTimerList* first, QEMUTimerList* second) {
  size_t size = MIN(malloc_usable_size(first), malloc_usable_size(second));
  for (size_t offset = sizeof(void*); offset + sizeof(ListPart) <= size; offset += sizeof(void*)) {
    const ListPart *a = list_part(first, offset), *b = list_part(second, offset);
    if (a->callback == never && a->argument == &idle && b->callback == never && b->argument == &idle)
      return b->next == first && a->place == &b->next ? offset : 0;
  }
  return 0;
}

static void notify_if_needed(void* opaque, QEMUClockType type) {
  Listener* listener = opaque;
  if (timerlist_has_timers(listener->list)) listener->callback(listener->argument, type);
}

/* All lists of the clock but the main loop's, which wakes the virtual CPU. The machine has not run yet: no other thread uses them. */
static void quieten_lists(void) {
  QEMUTimerList* first = timerlist_new(QEMU_CLOCK_VIRTUAL, never, &idle);
  QEMUTimerList* second = timerlist_new(QEMU_CLOCK_VIRTUAL, never, &idle);
  size_t offset = find_part(first, second);
  for (QEMUTimerList* list = offset ? list_part(first, offset)->next : NULL; list; list = list_part(list, offset)->next) {
    ListPart* part = list_part(list, offset);
    if (list == main_loop_tlg.tl[QEMU_CLOCK_VIRTUAL] || !part->callback) continue;
    Listener* listener = g_new(Listener, 1);
    *listener = (Listener){list, part->callback, part->argument};
    part->callback = notify_if_needed;
    part->argument = listener;
  }
  timerlist_free(second);
  timerlist_free(first);
}

void intel_gpu_virtual_time_begin(void) {
  if (!icount_enabled() || !first_cpu || CPU_NEXT(first_cpu) || idle.has_work) return;
  CPUClass* klass = CPU_GET_CLASS(first_cpu);
  idle.ops = *klass->sysemu_ops;
  idle.has_work = idle.ops.has_work;
  idle.ops.has_work = has_work;
  klass->sysemu_ops = &idle.ops;
  quieten_lists();
}

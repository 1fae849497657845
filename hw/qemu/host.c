/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the core asks of its host: clock, timers, interrupt, log, DDC. Calls come from engine threads too,
 * which hold no lock of QEMU; their interrupts therefore go through a bottom half, and timers are armed by
 * timer_mod(), which is thread-safe.
 */
#include "qemu/osdep.h"

#include "hw/pci/msi.h"
#include "intel_gpu.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "system/runstate.h"

static int64_t host_clock_ns(void* opaque) { return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL); }

static void host_timer_set(void* opaque, unsigned id, int64_t deadline_ns) {
  IntelGpuState* s = opaque;
  if (id >= SG_TIMER_COUNT) return;
  if (deadline_ns < 0) {
    timer_del(s->timers[id]);
  } else {
    timer_mod(s->timers[id], deadline_ns);
  }
}

typedef struct {
  IntelGpuState* gpu;
  unsigned id;
} TimerContext;

/*
 * Sets the reentrancy guard, as an access to our registers does, so that host_interrupt() sends at once. With icount the vCPU thread runs timers at
 * exact instructions; a bottom half would run on the main loop's thread, at a time that depends on the host.
 */
static void on_timer(void* opaque) {
  TimerContext* context = opaque;
  MemReentrancyGuard* guard = &DEVICE(context->gpu)->mem_reentrancy_guard;
  bool before = guard->engaged_in_io;
  guard->engaged_in_io = true;
  sg_timer_expired(context->gpu->core, context->id);
  guard->engaged_in_io = before;
}

void intel_gpu_irq_update(IntelGpuState* s) {
  PCIDevice* pci = PCI_DEVICE(s);
  bool rose = qatomic_xchg(&s->irq.rose, false);
  if (msi_enabled(pci)) {
    if (rose) msi_notify(pci, 0);
  } else {
    pci_set_irq(pci, qatomic_read(&s->irq.level));
  }
}

static void irq_bottom_half(void* opaque) { intel_gpu_irq_update(opaque); }

static void host_interrupt(void* opaque, bool level) {
  IntelGpuState* s = opaque;
  bool before = qatomic_xchg(&s->irq.level, level);
  if (level && !before) qatomic_set(&s->irq.rose, true);
  if (before == level) return;
  /* A message may be aimed at our own registers: it is sent here only where QEMU refuses accesses to them,
   * which is within an access to them (the guard of system/memory.c). Timers and the bottom half set that guard too. */
  if (bql_locked() && DEVICE(s)->mem_reentrancy_guard.engaged_in_io && runstate_is_running()) {
    intel_gpu_irq_update(s);
  } else {
    qemu_bh_schedule(s->irq.bh);
  }
}

static void host_log(void* opaque, enum sg_log_kind kind, const char* line) {
  switch (kind) {
    case SG_LOG_GUEST_ERROR: qemu_log_mask(LOG_GUEST_ERROR, "intel-gpu: %s\n", line); break;
    case SG_LOG_UNSUPPORTED:
    case SG_LOG_UNIMPLEMENTED:
      /* The core says each once, so this cannot flood. */
      warn_report("intel-gpu: %s", line);
      break;
    case SG_LOG_NOTE: qemu_log("intel-gpu: %s\n", line); break;
  }
}

/*
 * QEMU's I2C core wants the big lock. Register writes of virtual CPUs have it. A privileged batch that loads a
 * GMBUS or GPIO register on its engine's thread does not, and must not wait for it: its holder may be waiting for
 * that engine. Such a batch meets a bus without devices. No driver does this.
 */
static IntelGpuMonitor* monitor_on_bus(IntelGpuState* s, unsigned pin) {
  if (!bql_locked()) {
    warn_report_once("intel-gpu: a batch uses a DDC bus, where it finds no device");
    return NULL;
  }
  IntelGpuMonitor* monitor = intel_gpu_monitor_of_pin(s, pin);
  return monitor && monitor->plugged ? monitor : NULL;
}

static void host_gtt_changed(void* opaque) {
  IntelGpuState* s = opaque;
  qemu_bh_schedule(s->aperture.unmap_bh);
}

static void host_display_ready(void* opaque, unsigned pipe) { intel_gpu_picture_ready(opaque, pipe); }

static void end_mappings(void* opaque) { intel_gpu_aperture_unmap_all(opaque); }

static int host_i2c_start(void* opaque, unsigned pin, uint8_t address, bool is_receive) {
  IntelGpuMonitor* monitor = monitor_on_bus(opaque, pin);
  return monitor ? i2c_start_transfer(monitor->bus, address, is_receive) : -1;
}

static int host_i2c_send(void* opaque, unsigned pin, uint8_t byte) {
  IntelGpuMonitor* monitor = monitor_on_bus(opaque, pin);
  return monitor ? i2c_send(monitor->bus, byte) : -1;
}

static uint8_t host_i2c_receive(void* opaque, unsigned pin) {
  IntelGpuMonitor* monitor = monitor_on_bus(opaque, pin);
  /* Without a monitor the open-drain line stays high. */
  return monitor ? i2c_recv(monitor->bus) : 0xff;
}

static void host_i2c_end(void* opaque, unsigned pin) {
  if (!bql_locked()) return;
  IntelGpuMonitor* monitor = intel_gpu_monitor_of_pin(opaque, pin);
  if (monitor) i2c_end_transfer(monitor->bus);
}

void intel_gpu_host_ops(IntelGpuState* s, sg_host_ops* ops) {
  *ops = (sg_host_ops){
      .opaque = s,
      .clock_ns = host_clock_ns,
      .timer_set = host_timer_set,
      .interrupt = host_interrupt,
      .log = host_log,
      .display_ready = host_display_ready,
      .gtt_changed = host_gtt_changed,
      .i2c_start = host_i2c_start,
      .i2c_send = host_i2c_send,
      .i2c_receive = host_i2c_receive,
      .i2c_end = host_i2c_end,
  };
  intel_gpu_vga_host_ops(ops);
  intel_gpu_faults_host_ops(ops);
}

void intel_gpu_host_init(IntelGpuState* s) {
  DeviceState* dev = DEVICE(s);
  s->irq.bh = qemu_bh_new_guarded(irq_bottom_half, s, &dev->mem_reentrancy_guard);
  s->aperture.unmap_bh = qemu_bh_new_guarded(end_mappings, s, &dev->mem_reentrancy_guard);
  for (unsigned i = 0; i < SG_TIMER_COUNT; i++) {
    TimerContext* context = g_new(TimerContext, 1);
    *context = (TimerContext){s, i};
    s->timers[i] = timer_new_ns(QEMU_CLOCK_VIRTUAL, on_timer, context);
  }
}

void intel_gpu_host_exit(IntelGpuState* s) {
  for (unsigned i = 0; i < SG_TIMER_COUNT; i++) {
    if (!s->timers[i]) continue;
    g_free(s->timers[i]->opaque);
    timer_free(s->timers[i]);
    s->timers[i] = NULL;
  }
  if (s->irq.bh) qemu_bh_delete(s->irq.bh);
  if (s->aperture.unmap_bh) qemu_bh_delete(s->aperture.unmap_bh);
  if (s->pictures.bh) qemu_bh_delete(s->pictures.bh);
  s->irq.bh = s->aperture.unmap_bh = s->pictures.bh = NULL;
}

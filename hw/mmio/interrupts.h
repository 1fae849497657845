// SPDX-License-Identifier: GPL-2.0-or-later
// Interrupts as the units raise them: by name. Which register and bit an event has, and what masks it, is known by the platform's
// implementation alone (hw/mmio/interrupts/).
#pragma once

#include <cstdint>

#include "hw/base/archive.h"
#include "hw/iface/engine.h"

namespace softgen::mmio {

/// Events of an engine, or-ed.
using EngineEvents = uint32_t;
namespace engine_event {
constexpr EngineEvents user = 1 << 0;            ///< MI_USER_INTERRUPT
constexpr EngineEvents error = 1 << 1;           ///< EIR has a new bit
constexpr EngineEvents flush_notify = 1 << 2;    ///< Notify Enable of PIPE_CONTROL and MI_FLUSH_DW
constexpr EngineEvents context_switch = 1 << 3;  ///< the CSB has a new entry
constexpr EngineEvents wait_semaphore = 1 << 4;  ///< a semaphore began to wait
constexpr EngineEvents watchdog = 1 << 5;        ///< the watchdog timer has reached its threshold
constexpr unsigned count = 6;
/// A level, for show(): each sync flush turns it over.
constexpr EngineEvents sync_status = 1 << count;
/// A level: faults of a per-process table wait for software.
constexpr EngineEvents page_fault = 1 << (count + 1);
constexpr unsigned with_levels = count + 2;
}  // namespace engine_event

/// Events of a display pipe, or-ed.
using PipeEvents = uint32_t;
namespace pipe_event {
constexpr PipeEvents vertical_blank = 1 << 0;
constexpr PipeEvents vertical_sync = 1 << 1;
constexpr PipeEvents crc_done = 1 << 2;
constexpr PipeEvents flip_done(unsigned plane) { return PipeEvents{8} << plane; }
constexpr unsigned max_planes = 7;
/// A display state buffer of the pipe has reached an interrupt instruction, or an error.
constexpr PipeEvents state_buffer(unsigned buffer) { return flip_done(max_planes) << buffer; }
constexpr unsigned state_buffers = 3;
/// The pipe's FIFO ran empty. Only fault plans raise it.
constexpr PipeEvents underrun = state_buffer(state_buffers);
constexpr unsigned count = 3 + max_planes + state_buffers + 1;
}  // namespace pipe_event

/// All but the constructor: from any thread. What says "raises" calls Host::interrupt on the way out, with no lock held: it may come back into
/// the registers (an MSI aimed at our own BAR). A caller that holds a lock which a register's hook takes uses post() and, after unlocking, deliver().
class Interrupts {
 public:
  virtual ~Interrupts() = default;

  /// Raises events of an engine; those that the engine itself masks (RING_IMR) have no effect.
  virtual void raise(EngineId engine, EngineEvents events) = 0;
  /// As raise(), but the bits of ISR show `on` from now on. Platforms without such events need none.
  virtual void show(EngineId /*engine*/, EngineEvents /*events*/, bool /*on*/) {}
  /// The bits of these events in the engine's own interrupt registers (RING_IMR, HWSTAM) and in the status word of its status page.
  virtual uint32_t engine_bits(EngineId engine, EngineEvents events) const = 0;

  /// As raising, but for the call of the host.
  virtual void post(unsigned pipe, PipeEvents events) = 0;
  /// Events of the pipe that reach software now: a source of periodic events may stop while there are none.
  virtual PipeEvents unmasked(unsigned pipe) const = 0;

  /// Raises the end of a transfer on DDI `port`'s AUX channel, of GMBUS.
  virtual void raise_aux_done(unsigned port) = 0;
  virtual void raise_gmbus() = 0;
  /// Raises the GuC's interrupt to the host.
  virtual void raise_guc() = 0;
  /// Raises the observation unit's interrupt: its buffer has become half full.
  virtual void raise_observation() = 0;
  /// Raises a hot-plug event of a connector (0: DDI B).
  virtual void raise_hot_plug(unsigned connector) = 0;
  /// The live state of a connector, where the platform shows it. Raises no interrupt.
  virtual void show_connected(unsigned connector, bool connected) = 0;

  /// Brings the host's line up to date. One thread at a time calls the host; concurrent and nested calls leave the delivery to that thread.
  virtual void deliver() = 0;

  /// Reset of the whole device.
  virtual void reset() = 0;
  /// Reset of engines (GDRST): what they had pending. bit i: EngineId i.
  virtual void reset_engines(uint32_t engines) = 0;
  virtual void state(Archive& archive) = 0;
  /// The line towards the host.
  virtual bool level() const = 0;
};

}  // namespace softgen::mmio

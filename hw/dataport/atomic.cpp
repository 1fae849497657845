// SPDX-License-Identifier: GPL-2.0-or-later
// Atomic operations (SKL PRM vol 7, "Atomic Operations"). They are atomic on the host too: threads
// of the pool and the guest's CPUs may work on the same cell.
#include <bit>

#include "hw/base/log.h"
#include "hw/dataport/lanes.h"
#include "hw/dataport/messages.h"

namespace softgen::dataport {
namespace {

constexpr uint32_t code(AtomicOperation operation) { return static_cast<uint32_t>(operation); }
constexpr uint32_t code(FloatAtomicOperation operation) { return static_cast<uint32_t>(operation); }
constexpr uint32_t code_and = code(AtomicOperation::AND), code_inc = code(AtomicOperation::INC), code_dec = code(AtomicOperation::DEC),
                   code_cmpwr = code(AtomicOperation::CMPWR), code_predec = code(AtomicOperation::PREDEC);
constexpr uint32_t code_fmax = code(FloatAtomicOperation::FMAX), code_fmin = code(FloatAtomicOperation::FMIN),
                   code_fcmpwr = code(FloatAtomicOperation::FCMPWR);

bool known(uint32_t code) {
  if (code >= code_and) return true;
  unimplemented("atomic operation", "code {}", code);  // 0: a double-wide compare and write
  return false;
}

Lanes untyped_lanes(const Message& m, const Space& space) {
  Lanes lanes(m, m.op.simd);
  if (lanes.pairs()) return lanes;
  if (m.header_present() && space.is_surface()) lanes.restrict(message_header::DataPort{m.reg(0).dw}.pixel_mask());
  return lanes;
}

uint64_t untyped_offset(const Message& m, const Space& space, const Lanes& lanes, unsigned lane) {
  const size_t address = m.header_present();
  const uint64_t first = parameter(m, lanes, address, 0, lane);
  if (!space.structure_pitch()) return first;
  return first * space.structure_pitch() + parameter(m, lanes, address, 1, lane);
}
size_t untyped_data(const Message& m, const Space& space, const Lanes& lanes) {
  return m.header_present() + lanes.span(space.structure_pitch() ? 2 : 1);
}

}  // namespace

unsigned operands_of_atomic(uint32_t code) {
  return code == code_inc || code == code_dec || code == code_predec ? 0 : code == code_cmpwr ? 2 : 1;
}

template <std::unsigned_integral T>
T integer_atomic(uint32_t code, T* cell, T a, T b) {
  if (!cell || code < code_and || code > code_predec) return 0;
  const T old = memory::atomic_at(static_cast<memory::AtomicOp>(code - 1), *cell, a, b);
  // "predec" returns what it leaves, the others what they found.
  return code == code_predec ? static_cast<T>(old - 1) : old;
}
template uint32_t integer_atomic(uint32_t, uint32_t*, uint32_t, uint32_t);
template uint64_t integer_atomic(uint32_t, uint64_t*, uint64_t, uint64_t);

uint32_t float_atomic(uint32_t code, uint32_t* cell, uint32_t a, uint32_t b) {
  if (!cell) return 0;
  const auto value = [](uint32_t dword) { return std::bit_cast<float>(dword); };
  const auto nan = [&](uint32_t dword) { return value(dword) != value(dword); };
  switch (code) {
    // A number beats a NaN (IEEE 754-2008 maxNum, minNum).
    case code_fmax: return memory::atomic_update_at(*cell, [=](uint32_t old) { return nan(old) || value(a) > value(old) ? a : old; });
    case code_fmin: return memory::atomic_update_at(*cell, [=](uint32_t old) { return nan(old) || value(a) < value(old) ? a : old; });
    case code_fcmpwr: return memory::atomic_update_at(*cell, [=](uint32_t old) { return value(old) == value(a) ? b : old; });
    default: unimplemented("float atomic operation", "code {}", code); return 0;
  }
}

SendResult untyped_atomic(const Message& m, Space space) {
  const uint32_t code = m.op.operation;
  if (!known(code)) return SendResult::done;
  const Lanes lanes = untyped_lanes(m, space);
  const size_t data = untyped_data(m, space, lanes);
  const unsigned operands = operands_of_atomic(code);
  lanes.each([&](unsigned lane) {
    const uint32_t a = operands > 0 ? parameter(m, lanes, data, 0, lane) : 0;
    const uint32_t b = operands > 1 ? parameter(m, lanes, data, 1, lane) : 0;
    answer_component(m, lanes, 0, 0, lane, integer_atomic(code, space.cell<uint32_t>(untyped_offset(m, space, lanes, lane)), a, b));
  });
  return SendResult::done;
}

SendResult untyped_atomic_float(const Message& m, Space space) {
  const uint32_t code = m.op.operation;
  const Lanes lanes = untyped_lanes(m, space);
  const size_t data = untyped_data(m, space, lanes);
  lanes.each([&](unsigned lane) {
    const uint32_t a = operand(m, data, lane), b = code == code_fcmpwr ? operand(m, data + lanes.registers(), lane) : 0;
    answer(m, 0, lane, float_atomic(code, space.cell<uint32_t>(untyped_offset(m, space, lanes, lane)), a, b));
  });
  return SendResult::done;
}

SendResult a64_atomic(const Message& m, ThreadEnv& env) {
  const uint32_t code = m.op.operation;
  if (!known(code)) return SendResult::done;
  const Lanes lanes(m, m.op.simd);
  Space space = Space::everything(env);
  const size_t address = m.header_present(), data = address + lanes.registers64();
  const unsigned operands = operands_of_atomic(code);
  const bool wide = m.op.wide;
  lanes.each([&](unsigned lane) {
    const uint64_t at = strip_canonical(operand64(m, address, lane));
    if (wide) {
      const uint64_t a = operands > 0 ? operand64(m, data, lane) : 0, b = operands > 1 ? operand64(m, data + lanes.registers64(), lane) : 0;
      answer64(m, 0, lane, integer_atomic(code, space.cell<uint64_t>(at), a, b));
    } else {
      const uint32_t a = operands > 0 ? operand(m, data, lane) : 0, b = operands > 1 ? operand(m, data + lanes.registers(), lane) : 0;
      answer(m, 0, lane, integer_atomic(code, space.cell<uint32_t>(at), a, b));
    }
  });
  return SendResult::done;
}

SendResult a64_atomic_float(const Message& m, ThreadEnv& env) {
  const uint32_t code = m.op.operation;
  const Lanes lanes(m, m.op.simd);
  Space space = Space::everything(env);
  const size_t address = m.header_present(), data = address + lanes.registers64();
  lanes.each([&](unsigned lane) {
    const uint32_t a = operand(m, data, lane), b = code == code_fcmpwr ? operand(m, data + lanes.registers(), lane) : 0;
    answer(m, 0, lane, float_atomic(code, space.cell<uint32_t>(strip_canonical(operand64(m, address, lane))), a, b));
  });
  return SendResult::done;
}

}  // namespace softgen::dataport

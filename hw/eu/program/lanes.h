// SPDX-License-Identifier: GPL-2.0-or-later
// The channels of one operand in the type they are computed in, and the arithmetic on them (kernels.cpp).
#pragma once

#include <cstdint>

namespace softgen::eu {

/// What lanes hold. i32 and i64 wrap, and are chosen where only the low bits matter; `exact` never overflows.
enum class LaneKind : uint8_t { i32, i64, exact, f32, f64 };

__extension__ using Int128 = __int128;

union alignas(64) Lanes {
  float f[32];
  double d[32];
  int32_t i[32];
  uint32_t u[32];
  int64_t q[32];
  uint64_t uq[32];
  Int128 x[32];
};

/// r = op(a, b, c) for `groups` times eight lanes; lanes beyond the execution size are computed and not used. Each points to lanes or
/// straight into the registers (aligned to an element). r may be a source, else they do not overlap.
using Kernel = void (*)(void* r, const void* a, const void* b, const void* c, unsigned groups);
/// Bit i: a[i] compared with b[i].
using CompareKernel = uint32_t (*)(const void* a, const void* b, unsigned groups);

/// Operations with a kernel. Floating-point results that are NaN are the one quiet NaN 0x7fc00000 (F), 0x7ff8… (DF), on every host.
enum class KernelOp : uint8_t {
  add,
  mul,
  mad,
  min,
  max,
  frc,
  rndu,
  rndd,
  rnde,
  rndz,
  rest,
  pln,
  and_,
  or_,
  xor_,
  not_,
  shl,
  shr,
  asr,
  copy,
  count
};

enum class CompareOp : uint8_t { eq, ne, gt, ge, lt, le, unordered, overflow, count };

/// One implementation of the kernels, for one host instruction set.
struct KernelTable {
  Kernel f32[static_cast<unsigned>(KernelOp::count)];
  Kernel f64[static_cast<unsigned>(KernelOp::count)];
  Kernel i32[static_cast<unsigned>(KernelOp::count)];
  Kernel i64[static_cast<unsigned>(KernelOp::count)];
  CompareKernel compare_f32[static_cast<unsigned>(CompareOp::count)];
  CompareKernel compare_f64[static_cast<unsigned>(CompareOp::count)];
  CompareKernel compare_i32[static_cast<unsigned>(CompareOp::count)];
  CompareKernel compare_u32[static_cast<unsigned>(CompareOp::count)];
  CompareKernel compare_i64[static_cast<unsigned>(CompareOp::count)];
  CompareKernel compare_u64[static_cast<unsigned>(CompareOp::count)];
  /// F: r = a with denormals as zeros of their sign.
  void (*flush_f32)(void* r, const void* a, unsigned groups);
  /// F: in place; to [0, 1] (NaN to 0), then denormals to zero.
  void (*finish_f32)(void* r, bool saturate, bool flush, unsigned groups);
  /// Dwords: those of r whose bit is set become a's.
  void (*store_32)(void* r, const void* a, uint32_t mask, unsigned groups);
};

/// The best table this host can run. Same bits from all of them.
const KernelTable& kernels();
const KernelTable& baseline_kernels();

}  // namespace softgen::eu

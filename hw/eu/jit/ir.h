// SPDX-License-Identifier: GPL-2.0-or-later
// Builds one LLVM module with one function, by the part of LLVM's C interface that kernels need.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "hw/eu/jit/llvm_api.h"

namespace softgen::eu::jit {

using llvm::Block;
using llvm::Type;
using llvm::Value;

class Ir {
 public:
  /// `lanes`: the preferred width of vectors, 8 or 16.
  Ir(const char* name, unsigned lanes);
  ~Ir();
  Ir(const Ir&) = delete;
  Ir& operator=(const Ir&) = delete;

  LLVMModuleRef module() const { return module_; }
  Type vec(Type element, unsigned count) const { return llvm::VectorType(element, count); }
  static unsigned size(Value v) { return llvm::GetVectorSize(llvm::TypeOf(v)); }
  Type void_type() const { return llvm::VoidTypeInContext(context_); }
  Type int_type(unsigned bits) const { return llvm::IntTypeInContext(context_, bits); }

  Value c32(uint32_t v) const { return llvm::ConstInt(i32, v, 0); }
  Value c64(uint64_t v) const { return llvm::ConstInt(i64, v, 0); }
  Value constant(Type t, uint64_t v) const { return llvm::ConstInt(t, v, 0); }
  /// A vector of `count` times the same constant.
  Value splat_int(Type element, uint64_t v, unsigned count) const;
  Value splat_float(float v, unsigned count) const;
  Value splat_double(double v, unsigned count) const;
  Value vector(std::span<const Value> elements) const {
    return llvm::ConstVector(const_cast<Value*>(elements.data()), static_cast<unsigned>(elements.size()));
  }
  Value splat(Value scalar, unsigned count);
  Value poison(Type t) const { return llvm::GetPoison(t); }

  /// Picks elements by index into a followed by b (of the same type, or null); -1: any value.
  Value shuffle(Value a, Value b, std::span<const int> picks);
  Value extract(Value v, unsigned n) { return llvm::BuildExtractElement(b_, v, c32(n), ""); }
  /// A cast back yields the original value, which keeps the IR small: registers are cast to floats and back all the time.
  Value bitcast(Value v, Type t) {
    if (llvm::TypeOf(v) == t) return v;
    const Value from = llvm::IsABitCastInst(v) ? llvm::GetOperand(v, 0) : nullptr;
    return from && llvm::TypeOf(from) == t ? from : llvm::BuildBitCast(b_, v, t, "");
  }
  Value as_floats(Value v) { return bitcast(v, vec(f32, size(v))); }
  Value as_ints(Value v) { return bitcast(v, vec(i32, size(v))); }

  Value add(Value a, Value b) { return llvm::BuildAdd(b_, a, b, ""); }
  Value sub(Value a, Value b) { return llvm::BuildSub(b_, a, b, ""); }
  Value mul(Value a, Value b) { return llvm::BuildMul(b_, a, b, ""); }
  Value and_(Value a, Value b) { return llvm::BuildAnd(b_, a, b, ""); }
  Value or_(Value a, Value b) { return llvm::BuildOr(b_, a, b, ""); }
  Value xor_(Value a, Value b) { return llvm::BuildXor(b_, a, b, ""); }
  Value not_(Value a) { return llvm::BuildNot(b_, a, ""); }
  Value neg(Value a) { return llvm::BuildNeg(b_, a, ""); }
  Value shl(Value a, Value b) { return llvm::BuildShl(b_, a, b, ""); }
  Value lshr(Value a, Value b) { return llvm::BuildLShr(b_, a, b, ""); }
  Value ashr(Value a, Value b) { return llvm::BuildAShr(b_, a, b, ""); }
  Value fadd(Value a, Value b) { return llvm::BuildFAdd(b_, a, b, ""); }
  Value fsub(Value a, Value b) { return llvm::BuildFSub(b_, a, b, ""); }
  Value fmul(Value a, Value b) { return llvm::BuildFMul(b_, a, b, ""); }
  Value fneg(Value a) { return llvm::BuildFNeg(b_, a, ""); }
  Value fdiv(Value a, Value b) { return llvm::BuildFDiv(b_, a, b, ""); }
  Value icmp(LLVMIntPredicate p, Value a, Value b) { return llvm::BuildICmp(b_, p, a, b, ""); }
  Value fcmp(LLVMRealPredicate p, Value a, Value b) { return llvm::BuildFCmp(b_, p, a, b, ""); }
  Value select(Value c, Value a, Value b) { return llvm::BuildSelect(b_, c, a, b, ""); }
  /// The same value (integers of 32 or 64 bits, or floats), opaque to LLVM's optimizer. Costs no instruction.
  Value fence(Value v);
  /// A barrier for LLVM's scheduler: the vector is computed before this point. Costs no instruction.
  Value pinned(Value v);
  /// A vector of dwords of which LLVM knows nothing, unlike that of a fence(): its class of floats is still seen there. As pinned(), in AVX2's registers.
  Value opaque(Value v);
  Value trunc(Value v, Type t) { return llvm::BuildTrunc(b_, v, t, ""); }
  Value zext(Value v, Type t) { return llvm::TypeOf(v) == t ? v : llvm::BuildZExt(b_, v, t, ""); }
  Value sext(Value v, Type t) { return llvm::TypeOf(v) == t ? v : llvm::BuildSExt(b_, v, t, ""); }
  Value sitofp(Value v, Type t) { return llvm::BuildSIToFP(b_, v, t, ""); }
  Value uitofp(Value v, Type t) { return llvm::BuildUIToFP(b_, v, t, ""); }
  Value fpext(Value v, Type t) { return llvm::BuildFPExt(b_, v, t, ""); }
  Value fptrunc(Value v, Type t) { return llvm::BuildFPTrunc(b_, v, t, ""); }
  /// `types`: those that the intrinsic is overloaded on.
  Value intrinsic(const char* name, std::initializer_list<Type> types, std::initializer_list<Value> arguments);

  Value address(Value base, uint64_t offset);
  Value load(Type t, Value from, unsigned align);
  void store(Value v, Value to, unsigned align);
  /// For memory that other threads may access.
  Value load_volatile(Type t, Value from, unsigned align);
  void store_volatile(Value v, Value to, unsigned align);
  /// A non-temporal store. The caller must order such stores (sfence) before it signals other threads.
  void store_streaming(Value v, Value to, unsigned align);
  /// `base` plus `bytes` (an i64).
  Value plus(Value base, Value bytes) { return llvm::BuildGEP2(b_, i8, base, &bytes, 1, ""); }
  Value address_of(Value pointer) { return llvm::BuildPtrToInt(b_, pointer, i64, ""); }
  Value load_atomic(Type t, Value from, unsigned align);
  Value alloca(Type t) { return llvm::BuildAlloca(b_, t, ""); }
  Value call(Value function, Type result, std::initializer_list<Value> arguments);

  Block block(const char* name = "") { return llvm::AppendBasicBlockInContext(context_, function_, name); }
  /// The block to which code is added.
  Block here() const { return llvm::GetInsertBlock(b_); }
  /// `a` if control comes from block `from_a`, `b` if from `from_b`.
  Value phi(Value a, Block from_a, Value b, Block from_b);
  void at(Block block) { llvm::PositionBuilderAtEnd(b_, block); }
  void jump(Block to) { llvm::BuildBr(b_, to); }
  void branch(Value c, Block yes, Block no) { llvm::BuildCondBr(b_, c, yes, no); }
  void ret(Value v) { llvm::BuildRet(b_, v); }

  /// Whether `v` is a constant integer; sets `value` then.
  static bool known(Value v, uint64_t* value);
  Value function() const { return function_; }
  Value parameter(unsigned n) const { return llvm::GetParam(function_, n); }

 private:
  LLVMContextRef context_;
  LLVMModuleRef module_;
  LLVMBuilderRef b_;
  Value function_;

 public:
  Type i1, i8, i16, i32, i64, f32, f64, ptr;
};

}  // namespace softgen::eu::jit

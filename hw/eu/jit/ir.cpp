// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/ir.h"

#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

namespace softgen::eu::jit {

Ir::Ir(const char* name, unsigned lanes)
    : context_(llvm::ContextCreate()),
      module_(llvm::ModuleCreateWithNameInContext("eu", context_)),
      b_(llvm::CreateBuilderInContext(context_)),
      i1(llvm::Int1TypeInContext(context_)),
      i8(llvm::Int8TypeInContext(context_)),
      i16(llvm::Int16TypeInContext(context_)),
      i32(llvm::Int32TypeInContext(context_)),
      i64(llvm::Int64TypeInContext(context_)),
      f32(llvm::FloatTypeInContext(context_)),
      f64(llvm::DoubleTypeInContext(context_)),
      ptr(llvm::PointerTypeInContext(context_, 0)) {
  Type parameters[] = {ptr};
  function_ = llvm::AddFunction(module_, name, llvm::FunctionType(i32, parameters, 1, 0));
  const auto text = [&](const char* key, const char* value) {
    llvm::AddAttributeAtIndex(function_, static_cast<LLVMAttributeIndex>(LLVMAttributeFunctionIndex),
                              llvm::CreateStringAttribute(context_, key, static_cast<unsigned>(std::strlen(key)), value,
                                                          static_cast<unsigned>(std::strlen(value))));
  };
  // MXCSR.DAZ may read denormal inputs as zeros; constant folding must respect that.
  text("denormal-fp-math", "ieee,preserve-sign");
  text("prefer-vector-width", lanes == 16 ? "512" : "256");
  const unsigned nounwind = llvm::GetEnumAttributeKindForName("nounwind", 8);
  llvm::AddAttributeAtIndex(function_, static_cast<LLVMAttributeIndex>(LLVMAttributeFunctionIndex),
                            llvm::CreateEnumAttribute(context_, nounwind, 0));
}

Ir::~Ir() {
  llvm::DisposeBuilder(b_);
  llvm::DisposeModule(module_);
  llvm::ContextDispose(context_);
}

Value Ir::splat_int(Type element, uint64_t v, unsigned count) const {
  std::array<Value, 32> all;
  all.fill(llvm::ConstInt(element, v, 0));
  return llvm::ConstVector(all.data(), count);
}

Value Ir::splat_float(float v, unsigned count) const {
  std::array<Value, 32> all;
  all.fill(llvm::ConstReal(f32, static_cast<double>(v)));
  return llvm::ConstVector(all.data(), count);
}

Value Ir::splat_double(double v, unsigned count) const {
  std::array<Value, 32> all;
  all.fill(llvm::ConstReal(f64, v));
  return llvm::ConstVector(all.data(), count);
}

Value Ir::phi(Value a, Block from_a, Value b, Block from_b) {
  const Value v = llvm::BuildPhi(b_, llvm::TypeOf(a), "");
  llvm::AddIncoming(v, &a, &from_a, 1);
  llvm::AddIncoming(v, &b, &from_b, 1);
  return v;
}

Value Ir::splat(Value scalar, unsigned count) {
  const Type t = vec(llvm::TypeOf(scalar), count);
  const Value one = llvm::BuildInsertElement(b_, poison(t), scalar, c32(0), "");
  return count == 1 ? one : llvm::BuildShuffleVector(b_, one, poison(t), llvm::ConstNull(vec(i32, count)), "");
}

Value Ir::shuffle(Value a, Value b, std::span<const int> picks) {
  std::array<Value, 64> order;
  for (size_t n = 0; n < picks.size(); n++) order[n] = picks[n] < 0 ? poison(i32) : c32(static_cast<uint32_t>(picks[n]));
  return llvm::BuildShuffleVector(b_, a, b ? b : poison(llvm::TypeOf(a)),
                                  llvm::ConstVector(order.data(), static_cast<unsigned>(picks.size())), "");
}

Value Ir::intrinsic(const char* name, std::initializer_list<Type> types, std::initializer_list<Value> arguments) {
  const unsigned id = llvm::LookupIntrinsicID(name, std::strlen(name));
  auto* overloads = const_cast<Type*>(types.begin());
  const Value function = llvm::GetIntrinsicDeclaration(module_, id, overloads, types.size());
  const Type type = llvm::IntrinsicGetType(context_, id, overloads, types.size());
  return llvm::BuildCall2(b_, type, function, const_cast<Value*>(arguments.begin()), static_cast<unsigned>(arguments.size()), "");
}

Value Ir::fence(Value v) {
  const Type own = llvm::TypeOf(v), floats = vec(llvm::GetElementType(own) == i64 ? f64 : f32, size(v));
  return bitcast(intrinsic("llvm.arithmetic.fence", {floats}, {bitcast(v, floats)}), own);
}

Value Ir::pinned(Value v) {
  Type type = llvm::TypeOf(v);
  constexpr std::string_view constraints = "=v,0";
  const Type function = llvm::FunctionType(type, &type, 1, 0);
  const Value nothing = llvm::GetInlineAsm(function, "", 0, constraints.data(), constraints.size(), 1, 0, LLVMInlineAsmDialectATT, 0);
  return llvm::BuildCall2(b_, function, nothing, &v, 1, "");
}

Value Ir::opaque(Value v) {
  constexpr unsigned register_lanes = 8;
  const unsigned n = size(v);
  std::array<int, 2 * register_lanes> picks{};
  if (n <= register_lanes) {
    for (unsigned i = 0; i < register_lanes; i++) picks[i] = static_cast<int>(i % n);
    const Value wide = pinned(n == register_lanes ? v : shuffle(v, nullptr, std::span(picks).first(register_lanes)));
    return n == register_lanes ? wide : shuffle(wide, nullptr, std::span(picks).first(n));
  }
  for (unsigned i = 0; i < n; i++) picks[i] = static_cast<int>(i);
  const std::span all(picks);
  return shuffle(opaque(shuffle(v, nullptr, all.first(register_lanes))),
                 opaque(shuffle(v, nullptr, all.subspan(register_lanes, n - register_lanes))), all.first(n));
}

Value Ir::address(Value base, uint64_t offset) {
  Value index = c64(offset);
  return llvm::BuildGEP2(b_, i8, base, &index, 1, "");
}

Value Ir::load(Type t, Value from, unsigned align) {
  const Value v = llvm::BuildLoad2(b_, t, from, "");
  llvm::SetAlignment(v, align);
  return v;
}

Value Ir::load_atomic(Type t, Value from, unsigned align) {
  const Value v = load(t, from, align);
  llvm::SetOrdering(v, LLVMAtomicOrderingMonotonic);
  return v;
}

void Ir::store(Value v, Value to, unsigned align) { llvm::SetAlignment(llvm::BuildStore(b_, v, to), align); }

Value Ir::load_volatile(Type t, Value from, unsigned align) {
  const Value v = load(t, from, align);
  llvm::SetVolatile(v, 1);
  return v;
}

void Ir::store_volatile(Value v, Value to, unsigned align) {
  const Value stored = llvm::BuildStore(b_, v, to);
  llvm::SetAlignment(stored, align);
  llvm::SetVolatile(stored, 1);
}

void Ir::store_streaming(Value v, Value to, unsigned align) {
  const Value stored = llvm::BuildStore(b_, v, to);
  llvm::SetAlignment(stored, align);
  constexpr std::string_view kind = "nontemporal";
  LLVMMetadataRef one = llvm::ValueAsMetadata(c32(1));
  llvm::SetMetadata(stored, llvm::GetMDKindIDInContext(context_, kind.data(), static_cast<unsigned>(kind.size())),
                    llvm::MetadataAsValue(context_, llvm::MDNodeInContext2(context_, &one, 1)));
}

Value Ir::call(Value function, Type result, std::initializer_list<Value> arguments) {
  std::vector<Type> types;
  for (const Value v : arguments) types.push_back(llvm::TypeOf(v));
  const Type type = llvm::FunctionType(result, types.data(), static_cast<unsigned>(types.size()), 0);
  return llvm::BuildCall2(b_, type, function, const_cast<Value*>(arguments.begin()), static_cast<unsigned>(arguments.size()), "");
}

bool Ir::known(Value v, uint64_t* value) {
  if (!llvm::IsAConstantInt(v)) return false;
  *value = llvm::ConstIntGetZExtValue(v);
  return true;
}

}  // namespace softgen::eu::jit

// SPDX-License-Identifier: GPL-2.0-or-later
// LLVM's C interface, loaded at run time. Nothing links to LLVM, so that programs that compile no kernel do not load its 130 MB, and a host
// without it uses the interpreter. Debian 12 and 13 have LLVM 19, with which all figures were measured; 15 to 22 have the same functions
// and give the same bits.
#pragma once

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <string>

// clang-format off: a list
#define EU_JIT_LLVM_FUNCTIONS(X)                                                                                                       \
  X(ContextCreate) X(ContextDispose) X(ModuleCreateWithNameInContext) X(DisposeModule) X(CreateBuilderInContext) X(DisposeBuilder)    \
  X(Int1TypeInContext) X(Int8TypeInContext) X(Int16TypeInContext) X(Int32TypeInContext) X(Int64TypeInContext) X(IntTypeInContext)     \
  X(FloatTypeInContext) X(DoubleTypeInContext) X(HalfTypeInContext) X(PointerTypeInContext) X(VoidTypeInContext) X(VectorType)        \
  X(FunctionType) X(AddFunction) X(GetParam) X(AppendBasicBlockInContext) X(PositionBuilderAtEnd) X(GetInsertBlock)                   \
  X(ConstInt) X(ConstReal) X(ConstVector) X(ConstNull) X(GetPoison) X(TypeOf) X(GetElementType) X(GetVectorSize) X(IsAConstantInt) X(IsConstant) X(IsABitCastInst) X(GetOperand) X(IsNull)    \
  X(ConstIntGetZExtValue) X(BuildAlloca) X(BuildLoad2) X(BuildStore) X(BuildGEP2) X(SetAlignment) X(SetOrdering) X(SetVolatile)                   \
  X(BuildAdd) X(BuildSub) X(BuildMul) X(BuildAnd) X(BuildOr) X(BuildXor) X(BuildNot) X(BuildNeg) X(BuildShl) X(BuildLShr)             \
  X(BuildAShr) X(BuildFAdd) X(BuildFSub) X(BuildFMul) X(BuildFDiv) X(BuildFNeg) X(BuildICmp) X(BuildFCmp) X(BuildSelect) X(BuildShuffleVector)     \
  X(BuildExtractElement) X(BuildInsertElement) X(BuildBitCast) X(BuildPtrToInt) X(BuildTrunc) X(BuildZExt) X(BuildSExt) X(BuildSIToFP) X(BuildUIToFP)  \
  X(BuildFPExt) X(BuildFPTrunc) X(BuildCall2) X(GetInlineAsm) X(BuildPhi) X(AddIncoming) X(BuildBr) X(BuildCondBr) X(BuildRet) X(BuildUnreachable) X(LookupIntrinsicID)          \
  X(GetIntrinsicDeclaration) X(IntrinsicGetType) X(CreateStringAttribute) X(AddAttributeAtIndex) X(CreateEnumAttribute)               \
  X(GetEnumAttributeKindForName) X(SetTarget) X(SetModuleDataLayout) X(PrintModuleToString) X(DisposeMessage) X(DumpModule)           \
  X(CreatePassBuilderOptions) X(DisposePassBuilderOptions) X(RunPasses) X(GetErrorMessage) X(DisposeErrorMessage) X(ConsumeError)     \
  X(GetDefaultTargetTriple) X(GetTargetFromTriple) X(CreateTargetMachine) X(DisposeTargetMachine) X(CreateTargetDataLayout)           \
  X(DisposeTargetData) X(TargetMachineEmitToMemoryBuffer) X(GetBufferStart) X(GetBufferSize) X(DisposeMemoryBuffer)                   \
  X(GetHostCPUName) X(GetHostCPUFeatures) X(GetMDKindIDInContext)                            \
  X(MDNodeInContext2) X(MetadataAsValue) X(ValueAsMetadata) X(SetMetadata) X(GetNamedFunction)                                                           \
  X(InitializeX86TargetInfo) X(InitializeX86Target) X(InitializeX86TargetMC) X(InitializeX86AsmPrinter)
// clang-format on

namespace softgen::eu::jit::llvm {

#define EU_JIT_DECLARE(name) extern decltype(&::LLVM##name) name;
EU_JIT_LLVM_FUNCTIONS(EU_JIT_DECLARE)
#undef EU_JIT_DECLARE

using Value = LLVMValueRef;
using Type = LLVMTypeRef;
using Block = LLVMBasicBlockRef;

/// Loads the library once: version 19, else the newest, or the version that the environment's SOFTGEN_LLVM names. False: there is none, or
/// it lacks a function; why() has the reason.
bool available();
const char* why();
/// "LLVM 19.1.7"; before 16 only "LLVM 15": there is no function for the rest.
std::string version();

}  // namespace softgen::eu::jit::llvm

// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "hw/debug/compare_log.h"
#include "hw/debug/coverage.h"
#include "hw/debug/fresh_coverage.h"
#include "softgen/coverage.h"

using softgen::debug::CompareLog;
using softgen::debug::CompareOperands;
using softgen::debug::Coverage;

struct sg_coverage {
  Coverage blocks{SG_COVERAGE_MAX_BLOCKS};
  softgen::debug::FreshCoverage fresh;
  CompareLog compares;
};

namespace {

/// malloc'ed; NULL without memory, which callers take as an empty text.
template <typename Make>
char* text_of(const Make& make) {
  try {
    return strdup(std::string(make()).c_str());
  } catch (const std::exception&) { return nullptr; }
}

CompareLog::Site* site_of(sg_compare* compare) { return reinterpret_cast<CompareLog::Site*>(compare); }

unsigned operand_of(const CompareOperands::Operand& operand) {
  switch (operand.kind) {
    case CompareOperands::Kind::low: return operand.number;
    case CompareOperands::Kind::high: return SG_OPERAND_HIGH + operand.number;
    case CompareOperands::Kind::memory: return SG_OPERAND_MEMORY;
    case CompareOperands::Kind::immediate: return SG_OPERAND_IMMEDIATE;
  }
  return SG_OPERAND_IMMEDIATE;
}

}  // namespace

sg_coverage* sg_coverage_new(void) { return new (std::nothrow) sg_coverage; }

void sg_coverage_free(sg_coverage* coverage) { delete coverage; }

bool sg_coverage_set_ranges(sg_coverage* coverage, const char* text, char** error) {
  try {
    coverage->blocks.set_ranges(Coverage::parse(text));
    return true;
  } catch (const std::exception& e) {
    *error = strdup(e.what());
    return false;
  }
}

char* sg_coverage_ranges(const sg_coverage* coverage) {
  return text_of([&] { return Coverage::print(coverage->blocks.ranges()); });
}

uint32_t sg_coverage_block(sg_coverage* coverage, uint64_t start, uint32_t bytes) {
  static_assert(SG_COVERAGE_NO_BLOCK == Coverage::no_block);
  try {
    return coverage->blocks.block(start, bytes);
  } catch (const std::exception&) {  // no memory: the block is not counted
    return SG_COVERAGE_NO_BLOCK;
  }
}

bool sg_coverage_instruction(sg_coverage* coverage, const uint8_t* bytes, uint32_t size) {
  try {
    coverage->blocks.instruction({bytes, size});
    return true;
  } catch (const std::exception&) { return false; }
}

char* sg_coverage_constants(const sg_coverage* coverage) {
  return text_of([&] { return coverage->blocks.constants(); });
}

uint32_t sg_coverage_count(const sg_coverage* coverage) { return coverage->blocks.count(); }

char* sg_coverage_blocks(const sg_coverage* coverage, const uint64_t* counts, uint32_t count) {
  return text_of([&] { return coverage->blocks.executed({counts, count}); });
}

bool sg_coverage_fresh_begin(sg_coverage* coverage, const uint64_t* counts, uint32_t count) {
  try {
    coverage->fresh.begin({counts, count});
    return true;
  } catch (const std::exception&) { return false; }
}

bool sg_coverage_fresh_look(sg_coverage* coverage, const uint64_t* counts, uint32_t count, uint32_t* classes, uint32_t* blocks,
                            uint32_t* all) {
  try {
    const auto found = coverage->fresh.look({counts, count});
    *classes = found.classes;
    *blocks = found.blocks;
    *all = coverage->fresh.blocks();
    return true;
  } catch (const std::exception&) { return false; }
}

char* sg_coverage_state(const sg_coverage* coverage) {
  return text_of([&] { return coverage->blocks.state(); });
}

bool sg_coverage_compares_begin(sg_coverage* coverage, const char* values, char** error) {
  try {
    coverage->compares.begin(CompareLog::parse(values));
    return true;
  } catch (const std::exception& e) {
    *error = strdup(e.what());
    return false;
  }
}

char* sg_coverage_compares(const sg_coverage* coverage) {
  return text_of([&] { return coverage->compares.text(); });
}

sg_compare* sg_coverage_compare(sg_coverage* coverage, uint64_t address, const uint8_t* bytes, uint32_t size) {
  try {
    return reinterpret_cast<sg_compare*>(coverage->compares.site(address, {bytes, size}));
  } catch (const std::exception&) {  // no memory: the instruction is not traced
    return nullptr;
  }
}

void sg_compare_operands(const sg_compare* compare, unsigned* left, unsigned* right) {
  const CompareOperands& operands = site_of(const_cast<sg_compare*>(compare))->operands;
  *left = operand_of(operands.left);
  *right = operand_of(operands.right);
}

bool sg_coverage_compared(sg_coverage* coverage, sg_compare* compare, uint64_t left, uint64_t right) {
  try {
    coverage->compares.record(*site_of(compare), left, right);
    return true;
  } catch (const std::exception&) { return false; }
}

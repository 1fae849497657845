/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The C ABI of the guest's code coverage: which address ranges are watched, and which blocks of instructions were translated in them. The
 * front end counts executions itself (hw/qemu/coverage.c by TCG's inline counters); a block's index says which counter is its.
 *
 * Any thread may call any function. Functions with `char **error` set *error to one malloc'ed sentence when they return false.
 */
#ifndef SOFTGEN_COVERAGE_H
#define SOFTGEN_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A guest can make new blocks without end by changing its code: what exceeds this is counted as dropped. */
#define SG_COVERAGE_MAX_BLOCKS (256u * 1024)
#define SG_COVERAGE_NO_BLOCK UINT32_MAX

typedef struct sg_coverage sg_coverage;

sg_coverage* sg_coverage_new(void);
void sg_coverage_free(sg_coverage* coverage);
/* Which guest virtual addresses are watched: "START-END", hexadecimal, END exclusive; several are joined by '+'. Empty: none. Blocks keep
 * their indices over changes. */
bool sg_coverage_set_ranges(sg_coverage* coverage, const char* text, char** error);
/* The ranges, sorted and merged, as sg_coverage_set_ranges() takes them. malloc'ed. */
char* sg_coverage_ranges(const sg_coverage* coverage);
/* The index of the block of `bytes` at `start`, the same each time, or SG_COVERAGE_NO_BLOCK: `start` is outside the ranges, or there are
 * SG_COVERAGE_MAX_BLOCKS already. Indices count up from 0. */
uint32_t sg_coverage_block(sg_coverage* coverage, uint64_t start, uint32_t bytes);
/* An instruction of a block that sg_coverage_block() gave an index. False: there is no memory, and its constant is not known. */
bool sg_coverage_instruction(sg_coverage* coverage, const uint8_t* bytes, uint32_t size);
/* malloc'ed: the constants that such instructions compare with, hexadecimal, a line each. */
char* sg_coverage_constants(const sg_coverage* coverage);
/* How many blocks there are. */
uint32_t sg_coverage_count(const sg_coverage* coverage);
/* A line for each block inside the ranges that ran: "START BYTES COUNT", hexadecimal, sorted. counts[i] are the executions of the block of
 * index i; blocks from `count` on are left out. malloc'ed. */
char* sg_coverage_blocks(const sg_coverage* coverage, const uint64_t* counts, uint32_t count);
/* For a fuzzer: what an execution reached that none before it did. counts[i] are the executions of the block of index i since the process began.
 * begin forgets all executions; look ends one: it sets *classes to the pairs of a block and a class of counts (1, 2, 3, 4-7, 8-15, 16-31, 32-127,
 * more) seen for the first time, *blocks to the blocks that ran for the first time, *all to those that ran in any execution. False: there is no
 * memory. One thread at a time. */
bool sg_coverage_fresh_begin(sg_coverage* coverage, const uint64_t* counts, uint32_t count);
bool sg_coverage_fresh_look(sg_coverage* coverage, const uint64_t* counts, uint32_t count, uint32_t* classes, uint32_t* blocks,
                            uint32_t* all);
/* Compares at run time: instructions of watched blocks that compare, SUB included. What has none of the wanted values as an operand is not kept. */
typedef struct sg_compare sg_compare;
/* `values`: hexadecimal, with blanks between. What was recorded is forgotten; instructions stay. */
bool sg_coverage_compares_begin(sg_coverage* coverage, const char* values, char** error);
/* malloc'ed: a line "ADDRESS BYTES OPERATION LEFT RIGHT" for each instruction and pair of operands: cmp, sub or test; numbers hexadecimal but BYTES. */
char* sg_coverage_compares(const sg_coverage* coverage);
/* The instruction, if it compares; else NULL. It lives as long as `coverage`. */
sg_compare* sg_coverage_compare(sg_coverage* coverage, uint64_t address, const uint8_t* bytes, uint32_t size);
/* An operand of the instruction: a register's number as instructions encode it (0 RAX, 1 RCX …), or one of these. */
enum { SG_OPERAND_MEMORY = 16, SG_OPERAND_IMMEDIATE = 17, SG_OPERAND_HIGH = 32 /* added: bits 15:8 of the register */ };
void sg_compare_operands(const sg_compare* compare, unsigned* left, unsigned* right);
/* The instruction runs with these operands; an immediate's is ignored. False: there is no memory to keep them. */
bool sg_coverage_compared(sg_coverage* coverage, sg_compare* compare, uint64_t left, uint64_t right);
/* malloc'ed JSON: ranges, blocks, dropped, and translations (calls of sg_coverage_block). */
char* sg_coverage_state(const sg_coverage* coverage);

#ifdef __cplusplus
}
#endif
#endif

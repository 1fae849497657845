// SPDX-License-Identifier: GPL-2.0-or-later
// What threads and their messages add to the counts that observation needs (hw/base/work.h).
#pragma once

#include <cstdint>

#include "hw/base/work.h"
#include "hw/iface/message_target.h"

namespace softgen::eu {

class Program;

/// Threads of `program` that were started. `stage`: Work::vs_threads and the like.
void count_threads(Work stage, const Program& program, uint64_t threads);

/// Of a message of an instruction with `exec_size` channels. Render target writes have none: who answers them knows what was written.
MessageWork message_work(const MessageOp& op, unsigned exec_size);
/// `messages` of them, for all of their channels but `left_out`.
void count_message_work(const MessageWork& work, uint64_t messages, uint64_t left_out);
/// One message, for the instruction's channels `mask`.
void count_message_work(const MessageWork& work, uint32_t mask);
/// All messages of a direct answer.
void count_answers(const DirectAnswer& answer);

}  // namespace softgen::eu

// SPDX-License-Identifier: GPL-2.0-or-later
// What threads and their messages add to the events of the observation counters (hw/base/work.h).
#pragma once

#include <cstdint>

#include "hw/base/work.h"
#include "hw/iface/message_target.h"

namespace softgen::eu {

class Program;

/// Counts started threads of `program`. `stage`: Work::vs_threads to ps_threads.
void count_threads(Work stage, const Program& program, uint64_t threads);

/// What one message counts; `exec_size`: channels of its instruction. Nothing for render target writes: hw/render counts what they wrote.
MessageWork message_work(const MessageOp& op, unsigned exec_size);
/// Counts `messages` of them with all channels enabled, except `left_out` channels in total.
void count_message_work(const MessageWork& work, uint64_t messages, uint64_t left_out);
/// Counts one message; `mask`: the instruction's enabled channels.
void count_message_work(const MessageWork& work, uint32_t mask);
/// Counts all messages of a direct answer.
void count_answers(const DirectAnswer& answer);

}  // namespace softgen::eu

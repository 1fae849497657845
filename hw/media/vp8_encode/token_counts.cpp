// SPDX-License-Identifier: GPL-2.0-or-later
// The layout is what the TPU kernel of i965-va-driver and iHD reads (its instructions, and the order of its update flags, vp8_probs_update_flag): tokens from
// dword 34 on, skipped macroblocks in dword 33; sizes in front are what gen8_mfc.c reads (gen8_mfc_calc_vp8_coded_buffer_size()). The others are not known: 0.
#include "hw/media/vp8_encode/token_counts.h"

#include <algorithm>
#include <initializer_list>
#include <span>

namespace softgen::media::vp8 {
namespace {

constexpr size_t skipped_at = 33, tokens_at = 34;
/// The kernel reads 16 bits.
constexpr uint32_t max_count = 0xffff;

/// A count is the sum of kinds, one bit each.
using Sum = uint8_t;
constexpr Sum bit(TokenKind kind) { return static_cast<Sum>(1u << static_cast<unsigned>(kind)); }
constexpr Sum end = bit(TokenKind::end), zero = bit(TokenKind::zero), one = bit(TokenKind::one), two = bit(TokenKind::two),
              four = bit(TokenKind::four), more = bit(TokenKind::more);
constexpr Sum to_four = two | four, from_two = to_four | more, from_one = one | from_two;

constexpr Sum end_or_one[] = {end, zero, from_one}, without_end[] = {zero, one, from_two}, to_one[] = {end, zero, one, from_two};
constexpr Sum large_without_end[] = {zero, one, to_four, more}, large[] = {end, zero, one, to_four, more};
constexpr Sum every[] = {end, zero, one, more, two, four};

/// The counts of a type's band and context, which are as many as kernels may change probabilities by. Band 7 has none.
std::span<const Sum> counts_of(unsigned type, unsigned band, unsigned context) {
  const bool first_coded = type == 0;  // these blocks begin with band 1
  if (first_coded && band == 0) return {};
  if (first_coded && band == 1) return context == 0 ? std::span<const Sum>(to_one) : context == 1 ? std::span<const Sum>(large) : every;
  if (first_coded) return context == 0 ? std::span<const Sum>(large_without_end) : to_one;
  if (band == 0) return end_or_one;
  if (context == 0) return without_end;
  if (type == 2 || band > 1) return end_or_one;
  return context == 1 ? std::span<const Sum>(to_one) : large;
}

}  // namespace

std::array<uint32_t, statistics_dwords> statistics_of(const TokenCounts& tokens, const FrameCounts& frame) {
  std::array<uint32_t, statistics_dwords> out{};
  std::copy(frame.partition_bits.begin(), frame.partition_bits.end(), out.begin());
  out[skipped_at] = std::min(frame.skipped, max_count);
  size_t at = tokens_at;
  for (unsigned type = 0; type < 4; ++type)
    for (unsigned band = 0; band < 7; ++band)
      for (unsigned context = 0; context < 3; ++context)
        for (const Sum sum : counts_of(type, band, context)) {
          const auto& kinds = tokens[type][band][context];
          uint64_t total = 0;
          for (unsigned kind = 0; kind < kinds.size(); ++kind)
            if (sum >> kind & 1) total += kinds[kind];
          out[at++] = static_cast<uint32_t>(std::min<uint64_t>(total, max_count));
        }
  return out;
}

}  // namespace softgen::media::vp8

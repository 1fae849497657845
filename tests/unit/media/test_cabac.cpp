// SPDX-License-Identifier: GPL-2.0-or-later
// The arithmetic decoder against an encoder (H.264 9.3.4) of this test's own.
#include "hw/media/bits/cabac.h"

#include <random>
#include <vector>

#include "tests/catch.h"

using namespace softgen::media;

namespace {

/// Figures 9-7 to 9-12.
class Encoder {
 public:
  std::vector<uint8_t> bytes;

  void encode(CabacState& state, bool bit) {
    const unsigned index = state >> 1;
    const uint32_t lps = cabac_lps_range[index][range_ >> 6 & 3];
    range_ -= lps;
    if (bit == (state & 1)) {
      state = static_cast<CabacState>(std::min(index + 1, 62u) << 1 | unsigned{bit});
    } else {
      low_ += range_;
      range_ = lps;
      const unsigned mps = (state & 1) ^ unsigned { index == 0 };
      state = static_cast<CabacState>(cabac_lps_next[index] << 1 | mps);
    }
    renormalize();
  }
  void bypass(bool bit) {
    low_ <<= 1;
    if (bit) low_ += range_;
    if (low_ >= 1024) {
      put(true);
      low_ -= 1024;
    } else if (low_ < 512) {
      put(false);
    } else {
      low_ -= 512;
      ++outstanding_;
    }
  }
  void terminate(bool bit) {
    range_ -= 2;
    if (!bit) return renormalize();
    low_ += range_;
    range_ = 2;
    renormalize();
    put(low_ >> 9 & 1);
    write(low_ >> 8 & 1);
    write(true);  // the stop bit, or what precedes the alignment of I_PCM
    while (bits_) write(false);
  }
  /// As after pcm samples.
  void restart() { low_ = 0, range_ = 510, first_ = true, outstanding_ = 0; }

 private:
  void renormalize() {
    while (range_ < 256) {
      if (low_ < 256) {
        put(false);
      } else if (low_ >= 512) {
        low_ -= 512;
        put(true);
      } else {
        low_ -= 256;
        ++outstanding_;
      }
      range_ <<= 1, low_ <<= 1;
    }
  }
  void put(bool bit) {
    if (first_) first_ = false;
    else write(bit);
    for (; outstanding_; --outstanding_) write(!bit);
  }
  void write(bool bit) {
    if (!bits_) bytes.push_back(0);
    bytes.back() = static_cast<uint8_t>(bytes.back() | unsigned{bit} << (7 - bits_));
    bits_ = (bits_ + 1) % 8;
  }

  uint32_t low_ = 0, range_ = 510;
  unsigned bits_ = 0, outstanding_ = 0;
  bool first_ = true;
};

struct Symbol {
  unsigned kind;  ///< 0 to 7: a context; 8: bypass; 9: terminate
  bool bit;
};

std::vector<Symbol> random_symbols(std::mt19937& random, unsigned count) {
  std::vector<Symbol> symbols(count);
  for (Symbol& symbol : symbols) {
    symbol.kind = random() % 10;
    symbol.bit = symbol.kind == 9 ? false : random() % 8 >= (symbol.kind < 8 ? symbol.kind : 4);
  }
  return symbols;
}

void encode(Encoder& encoder, const std::vector<Symbol>& symbols) {
  std::vector<CabacState> states(8, cabac_state(64));
  for (const Symbol& symbol : symbols) {
    if (symbol.kind < 8) encoder.encode(states[symbol.kind], symbol.bit);
    else if (symbol.kind == 8) encoder.bypass(symbol.bit);
    else encoder.terminate(false);
  }
  encoder.terminate(true);
}

unsigned differing(CabacDecoder& decoder, const std::vector<Symbol>& symbols) {
  std::vector<CabacState> states(8, cabac_state(64));
  unsigned count = 0;
  for (const Symbol& symbol : symbols) {
    if (symbol.kind < 8) count += decoder.decode(states[symbol.kind]) != symbol.bit;
    else if (symbol.kind == 8) count += decoder.bypass() != symbol.bit;
    else count += decoder.terminate();
  }
  return count + !decoder.terminate();
}

}  // namespace

TEST_CASE("cabac: what an encoder wrote is read back, also after samples in between") {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 300; ++round) {
    const std::vector<Symbol> first = random_symbols(random, random() % 200), second = random_symbols(random, random() % 200);
    Encoder encoder;
    encode(encoder, first);
    const size_t samples = encoder.bytes.size();
    for (unsigned i = 0; i < 384; ++i) encoder.bytes.push_back(static_cast<uint8_t>(random()));
    encoder.restart();
    encode(encoder, second);

    CabacDecoder decoder(encoder.bytes);
    REQUIRE(differing(decoder, first) == 0);
    const std::span<const uint8_t> rest = decoder.rest();
    REQUIRE(rest.data() == encoder.bytes.data() + samples);
    CabacDecoder again(rest.subspan(384));
    REQUIRE(differing(again, second) == 0);
    CHECK_FALSE(again.over());
  }
}

TEST_CASE("cabac: beyond the end it says so") {
  const std::vector<uint8_t> bytes{0x12, 0x34};
  CabacDecoder decoder(bytes);
  for (unsigned i = 0; i < 64; ++i) decoder.bypass();
  CHECK(decoder.over());
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/archive.h"
#include "tests/catch.h"

using namespace softgen;

namespace {

struct Unit {
  uint32_t a = 0;
  uint64_t b = 0;
  std::vector<std::byte> blob;
  void state(Archive& ar) {
    ar.section("unit", 2);
    ar.value(a);
    ar.value(b);
    ar.blob(blob, 16);
  }
};

}  // namespace

TEST_CASE("what is written is read back") {
  Unit out{7, 8, {std::byte{1}, std::byte{2}}};
  Archive writer;
  out.state(writer);
  Unit in;
  Archive reader(writer.output());
  in.state(reader);
  CHECK_FALSE(reader.failed());
  CHECK(in.a == 7);
  CHECK(in.b == 8);
  CHECK(in.blob == out.blob);
}

TEST_CASE("damaged state is refused with a message") {
  Unit out{7, 8, std::vector<std::byte>(8)};
  Archive writer;
  out.state(writer);
  auto data = writer.take();
  for (size_t cut = 0; cut < data.size(); ++cut) {
    Unit in;
    Archive reader(std::span<const std::byte>(data.data(), cut));
    in.state(reader);
    CHECK(reader.failed());
  }
  data[4] = std::byte{'x'};
  Unit in;
  Archive reader(data);
  in.state(reader);
  CHECK(reader.error() == "the saved state has no section 'unit' where one is due");
}

TEST_CASE("a flag that is neither 0 nor 1 is refused, and the value stays") {
  for (const unsigned byte : {0u, 1u, 2u, 255u}) {
    const std::byte data[] = {static_cast<std::byte>(byte)};
    Archive back(data);
    bool flag = true;
    back.value(flag);
    CHECK(back.failed() == (byte > 1));
    CHECK(flag == (byte != 0));
  }
}

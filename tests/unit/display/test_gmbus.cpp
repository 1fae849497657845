// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/gmbus.h"
#include "tests/catch.h"
#include "tests/unit/display/fake_host.h"

using namespace softgen;
using display::Gmbus;
using display::GpioPair;

namespace {

constexpr uint32_t software_ready = 1u << 30, clear = 1u << 31, stop_cycle = 4u << 25, index_cycle = 2u << 25, wait_cycle = 1u << 25;
constexpr uint32_t read_direction = 1;

uint32_t command(uint32_t cycles, unsigned count, uint8_t address, uint8_t index = 0) {
  return software_ready | cycles | count << 16 | uint32_t{index} << 8 | uint32_t{address} << 1;
}

// As i915 reads a chunk: GMBUS3 four bytes at a time, each when HW_RDY is up.
std::vector<uint8_t> read_bytes(Gmbus& gmbus, size_t count) {
  std::vector<uint8_t> bytes;
  while (bytes.size() < count) {
    REQUIRE(gmbus.read(2) & Gmbus::hw_ready);
    uint32_t data = gmbus.read(3);
    for (int i = 0; i < 4 && bytes.size() < count; i++, data >>= 8) bytes.push_back(static_cast<uint8_t>(data));
  }
  return bytes;
}

struct Bus {
  Bus() {
    for (size_t i = 0; i < host.eeprom.size(); i++) host.eeprom[i] = static_cast<uint8_t>(i * 7 + i / 256);
    gmbus.write(0, 5);
  }
  test::FakeHost host;
  Gmbus gmbus{host, {2, 0}};
};

}  // namespace

TEST_CASE_METHOD(Bus, "an indexed read returns an EDID block and waits for the stop") {
  gmbus.write(1, command(wait_cycle | index_cycle, 128, 0x50, 0) | read_direction);
  const auto bytes = read_bytes(gmbus, 128);
  CHECK(std::equal(bytes.begin(), bytes.end(), host.eeprom.begin()));
  CHECK(gmbus.read(2) & Gmbus::wait_phase);
  CHECK(gmbus.read(2) & Gmbus::active);
  gmbus.write(1, software_ready | stop_cycle);
  CHECK_FALSE(gmbus.read(2) & (Gmbus::active | Gmbus::nak | Gmbus::wait_phase));
  CHECK(host.ends == 1);
}

TEST_CASE_METHOD(Bus, "a two-byte index comes from GMBUS5") {
  host.eeprom[0x34] = 0xaa;
  gmbus.write(5, 1u << 31 | 0x1234);
  gmbus.write(1, command(wait_cycle, 2, 0x50) | read_direction);
  // The listener takes 0x12 as its offset and stores 0x34 there.
  CHECK(host.eeprom[0x12] == 0x34);
  CHECK(read_bytes(gmbus, 2)[0] == host.eeprom[0x13]);
}

TEST_CASE_METHOD(Bus, "a burst read of 512 bytes uses the byte count override") {
  // i915 asks for one byte more: size 513 % 256 + 256.
  gmbus.write(0, 5 | 1u << 6);
  gmbus.write(1, command(wait_cycle | index_cycle, 257, 0x50, 0) | read_direction);
  const auto bytes = read_bytes(gmbus, 513);
  CHECK(std::equal(bytes.begin(), bytes.begin() + 512, host.eeprom.begin()));
  CHECK(gmbus.read(2) & Gmbus::wait_phase);
}

TEST_CASE_METHOD(Bus, "511 bytes need no override") {
  gmbus.write(1, command(wait_cycle | index_cycle, 511, 0x50, 0) | read_direction);
  const auto bytes = read_bytes(gmbus, 511);
  CHECK(std::equal(bytes.begin(), bytes.end(), host.eeprom.begin()));
  CHECK(gmbus.read(2) & Gmbus::wait_phase);
}

TEST_CASE_METHOD(Bus, "no device at the address: SATOER until software clears it") {
  gmbus.write(1, command(wait_cycle, 1, 0x37) | read_direction);
  CHECK(gmbus.read(2) & Gmbus::nak);
  CHECK_FALSE(gmbus.read(2) & Gmbus::active);
  gmbus.write(1, command(wait_cycle | index_cycle, 4, 0x50) | read_direction);
  CHECK_FALSE(gmbus.read(2) & Gmbus::hw_ready);  // ignored while the error is set
  gmbus.write(1, clear);
  gmbus.write(1, 0);
  CHECK_FALSE(gmbus.read(2) & Gmbus::nak);
  gmbus.write(1, command(wait_cycle | index_cycle, 4, 0x50) | read_direction);
  CHECK(read_bytes(gmbus, 4)[1] == host.eeprom[1]);
}

TEST_CASE_METHOD(Bus, "an unused pin pair does not answer") {
  gmbus.write(0, 4);
  gmbus.write(1, command(wait_cycle, 1, 0x50) | read_direction);
  CHECK(gmbus.read(2) & Gmbus::nak);
  gmbus.write(1, clear);
  gmbus.write(0, 0);
  gmbus.write(1, command(wait_cycle, 1, 0x50) | read_direction);
  CHECK(gmbus.read(2) & Gmbus::nak);
}

TEST_CASE_METHOD(Bus, "a write sends GMBUS3 four bytes at a time") {
  gmbus.write(3, 0x33221100 | 0x40);
  gmbus.write(1, command(wait_cycle, 6, 0x50));
  CHECK(gmbus.read(2) & Gmbus::hw_ready);
  gmbus.write(3, 0x5544);
  CHECK(gmbus.read(2) & Gmbus::wait_phase);
  CHECK(host.eeprom[0x40] == 0x11);
  CHECK(host.eeprom[0x44] == 0x55);
}

TEST_CASE_METHOD(Bus, "a data byte without acknowledge is an error, too") {
  host.refuse_data = true;
  gmbus.write(3, 0x10);
  gmbus.write(1, command(wait_cycle, 1, 0x50));
  CHECK(gmbus.read(2) & Gmbus::nak);
}

TEST_CASE_METHOD(Bus, "enabled conditions interrupt") {
  gmbus.write(4, Gmbus::ready_enable);
  CHECK_FALSE(gmbus.take_interrupt());
  gmbus.write(1, command(wait_cycle | index_cycle, 4, 0x50) | read_direction);
  CHECK(gmbus.take_interrupt());
  CHECK_FALSE(gmbus.take_interrupt());
  gmbus.write(4, Gmbus::idle_enable);
  CHECK_FALSE(gmbus.take_interrupt());
  gmbus.write(1, software_ready | stop_cycle);
  gmbus.write(4, Gmbus::idle_enable);
  CHECK(gmbus.take_interrupt());
}

TEST_CASE_METHOD(Bus, "a transfer continues after save and load") {
  gmbus.write(1, command(wait_cycle | index_cycle, 8, 0x50, 16) | read_direction);
  CHECK(read_bytes(gmbus, 4)[0] == host.eeprom[16]);
  Archive out;
  gmbus.state(out);
  const auto bytes = out.take();
  Gmbus other(host, {2, 0});
  Archive in(bytes);
  other.state(in);
  REQUIRE_FALSE(in.failed());
  CHECK(read_bytes(other, 4)[0] == host.eeprom[20]);
  CHECK(other.read(2) & Gmbus::wait_phase);
}

namespace {

// The bit-banging master of the kernel's i2c-algo-bit, over GPIO_CTL as i915 drives it.
class Master {
 public:
  explicit Master(GpioPair& pair) : pair_(pair) {}
  void data(bool high) { pair_.write(high ? 0x100 : 0x100 | 0x200 | 0x400); }
  void clock(bool high) { pair_.write(high ? 0x1 : 0x1 | 0x2 | 0x4); }
  bool sample() {
    pair_.write(0x100);
    return pair_.read() & 0x1000;
  }
  void start() { data(true), clock(true), data(false), clock(false); }
  void repeated_start() { data(true), clock(true), data(false), clock(false); }
  void stop() { data(false), clock(true), data(true); }
  bool send(uint8_t byte) {
    for (int i = 7; i >= 0; i--) data(byte >> i & 1), clock(true), clock(false);
    data(true), clock(true);
    const bool acknowledged = !sample();
    clock(false);
    return acknowledged;
  }
  uint8_t receive(bool acknowledge) {
    uint8_t byte = 0;
    data(true);
    for (int i = 0; i < 8; i++) {
      clock(true);
      byte = static_cast<uint8_t>(byte << 1 | (sample() ? 1 : 0));
      clock(false);
    }
    data(!acknowledge), clock(true), clock(false), data(true);
    return byte;
  }

 private:
  GpioPair& pair_;
};

}  // namespace

TEST_CASE_METHOD(Bus, "bit banging reads the same EDID") {
  GpioPair pair(host, 5);
  Master master(pair);
  master.start();
  REQUIRE(master.send(0xa0));
  REQUIRE(master.send(0x08));
  master.repeated_start();
  REQUIRE(master.send(0xa1));
  for (int i = 0; i < 16; i++) CHECK(master.receive(i < 15) == host.eeprom[8 + i]);
  master.stop();
  CHECK_FALSE(host.selected);
  master.start();
  CHECK_FALSE(master.send(0x60));
  master.stop();
}

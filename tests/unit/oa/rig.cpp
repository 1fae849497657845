// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/oa/rig.h"

namespace softgen::oa::test {

Rig::Rig(const char* name, const Form& of_form)
    : platform(*defs::find_platform(name)),
      form(of_form),
      registers(*platform.registers),
      interrupts(form.mmio_trigger ? mmio::gen12_interrupts(registers, clock) : mmio::gen8_interrupts(registers, clock)) {
  quiet_log();
  for (uint64_t page = 0; page < (32u << 20) / 4096; ++page) ggtt.set_pte(page, page * 4096 | 1);
  registers.reset();
  unit = std::make_unique<ObservationUnit>(Environment{.registers = registers,
                                                       .interrupts = *interrupts,
                                                       .host = clock,
                                                       .memory = memory,
                                                       .ggtt = ggtt,
                                                       .form = form,
                                                       .metric_sets = sets,
                                                       .clock = mmio::TimestampClock(platform.timestamp_hz),
                                                       .eus = {.count = 24, .threads = 7},
                                                       .work = [this] { return work; },
                                                       .wake_at = [this](int64_t ns) { wakes.push_back(ns); }});
  unit->reset();
}

void Rig::timer(int exponent) { registers.write(form.timer, exponent < 0 ? 1 : 1 | 2 | static_cast<uint32_t>(exponent) << 2); }

void Rig::open(int exponent, uint32_t format) {
  registers.write(form.status, 0);
  registers.write(form.head, buffer);
  if (form.buffer_upper) registers.write(form.buffer_upper, 0);
  registers.write(form.buffer, buffer | 1);
  registers.write(form.tail, buffer);
  timer(exponent);
  registers.write(form.control, format << 2 | 1);
  read_ = buffer;
}

void Rig::route(uint32_t sequence) {
  registers.write(reg::GDT_CHICKEN_BITS, 0);
  registers.write(reg::NOA_WRITE, sequence);
}

namespace {

/// The condition last: with it the trigger is complete.
void program(mmio::RegisterFile& registers, const Form::TriggerRows& at, uint32_t condition, uint32_t threshold, uint32_t inputs) {
  registers.write(at.condition, 0);
  registers.write(at.threshold, threshold);
  registers.write(at.high_inputs, inputs);
  registers.write(at.low_inputs, inputs);
  registers.write(at.condition, condition);
}

}  // namespace

void Rig::report_trigger(unsigned i, uint32_t condition, uint32_t threshold, uint32_t inputs) {
  program(registers, form.report_triggers[i], condition, threshold, inputs);
}

void Rig::start_trigger(unsigned i, uint32_t condition, uint32_t threshold, uint32_t inputs) {
  program(registers, form.start_triggers[i], condition, threshold, inputs);
}

std::vector<Rig::Report> Rig::take() {
  std::vector<Report> reports;
  const uint32_t end = tail();
  while (read_ != end) {
    Report& report = reports.emplace_back();
    memory.read(read_, report.data(), sizeof report);
    read_ = buffer + (read_ + sizeof report - buffer) % buffer_size;
  }
  registers.write(form.head, read_);
  return reports;
}

}  // namespace softgen::oa::test

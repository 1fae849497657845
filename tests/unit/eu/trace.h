// SPDX-License-Identifier: GPL-2.0-or-later
// Records threads' messages and final registers, to compare compiled code with the interpreter.
#pragma once

#include <array>
#include <bit>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "hw/eu/program/series.h"
#include "tests/unit/eu/compiler_now.h"
#include "tests/unit/eu/harness.h"

namespace softgen::eu::test {

/// All messages of a thread, and its final registers.
struct Trace {
  std::vector<uint32_t> words;
  bool operator==(const Trace&) const = default;
  void add(std::span<const Grf> registers) {
    for (const Grf& g : registers) words.insert(words.end(), g.dw, g.dw + 8);
  }
};

enum class Runner : uint8_t {
  interpreter,
  executor,  ///< the compiler, which leaves all registers in memory
  engine,    ///< as it runs outside tests: in variants for full dispatches, registers where it likes
};

/// Answers messages by `answers`, and records them in `t`.
inline void answer_messages(Machine& m, Trace& t, std::mt19937& answers, unsigned& messages) {
  m.target.answer = [&](const Message& message, ThreadEnv&) {
    t.words.insert(t.words.end(), {static_cast<uint32_t>(message.op.sfid), message.op.descriptor, message.op.extended, message.exec_mask,
                                   message.dispatch_mask, message.exec_size});
    t.add(message.payload);
    t.add(message.payload2);
    for (Grf& g : message.response)
      for (unsigned n = 0; n < 8; n++)
        if (message.exec_mask >> n & 1)
          g.dw[n] = answers() % 3 ? std::bit_cast<uint32_t>(static_cast<float>(answers() % 64)) : answers() % 16;
    m.thread.notify();
    // A loop that waits for a certain answer would not end by itself: it is stopped here, at the same message on both sides.
    if (++messages == 5000) m.stop.request(StopFlag::reset);
    return SendResult::done;
  };
}

/// `payload`: number of registers with payload; the others are filled by `leftovers`.
inline Trace trace(const std::vector<std::byte>& code, uint32_t mask, uint32_t seed, Runner runner, unsigned payload = grf_count,
                   uint32_t leftovers = 0, const Isa& isa = gen9_isa()) {
  Machine m(isa);
  if (runner == Runner::engine) m.fast_paths = &compiler_now();
  m.load(code, mask, 0, payload);
  std::mt19937 random(seed);
  const auto number = [&] { return std::bit_cast<uint32_t>(static_cast<float>(random() % 4096) / 64.0f - 8.0f); };
  for (unsigned r = 0; r < 128; r++)
    for (unsigned n = 0; n < 8; n++) m.set<uint32_t>(r, n, random() % 4 ? number() : random() % 64);
  std::mt19937 rubbish(leftovers);
  for (unsigned r = payload; r < grf_count + 16; r++)
    for (unsigned n = 0; n < 8; n++) m.set<uint32_t>(r, n, static_cast<uint32_t>(rubbish()));
  Trace t;
  std::mt19937 answers(seed + 1);
  unsigned messages = 0;
  answer_messages(m, t, answers, messages);
  RunResult result{};
  switch (runner) {
    case Runner::interpreter: result = eu::interpret(m.thread, m.env, m.target); break;
    case Runner::executor: result = m.run(); break;
    case Runner::engine: result = eu::run(m.thread, m.env, m.target); break;
  }
  t.words.push_back(static_cast<uint32_t>(result));
  return t;
}

struct SeriesOf {
  size_t threads = 7;
  size_t fails = SIZE_MAX;  ///< the messages of this one
};

/// Gives two of three threads planes. Their registers are undefined until they are written.
class PlanesOf : public SeriesPayloads {
 public:
  PlanesOf(std::span<SeriesThread> threads, std::span<std::vector<Grf>> own, std::mt19937& random) : threads_(threads), own_(own) {
    const auto value = [&] { return static_cast<float>(random() % 4096) / 64.0f - 8.0f; };
    for (size_t n = 0; n < planes_.size(); n++) {
      for (auto& steps : planes_[n].steps)
        for (float& step : steps) step = value();
      planes_[n].same_w = n % 2, planes_[n].w = value();
    }
    for (size_t n = 0; n < threads.size(); n++) {
      if (n % 3 == 0) continue;
      threads[n].planes = &planes_[n % planes_.size()];
      for (float& corner : threads[n].corner) corner = value();
    }
  }
  void write_headers() override {}
  void write_all() override {
    for (size_t n = 0; n < threads_.size(); n++) {
      const BarycentricPlanes* const planes = threads_[n].planes;
      for (unsigned pixel = 0; planes && pixel < 16; pixel++) {
        const auto sum = [&](unsigned plane) { return threads_[n].corner[plane] + planes->steps[plane][pixel]; };
        const float w = planes->same_w ? planes->w : 1.0f / sum(0);
        for (unsigned k = 0; k < 2; k++)
          own_[n][first_barycentric + pixel / 8 * 2 + k].dw[pixel % 8] = std::bit_cast<uint32_t>(sum(k + 1) * w);
      }
    }
  }

 private:
  std::span<SeriesThread> threads_;
  std::span<std::vector<Grf>> own_;
  std::array<BarycentricPlanes, 2> planes_;
};

/// Of some threads, in the order in which they run, in the interpreter or as `fast_paths` has it. `mask` 0: each has its own.
inline Trace trace_series(const std::vector<std::byte>& code, uint32_t mask, uint32_t seed, const SeriesLayout& layout,
                          const SeriesOf& series = {}, FastPaths* fast_paths = nullptr, const Isa& isa = gen9_isa()) {
  Machine m(isa);
  m.fast_paths = fast_paths;
  m.load(code, mask ? mask : 0xffff);
  std::mt19937 random(seed);
  const auto registers = [&](size_t count) {
    std::vector<Grf> made(std::max<size_t>(count, 1));
    for (Grf& g : made)
      for (uint32_t& dw : g.dw)
        dw = random() % 4 ? std::bit_cast<uint32_t>(static_cast<float>(random() % 4096) / 64.0f - 8.0f)
                          : static_cast<uint32_t>(random() % 64);
    return made;
  };
  const std::vector<Grf> constants = registers(size_t{layout.attributes} - layout.constants);
  std::vector<SeriesThread> threads(series.threads);
  std::vector<std::vector<Grf>> own(series.threads), attributes(series.threads);
  for (size_t i = 0; i < threads.size(); i++) {
    own[i] = registers(layout.constants);
    attributes[i] = registers(size_t{layout.end} - layout.attributes);
    threads[i].next = i + 1 < threads.size() ? &threads[i + 1] : nullptr;
    threads[i].own = own[i].data();
    threads[i].attributes = attributes[i / 3].data();
    threads[i].dispatch_mask = mask ? mask : static_cast<uint32_t>(random() & 0xffff) | 1;
    threads[i].vector_mask = threads[i].channels = threads[i].dispatch_mask;
  }
  std::optional<PlanesOf> planes;
  if (layout.has_planes) planes.emplace(threads, own, random);
  Trace t;
  std::mt19937 answers(seed + 1);
  unsigned messages = 0;
  answer_messages(m, t, answers, messages);
  SeriesThread* running = nullptr;
  const auto answer = m.target.answer;
  m.target.answer = [&](const Message& message, ThreadEnv& env) {
    const auto number = static_cast<size_t>(running - threads.data());
    t.words.push_back(static_cast<uint32_t>(number));
    const SendResult result = answer(message, env);
    return number == series.fails ? SendResult::failed : result;
  };
  ThreadStart how;
  how.program = m.program.get();
  ThreadSeries all{layout, threads.data(), static_cast<uint32_t>(threads.size()), mask, constants.data(), &running};
  if (planes) all.payloads = &*planes;
  run_series(m.thread, how, all, m.env, m.target);
  return t;
}

}  // namespace softgen::eu::test

// SPDX-License-Identifier: GPL-2.0-or-later
// Records what a driver submits as an AUB file that aubinator and softgen-replay read.
//
// At each submission the recorder waits (a bounded time) until the engines are idle, then writes what has changed since it last looked:
// GGTT entries, their pages, the tables of the submitted contexts and every page they map; then the submission. So a recording is
// serial: a driver that depends on two submissions running at the same time sees them one after the other while it is recorded.
// Where software moves rings, a submission is a register write that gives a ring commands. All writes to the engines' registers are in the file then, since
// no context image has them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "hw/cs/submission.h"
#include "hw/debug/aub_writer.h"
#include "hw/debug/ring_port.h"
#include "hw/gt/device.h"

namespace softgen::debug {

class Recorder : public gt::DeviceObserver {
 public:
  /// Throws std::runtime_error with one sentence when the file cannot be written.
  /// `check`: also notes what each submission leaves in memory (sg_record_start).
  Recorder(gt::Device& device, const std::string& path, bool check);
  ~Recorder() override;

  void register_write(uint32_t offset, uint32_t value) override;
  void register_written(uint32_t offset) override;
  uint64_t submissions() const { return submissions_; }

 private:
  struct Port {
    uint32_t base;  ///< of the engine's registers
    defs::EngineClass engine_class;
    std::unique_ptr<cs::SubmitPort> port;
    std::vector<std::pair<uint32_t, uint32_t>> written = {};  ///< offset and value, since the last list
    uint32_t hws_pga = ~0u;                                   ///< last recorded
  };

  struct Ring {
    uint32_t base;   ///< of the engine's registers
    uint32_t alias;  ///< where they answer, too; 0: nowhere
    RingPort port = {};
  };

  void open_ports();
  void open_rings();
  void submission(Port& port, const cs::Execlist& list);
  void ring_write(Ring& ring, uint32_t offset, uint32_t value);
  /// What memory is before a submission. False: the file cannot be written.
  bool begin_submission();
  bool wait_idle();
  void record_ggtt();
  /// Notes a page that contexts can write: after the submission it is compared.
  void expect_result(uint64_t gpa);
  void record_context(const cs::Descriptor& element, defs::EngineClass engine_class);
  void record_tables(uint64_t table, unsigned level, bool pages_of_64k = false);
  /// Writes the page when it differs from what the file has.
  void record_page(uint64_t gpa);
  /// Pages that contexts map and that the submission has changed, as what a replay must find.
  void record_results();
  uint64_t ggtt_dword(uint64_t address);

  gt::Device& device_;
  FILE* file_;
  AubWriter writer_;
  std::vector<Port> ports_;
  std::vector<Ring> rings_;
  std::vector<uint64_t> ggtt_;                      ///< entries as recorded
  std::unordered_map<uint64_t, uint64_t> pages_;    ///< page -> hash of what the file has
  std::unordered_set<uint64_t> seen_;               ///< pages and tables of this submission
  std::unordered_map<uint64_t, uint64_t> results_;  ///< page that contexts map -> hash at the last submission's start or end
  const bool check_;
  bool submitted_ = false;  ///< by the register write under way
  uint64_t submissions_ = 0;
};

}  // namespace softgen::debug

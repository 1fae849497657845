// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/replay/print_mode.h"

#include <fmt/format.h>

#include "hw/debug/kernel_text.h"
#include "hw/debug/printer.h"
#include "hw/gt/parts.h"
#include "hw/replay/draw_list.h"
#include "hw/replay/image.h"

namespace softgen::replay {
namespace {

using debug::Json;

Json submission_json(const Submission& s, uint64_t number) {
  Json head{{"submission", number},
            {"engine", name_of(s.engine)},
            {"ring", Json{{"start", fmt::format("0x{:08x}", s.ring_start)}, {"head", s.ring_head}, {"tail", s.ring_tail}}}};
  if (!s.descriptor) return head;
  head["descriptor"] = fmt::format("0x{:016x}", s.descriptor);
  head["context"] = fmt::format("0x{:08x}", s.lrca);
  head["pml4"] = fmt::format("0x{:x}", s.ppgtt.roots[0]);
  return head;
}

class Session {
 public:
  Session(const PrintOptions& options, std::FILE* out) : options_(options), out_(out), memory_(options.memory_limit) {
    options_.follow.disassemble = [this](memory::View& view, uint64_t address) {
      debug::KernelText text = debug::disassemble_kernel(gt::isa_of(image_.platform()), view, address);
      result_.unknown_instructions += text.unknown;
      return std::move(text.lines);
    };
    image_.on_submit = [this](const Submission& s) { submit(s); };
    image_.on_ring = [this](EngineId engine, std::span<const uint32_t> commands) { ring(engine, commands); };
  }

  PrintResult run(debug::ByteSource& source) {
    uint64_t position = 0;
    try {
      if (options_.form == PrintOptions::Form::json) std::fputs("{\"submissions\": [", out_);
      if (const auto error = debug::read_aub(source, image_, &position))
        result_.error = fmt::format("byte {}: {}", error->offset, error->message);
    } catch (const ImageError& error) { result_.error = fmt::format("byte {}: {}", position, error.what()); }
    finish();
    return result_;
  }

 private:
  void submit(const Submission& s) {
    memory::View ppgtt(image_.memory(), nullptr, s.engine);
    ppgtt.set_space(s.ppgtt);
    begin(submission_json(s, result_.submissions++));
    walk(s.engine, s.lrca, &ppgtt, [&](debug::BatchWalker& walker) { walker.ring(s.ring_start, s.ring_size, s.ring_head, s.ring_tail); });
    end();
  }
  void ring(EngineId engine, std::span<const uint32_t> commands) {
    begin(Json{{"submission", result_.submissions++}, {"engine", name_of(engine)}});
    walk(engine, 0, &image_.ggtt_view(), [&](debug::BatchWalker& walker) { walker.commands(commands); });
    end();
  }

  template <typename Walk>
  void walk(EngineId engine, uint32_t lrca, memory::View* ppgtt, Walk&& go) {
    debug::ContextState& state = contexts_.of(engine, lrca);
    const defs::Platform& platform = image_.platform();
    const defs::CommandSet& set = *platform.commands;
    options_.follow.platform = &platform;
    options_.follow.engine = engine;
    if (options_.form == PrintOptions::Form::list) {
      DrawList list(set, *ppgtt, state, result_.draws + result_.walkers,
                    [this](const std::string& line) { fmt::print(out_, "{}\n", line); });
      debug::BatchWalker walker(set, class_of(engine), image_.ggtt_view(), ppgtt, list, options_.limits);
      go(walker);
      count(list.commands(), list.draws(), list.walkers(), list.unknown(), list.problems());
      return;
    }
    uint64_t commands = 0, draws = 0, walkers = 0;
    debug::PacketPrinter printer(ppgtt, state, options_.follow, [&](Json node) {
      commands += node.contains("command");
      if (node.contains("command") && node["command"] == "3DPRIMITIVE" && !node.contains("streamer")) draws++;
      if (node.contains("command") && node["command"] == "GPGPU_WALKER") walkers++;
      print(node);
    });
    debug::BatchWalker walker(set, class_of(engine), image_.ggtt_view(), ppgtt, printer, options_.limits);
    go(walker);
    count(commands, draws, walkers, printer.unknown(), printer.problems());
  }
  void count(uint64_t commands, uint64_t draws, uint64_t walkers, uint64_t unknown, uint64_t problems) {
    result_.commands += commands;
    result_.draws += draws;
    result_.walkers += walkers;
    result_.unknown += unknown;
    result_.problems += problems;
  }

  void begin(const Json& head) {
    if (options_.form == PrintOptions::Form::json) {
      std::string text = head.dump();
      text.pop_back();
      fmt::print(out_, "{}{}, \"commands\": [", result_.submissions > 1 ? ",\n" : "\n", text);
      first_ = true;
      return;
    }
    fmt::print(out_, "submission {} on {}{}\n", head["submission"].dump(), head["engine"].get<std::string>(),
               head.contains("context")
                   ? fmt::format(", context {}, PML4 {}", head["context"].get<std::string>(), head["pml4"].get<std::string>())
                   : std::string());
  }
  void print(const Json& node) {
    if (options_.form == PrintOptions::Form::text) {
      std::fputs(debug::node_text(node, options_.colour).c_str(), out_);
      return;
    }
    // Text in a kernel or name is ours, but bytes of a hostile file reach error sentences: never throw on them.
    fmt::print(out_, "{}{}", first_ ? "\n" : ",\n", node.dump(-1, ' ', false, Json::error_handler_t::replace));
    first_ = false;
  }
  void end() {
    if (options_.form == PrintOptions::Form::json) std::fputs("]}", out_);
  }
  void finish() {
    if (options_.form == PrintOptions::Form::json) {
      fmt::print(
          out_,
          "],\n\"pci_id\": \"0x{:x}\", \"application\": {}, \"unknown_commands\": {}, \"unknown_instructions\": {}, \"problems\": {}, \"error\": {}}}\n",
          image_.version().pci_id, Json(image_.version().application).dump(-1, ' ', false, Json::error_handler_t::replace), result_.unknown,
          result_.unknown_instructions, result_.problems,
          result_.error.empty() ? "null" : Json(result_.error).dump(-1, ' ', false, Json::error_handler_t::replace));
      return;
    }
    fmt::print(out_, "{} submissions, {} commands, {} draws, {} walkers, {} unknown commands, {} unknown instructions, {} problems\n",
               result_.submissions, result_.commands, result_.draws, result_.walkers, result_.unknown, result_.unknown_instructions,
               result_.problems);
  }

  PrintOptions options_;
  std::FILE* out_;
  memory::SparseMemory memory_;
  memory::Ggtt ggtt_{*platform_for(options_.platform, 0).ggtt};
  Image image_{memory_, ggtt_, options_.platform};
  debug::ContextStates contexts_;
  PrintResult result_;
  bool first_ = true;
};

}  // namespace

PrintResult print_capture(debug::ByteSource& source, const PrintOptions& options, std::FILE* out) {
  return Session(options, out).run(source);
}

PrintResult print_capture(const std::string& path, const PrintOptions& options, std::FILE* out) {
  try {
    PrintOptions known = options;
    // Standard input cannot be read twice.
    if (known.platform.empty() && path != "-") known.platform = platform_for("", captured_device(*debug::open_file(path))).name;
    return print_capture(*debug::open_file(path), known, out);
  } catch (const debug::StreamError& error) {
    PrintResult result;
    result.error = error.what();
    return result;
  }
}

}  // namespace softgen::replay

// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/check/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "hw/debug/check/packet_text.h"

namespace softgen::debug::check {

using defs::CommandId;

const char* name_of(Severity severity) {
  constexpr std::array<const char*, 3> names = {"note", "warning", "error"};
  return names[static_cast<size_t>(severity)];
}

bool Rule::applies_to(const defs::Platform& platform) const {
  if (!parts) return true;
  return fmt::format(" {} ", parts).find(fmt::format(" {} ", platform.parts)) != std::string::npos;
}

/// A rule's report at a place. `site` is called for new findings.
class Checker::Finder : public Report {
 public:
  Finder(Findings& findings, const char* engine, uint64_t address, std::string_view command, std::function<Site()> site)
      : findings_(findings), engine_(engine), address_(address), command_(command), site_(std::move(site)) {}
  virtual ~Finder() = default;

  template <typename Look>
  void ask(std::span<const Rule* const> rules, void (*Rule::*check)(const Look&, Report&), const Look& look) {
    for (const Rule* rule : rules) {
      rule_ = rule;
      (rule->*check)(look, *this);
    }
  }
  void tell(const Rule& rule, std::string detail) {
    rule_ = &rule;
    found(std::move(detail));
  }
  void found(std::string detail) override { findings_.add(*rule_, engine_, address_, command(), site_, std::move(detail)); }

 protected:
  virtual std::string command() const { return std::string(command_); }

 private:
  Findings& findings_;
  const char* const engine_;
  const uint64_t address_;
  const std::string_view command_;
  const std::function<Site()> site_;
  const Rule* rule_ = nullptr;
};

/// A rule's report at a register. Most accesses give none, so the register's name is looked up for those only.
class Checker::RegisterFinder final : public Finder {
 public:
  /// `value`: of a write whose value the report shows. `access`: what was done.
  RegisterFinder(Findings& findings, const defs::RegisterSet& registers, uint32_t offset, std::optional<uint32_t> value, const char* access)
      : Finder(findings, "host", offset, "",
               [&registers, offset, value, access] {
                 const std::string name = registers.name_of(offset);
                 return Site{"host", offset, name, value ? fmt::format("{} = {:#x}", name, *value) : name, access};
               }),
        registers_(registers),
        offset_(offset) {}

 private:
  std::string command() const override { return registers_.name_of(offset_); }

  const defs::RegisterSet& registers_;
  const uint32_t offset_;
};

Checker::Checker(const defs::Platform& platform, const Options& options, Findings::Sink sink)
    : platform_(platform), layouts_(*platform.commands), cache_controls_(*platform.registers), findings_(options, std::move(sink)) {
  for (const Rule* rule : all_rules()) {
    if (!options.wants(*rule) || !rule->applies_to(platform)) continue;
    if (rule->packet && rule->commands.empty())
      for (const defs::Command& command : platform.commands->commands) packet_rules_[static_cast<size_t>(command.id)].push_back(rule);
    for (const CommandId id : rule->commands) packet_rules_[static_cast<size_t>(id)].push_back(rule);
    if (rule->list) list_rules_.push_back(rule);
    if (rule->entry) entry_rules_.push_back(rule);
    if (rule->leave) leave_rules_.push_back(rule);
    if (rule->write) write_rules_.push_back(rule);
    if (rule->unpowered) unpowered_rules_.push_back(rule);
    if (rule->stream) (rule->id == std::string_view("A5") ? unknown_rule_ : missing_rule_) = rule;
  }
}

// -- commands -------------------------------------------------------------------------------------------------------------------

ContextTrack& Checker::context_of(Engine& engine, uint32_t address) {
  if (!engine.contexts.contains(address) && engine.contexts.size() >= max_contexts) {
    const auto oldest = std::ranges::min_element(engine.contexts, {}, [](const auto& entry) { return entry.second.used; });
    if (&oldest->second.track == engine.current) engine.current = nullptr;
    engine.contexts.erase(oldest);
  }
  Known& known = engine.contexts[address];
  known.used = ++engine.entries;
  return known.track;
}

Site Checker::packet_site(const WatchedPacket& packet) const {
  const Engine& engine = engines_[static_cast<size_t>(packet.engine)];
  constexpr std::array<const char*, 3> levels = {"ring", "batch", "second-level batch"};
  Site site{.engine = name_of(packet.engine),
            .address = packet.packet.address,
            .command = packet.packet.command->name,
            .text = packet_text(*packet.packet.command, packet.packet.dwords),
            .context = {}};
  site.context =
      engine.track.context ? fmt::format("{}, context {:#x}, ", site.engine, engine.track.context) : fmt::format("{}, ", site.engine);
  site.context += fmt::format("{} {:#x}", levels[std::min(packet.level, 2u)], packet.packet.address);
  return site;
}

void Checker::note_noops(EngineTrack& track, const WatchedPacket& packet) const {
  if (packet.packet.command->id == CommandId::MI_NOOP && packet.level > 0) {
    ++track.noops;
  } else {
    track.noops = 0;
    track.noops_told = false;
  }
}

void Checker::packet(const WatchedPacket& packet) {
  Engine& engine = of(packet.engine);
  ContextTrack& context = current(engine);
  const defs::Command& command = *packet.packet.command;
  note_noops(engine.track, packet);
  PipeControl control;
  const bool is_control = command.id == CommandId::PIPE_CONTROL;
  if (is_control) control = layouts_.pipe_control(packet.packet.dwords);
  const PipeControl* const pipe_control = is_control ? &control : nullptr;
  const bool executed = packet.outcome == WatchedPacket::Outcome::executed;
  if (const auto& rules = packet_rules_[static_cast<size_t>(command.id)];
      !rules.empty() && packet.outcome != WatchedPacket::Outcome::skipped) {
    Finder finder(findings_, name_of(packet.engine), packet.packet.address, command.name, [&] { return packet_site(packet); });
    finder.ask(rules, &Rule::packet,
               PacketLook{chip_, packet, engine.track, context, pipe_control, has_whitelist_.load(std::memory_order_relaxed)});
  }
  if (!executed) return;
  context.follow(layouts_, packet, pipe_control);
  if (command.id == CommandId::MI_SET_CONTEXT) set_context(engine, packet);
}

void Checker::set_context(Engine& engine, const WatchedPacket& packet) {
  const TrackedFields& fields = layouts_.tracked();
  const auto address = static_cast<uint32_t>(fields.context.of(packet.packet.dwords));
  if (!address) return;
  ContextTrack& context = context_of(engine, address);
  if (fields.restore_inhibit.of(packet.packet.dwords)) context.begin(false);
  engine.track = {.context = address};
  engine.current = &context;
}

void Checker::unknown_command(EngineId id, uint64_t address, uint32_t header) {
  if (!unknown_rule_) return;
  const std::string text = fmt::format("{:#010x}", header);
  Finder finder(findings_, name_of(id), address, "unknown",
                [&] { return Site{name_of(id), address, "unknown", text, fmt::format("{}, {:#x}", name_of(id), address)}; });
  finder.tell(*unknown_rule_, {});
}

void Checker::missing_command(EngineId id, uint64_t address) {
  if (!missing_rule_) return;
  Finder finder(findings_, name_of(id), address, "missing",
                [&] { return Site{name_of(id), address, "missing", "no memory", fmt::format("{}, {:#x}", name_of(id), address)}; });
  finder.tell(*missing_rule_, "the page that the walk comes to is not there");
}

// -- submission -----------------------------------------------------------------------------------------------------------------

void Checker::submitted(EngineId id, std::span<const WatchedContext> list) {
  const bool pending = pending_[static_cast<size_t>(id)].exchange(true, std::memory_order_acq_rel);
  if (list_rules_.empty()) return;
  const auto site = [&] {
    std::string text = "list";
    for (const WatchedContext& context : list)
      if (context.low || context.high) text += fmt::format(" {:08x}.{:08x}", context.high, context.low);
    return Site{name_of(id), 0, "submission", text, fmt::format("{}, submit port", name_of(id))};
  };
  Finder finder(findings_, name_of(id), 0, "submission", site);
  finder.ask(list_rules_, &Rule::list, ListLook{chip_, id, list, !pending});
}

void Checker::list_taken(EngineId id) { pending_[static_cast<size_t>(id)].store(false, std::memory_order_release); }

Site Checker::entry_site(const WatchedEntry& entry) const {
  return {name_of(entry.engine), entry.address, "context",
          fmt::format("RING_HEAD {:#x}, RING_TAIL {:#x}, ring of {:#x} bytes, descriptor {:08x}.{:08x}", entry.head, entry.raw_tail,
                      entry.ring_size, entry.context.high, entry.context.low),
          fmt::format("{}, context {:#x}", name_of(entry.engine), entry.address)};
}

// An image whose HEAD is not where the engine left it is another context's, or was edited (a reset): nothing is known of it.
void Checker::context_entered(const WatchedEntry& entry) {
  Engine& engine = of(entry.engine);
  ContextTrack& context = context_of(engine, entry.address);
  engine.track = {.context = entry.address};
  engine.current = &context;
  if (entry.blank || !context.left || context.head != entry.head) context.begin(entry.blank);
  Finder finder(findings_, name_of(entry.engine), entry.address, "context", [&] { return entry_site(entry); });
  finder.ask(entry_rules_, &Rule::entry, EntryLook{chip_, entry, context, false, 0});
  context.tail = entry.tail;
}

void Checker::tail_moved(const WatchedEntry& entry, uint32_t old_tail) {
  ContextTrack& context = current(of(entry.engine));
  Finder finder(findings_, name_of(entry.engine), entry.address, "context", [&] { return entry_site(entry); });
  finder.ask(entry_rules_, &Rule::entry, EntryLook{chip_, entry, context, true, old_tail});
  context.tail = entry.tail;
}

void Checker::context_left(EngineId id, uint32_t head, bool complete) {
  Engine& engine = of(id);
  ContextTrack& context = current(engine);
  const uint32_t address = engine.track.context;
  Finder finder(findings_, name_of(id), address, "context",
                [&] { return Site{name_of(id), address, "context", "complete", fmt::format("{}, context {:#x}", name_of(id), address)}; });
  finder.ask(leave_rules_, &Rule::leave, LeaveLook{chip_, id, context, complete});
  context.head = head;
  context.left = true;
  engine.track = {};
  engine.current = nullptr;
}

void Checker::engine_reset(EngineId id) {
  Engine& engine = of(id);
  if (engine.current) engine.current->begin(false);
  if (const auto ring = engine.contexts.find(0); ring != engine.contexts.end()) ring->second.track.begin(false);
  engine.track = {};
  engine.current = nullptr;
  pending_[static_cast<size_t>(id)].store(false, std::memory_order_release);
}

// -- registers ------------------------------------------------------------------------------------------------------------------

void Checker::register_written(uint32_t offset, uint32_t value) {
  if (!write_rules_.empty()) {
    RegisterFinder finder(findings_, *platform_.registers, offset, value, "register write");
    finder.ask(write_rules_, &Rule::write, WriteLook{chip_, offset, value, host_});
  }
  follow_host(offset, value);
}
void Checker::register_unpowered(uint32_t offset, bool write) {
  RegisterFinder finder(findings_, *platform_.registers, offset, std::nullopt, write ? "register write" : "register read");
  finder.ask(unpowered_rules_, &Rule::unpowered, UnpoweredLook{chip_, offset, write});
}

void Checker::follow_host(uint32_t offset, uint32_t value) {
  cache_controls_.written(offset, value);
  if (!has_whitelist_.load(std::memory_order_relaxed)) {
    const defs::Register* row = platform_.registers->find(offset);
    if (row && row->name == std::string_view("RING_FORCE_TO_NONPRIV")) has_whitelist_.store(true, std::memory_order_relaxed);
  }
  for (const defs::EngineRow& engine : platform_.registers->engines) {
    if (offset != engine.mmio_base + reg::RING_RESET_CTL) continue;
    const uint32_t request = reg::field::RING_RESET_CTL_REQUEST_RESET.mask(), bit = 1u << static_cast<unsigned>(engine.id);
    if (!(value >> 16 & request)) continue;
    host_.reset_requested = value & request ? host_.reset_requested | bit : host_.reset_requested & ~bit;
  }
}

}  // namespace softgen::debug::check

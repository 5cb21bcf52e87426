// Pairs runs by subject, options and seed, and their outputs by node.
#include "parity/studies/drift/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/error.hpp"
#include "parity/core/edits.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/studies/drift/cause.hpp"

namespace plumb::parity::studies::drift {
namespace {

/// Runs of one subject, by options and then by seed.
using ByOptions = std::map<std::string, Runs>;
using BySubject = std::map<std::string, ByOptions>;

BySubject by_subject(const std::vector<Record>& records) {
  BySubject subjects;
  for (const Record& one : records) subjects[one.subject][one.options][one.seeds()] = &one;
  return subjects;
}

void require_one_device(const std::vector<Record>& records, const char* side) {
  std::set<std::string> devices;
  for (const Record& one : records) devices.insert(one.device);
  ir::require(devices.size() < 2, side, " has runs on several devices, ", fmt::format("{}", fmt::join(devices, ", ")),
              "; --device says which are meant");
}

/// The three ids that look most like this one.
std::vector<std::string> nearest_ids(const std::vector<Record>& records, const std::string& id) {
  constexpr std::size_t most = 3;
  std::set<std::pair<std::size_t, std::string>> ids;
  for (const Record& one : records) ids.emplace(core::edits(id, one.id), one.id);
  std::vector<std::string> nearest;
  for (const auto& [letters, name] : ids)
    if (nearest.size() < most) nearest.push_back(name);
  return nearest;
}

/// All bits that a run came to, and before it those of the run that it is paired with, if any.
std::string bits_of(const Record* was, const Record* is) {
  std::string text;
  for (const Record* const run : {was, is})
    if (run != nullptr)
      for (const Output& output : run->outputs) text += fmt::format("{:x} ", output.out_hash);
  return text;
}

/// Leaves out runs of other seeds that have all bits of an earlier one: the seed says nothing there.
std::size_t drop_repeats(Runs& base, Runs& now, bool is_paired) {
  std::size_t dropped = 0;
  const auto drop = [&](Runs& runs, Runs* others) {
    std::set<std::string> seen;
    for (auto run = runs.begin(); run != runs.end();) {
      const Record* const other = others == nullptr ? nullptr : others->at(run->first);
      const std::string bits = bits_of(run->second, other);
      if (bits.empty() || seen.insert(bits).second) {
        ++run;
        continue;
      }
      if (others != nullptr) others->erase(run->first);
      run = runs.erase(run);
      ++dropped;
    }
  };
  drop(base, is_paired ? &now : nullptr);
  if (!is_paired) drop(now, nullptr);
  return dropped;
}

/// Whether runs of other seeds may change places: all have the same params, or each has params of its own.
bool is_exchangeable(const Runs& base, const Runs& now) {
  std::set<std::uint64_t> params;
  for (const Runs* const side : {&base, &now})
    for (const auto& [seeds, run] : *side) params.insert(seeds.second);
  return !params.contains(Record::unknown_seed) && (params.size() == 1 || params.size() == base.size() + now.size());
}

}  // namespace

Records::Records(std::vector<Record> base, std::vector<Record> now) : base_(std::move(base)), now_(std::move(now)) {
  const auto all_named = [](const std::vector<Record>& records) {
    return std::ranges::all_of(records, &Record::is_named);
  };
  if (!all_named(base_) || !all_named(now_)) {
    notes_.emplace_back(
        "options were not recorded before version 2.8: runs are paired by graph, precision, fill and seed");
    for (std::vector<Record>* const side : {&base_, &now_})
      for (Record& one : *side) {
        one.subject = one.graph;
        one.options.clear();
      }
  }
  base_ = latest(std::move(base_));
  now_ = latest(std::move(now_));
  ir::require(!base_.empty() && !now_.empty(), base_.empty() ? "base" : "now", " has no runs");
  require_one_device(base_, "base");
  require_one_device(now_, "now");
}

std::vector<Records::Case> Records::cases() {
  const BySubject base = by_subject(base_), now = by_subject(now_);
  std::vector<Case> made;
  for (const auto& [subject, mine] : now) {
    const auto found = base.find(subject);
    if (found == base.end()) continue;
    const ByOptions& theirs = found->second;
    const bool is_one = mine.size() == 1 && theirs.size() == 1;
    for (const auto& [options, runs] : mine) {
      const auto same = is_one ? theirs.begin() : theirs.find(options);
      if (same != theirs.end()) made.push_back({same->second, runs});
    }
  }
  if (!made.empty()) return made;
  const std::string& id = now_.front().id;
  ir::fail("no run of now was fed as one of base: of '", id, "' base has no run; nearest are ",
           fmt::format("'{}'", fmt::join(nearest_ids(base_, id), "', '")));
}

void Records::pair_outputs(const Case& one, const Places& base_places, const Places& now_places, Paired& made) const {
  std::map<std::string, std::size_t> nodes;  // places in made.series
  const std::size_t places = made.drift.is_paired ? base_places.size() : base_places.size() + now_places.size();
  for (const auto& [seed, run] : one.now)
    for (const Output& output : run->outputs) {
      const auto [found, is_new] = nodes.try_emplace(output.node, made.series.size());
      if (is_new)
        made.series.push_back({.was = one.base.begin()->second,
                               .is = run,
                               .base = std::vector<const Output*>(places),
                               .now = std::vector<const Output*>(places)});
      made.series[found->second].now[now_places.at(seed)] = &output;
    }
  std::set<std::string> gone;
  for (const auto& [seed, run] : one.base)
    for (const Output& output : run->outputs) {
      const auto found = nodes.find(output.node);
      if (found == nodes.end())
        gone.insert(output.node);
      else
        made.series[found->second].base[base_places.at(seed)] = &output;
    }
  if (!gone.empty())
    made.drift.notes.push_back(fmt::format(
        "{}: {} of base not there any more: {}", one.now.begin()->second->id,
        core::terminal::counted(gone.size(), "output") + (gone.size() == 1 ? " is" : " are"), fmt::join(gone, ", ")));
}

void Records::note_ends(const Case& one, Paired& made) const {
  for (const auto& [seed, run] : one.now) {
    const auto other = one.base.find(seed);
    if (other == one.base.end() || !has_worse_end(*other->second, *run)) continue;
    made.cases.push_back(worse_end(*other->second, *run));
    return;
  }
}

void Records::place_seeds(std::vector<Case>& all, Places& base_places, Places& now_places, Paired& made) const {
  Drift& drift = made.drift;
  std::size_t repeats = 0;
  for (Case& one : all) {
    if (drift.is_paired) {
      std::erase_if(one.base, [&](const auto& run) { return !one.now.contains(run.first); });
      std::erase_if(one.now, [&](const auto& run) { return !one.base.contains(run.first); });
    }
    repeats += drop_repeats(one.base, one.now, drift.is_paired);
    for (const auto& [seeds, run] : one.base) base_places[seeds] = 0;
    for (const auto& [seeds, run] : one.now) now_places[seeds] = 0;
  }
  std::erase_if(all, [](const Case& one) { return one.base.empty() || one.now.empty(); });
  std::size_t place = 0;
  for (auto& [seeds, at] : base_places) at = place++;
  made.base_seeds = place;
  if (drift.is_paired)
    now_places = base_places;
  else
    for (auto& [seeds, at] : now_places) at = place++;
  drift.seeds = drift.is_paired ? base_places.size() : now_places.size();
  if (repeats > 0)
    drift.notes.push_back(fmt::format("{} all bits of another seed's, and not counted",
                                      core::terminal::counted(repeats, "run") + (repeats == 1 ? " has" : " have")));
}

Paired Records::pair() {
  Paired made;
  std::vector<Case> all = cases();
  const auto has_common = [](const Case& one) {
    return std::ranges::any_of(one.now, [&](const auto& run) { return one.base.contains(run.first); });
  };
  made.drift = {.notes = notes_,
                .is_paired = std::ranges::any_of(all, has_common),
                .device = now_.front().device,
                .driver = now_.front().driver};
  if (!made.drift.is_paired)
    for (const Case& one : all)
      ir::require(is_exchangeable(one.base, one.now), "no seed of ", one.now.begin()->second->id,
                  " is common to base and now, and their params are others: verify both with one --param-seed");
  Places base_places, now_places;
  place_seeds(all, base_places, now_places, made);
  const auto is_there = [](const Output* output) { return output != nullptr; };
  for (const Case& one : all) {
    made.drift.ids.push_back(one.now.begin()->second->id);
    const std::size_t first = made.series.size();
    pair_outputs(one, base_places, now_places, made);
    note_ends(one, made);
    const auto fresh =
        std::stable_partition(made.series.begin() + static_cast<std::ptrdiff_t>(first), made.series.end(),
                              [&](const Series& series) { return std::ranges::any_of(series.base, is_there); });
    for (auto series = fresh; series != made.series.end(); ++series)
      made.cases.push_back(new_output(*series->was, *series->is, **std::ranges::find_if(series->now, is_there)));
    made.series.erase(fresh, made.series.end());
  }
  return made;
}

}  // namespace plumb::parity::studies::drift

// Finds runs, and comparisons, that several results files have in common.
#include "parity/studies/fit/repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "parity/core/terminal/table.hpp"

namespace plumb::parity::studies::fit {
namespace {

/// Which comparison it is, and what came of it in bits.
std::string output_of(const Sample& one) {
  const Group& group = one.group;
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{:x}\n", one.graph, group.device, group.op, group.in, group.dtype,
                     group.accumulation, one.node, *one.out_hash);
}

std::string errors_of(const Sample& one) { return fmt::format("{} {} {}\n", one.ratio, one.sigma, one.misrounded); }

/// Runs that are equal to an earlier one.
std::set<std::uint64_t> equal_runs(std::span<const Sample> samples) {
  std::map<std::uint64_t, std::set<std::string>> runs;
  std::set<std::uint64_t> unknown, equal;
  for (const Sample& one : samples)
    if (one.out_hash)
      runs[one.run].insert(output_of(one) + errors_of(one));
    else
      unknown.insert(one.run);
  std::set<std::set<std::string>> seen;
  for (auto& [run, outputs] : runs)
    if (!unknown.contains(run) && !seen.insert(std::move(outputs)).second) equal.insert(run);
  return equal;
}

}  // namespace

std::string Once::note() const {
  std::string text;
  if (runs > 0)
    text = fmt::format("{} equal to earlier ones (graph, device, bits of all outputs), and not counted again",
                       core::terminal::counted(runs, "run") + (runs == 1 ? " is" : " are"));
  if (comparisons > 0)
    text += fmt::format("{}{} of other runs {} there already, and not counted again", text.empty() ? "" : "; ",
                        core::terminal::counted(comparisons, "comparison"), comparisons == 1 ? "is" : "are");
  return text;
}

Once count_once(std::span<const Sample> samples) {
  const std::set<std::uint64_t> equal = equal_runs(samples);
  Once once;
  std::set<std::string> seen;
  std::map<std::uint64_t, std::size_t> kept, left_out;
  for (const Sample& one : samples) {
    const bool is_repeated =
        equal.contains(one.run) ||
        (one.out_hash && !seen.insert(output_of(one) + fmt::format("{} {}", one.seed, one.param_seed)).second);
    ++(is_repeated ? left_out : kept)[one.run];
    if (!is_repeated) once.samples.push_back(one);
  }
  for (const auto& [run, count] : left_out)
    if (kept.contains(run))
      once.comparisons += count;
    else
      ++once.runs;
  return once;
}

}  // namespace plumb::parity::studies::fit

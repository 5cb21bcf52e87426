// The report on metamorphic relations: how many hold, and a line for each that does not.
#include "parity/report/relations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/attribute.hpp"

namespace plumb::parity::report {
namespace {

std::string line_of(const cases::RelationResult& one) {
  const auto how = one.bitwise ? std::string("bit by bit")
                               : fmt::format("{:.3g} of the limits, {} of {} elements with other bits", one.ratio,
                                             one.n_differ, one.n);
  const auto found = one.verdict == core::Verdict::passed       ? "holds, " + how
                     : one.verdict == core::Verdict::mistrusted ? "proves nothing: " + one.why
                                                                : "broken: " + one.why;
  return fmt::format("  {}: {} ({}) {}\n", one.label, ir::enum_name(one.relation), one.how, found);
}

}  // namespace

std::string relations_text(std::span<const cases::RelationResult> results, bool all) {
  if (results.empty()) return "";
  const auto count = [&](core::Verdict verdict) {
    return std::ranges::count(results, verdict, &cases::RelationResult::verdict);
  };
  const auto vague = count(core::Verdict::mistrusted);
  std::string text =
      fmt::format("metamorphic: {} relations hold, {} do not{}\n", count(core::Verdict::passed),
                  count(core::Verdict::failed), vague == 0 ? "" : fmt::format(", {} prove nothing", vague));
  for (const cases::RelationResult& one : results)
    if (all || one.verdict == core::Verdict::failed) text += line_of(one);
  return text;
}

}  // namespace plumb::parity::report

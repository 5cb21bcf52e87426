#include "parity/relations/relation_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/attribute.hpp"

namespace plumb::parity {
namespace {

std::string line_of(const RelationResult& one) {
  const auto how = one.bitwise ? std::string("bit by bit")
                               : fmt::format("{:.3g} of the limits, {} of {} elements with other bits", one.ratio,
                                             one.n_differ, one.n);
  const auto found = one.verdict == Verdict::passed       ? "holds, " + how
                     : one.verdict == Verdict::mistrusted ? "proves nothing: " + one.why
                                                          : "broken: " + one.why;
  return fmt::format("  {}: {} ({}) {}\n", one.label, ir::enum_name(one.relation), one.how, found);
}

}  // namespace

std::string relations_text(std::span<const RelationResult> results, bool all) {
  if (results.empty()) return "";
  const auto count = [&](Verdict verdict) { return std::ranges::count(results, verdict, &RelationResult::verdict); };
  const auto vague = count(Verdict::mistrusted);
  std::string text = fmt::format("metamorphic: {} relations hold, {} do not{}\n", count(Verdict::passed),
                                 count(Verdict::failed), vague == 0 ? "" : fmt::format(", {} prove nothing", vague));
  for (const RelationResult& one : results)
    if (all || one.verdict == Verdict::failed) text += line_of(one);
  return text;
}

}  // namespace plumb::parity

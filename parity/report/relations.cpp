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
                     : one.verdict == core::Verdict::error      ? "cannot be judged: " + one.why
                                                                : "broken: " + one.why;
  return fmt::format("  {}: {} ({}) {}\n", one.label, ir::enum_name(one.relation), one.how, found);
}

}  // namespace

std::string relations_text(std::span<const cases::RelationResult> results, bool all) {
  const auto is_bucket = [](const cases::RelationResult& one) { return one.relation == cases::Relation::bucket; };
  const auto count = [&](core::Verdict verdict) {
    return std::ranges::count_if(results, [&](const auto& one) { return one.verdict == verdict && !is_bucket(one); });
  };
  const auto vague = count(core::Verdict::mistrusted);
  std::string text;
  if (!std::ranges::all_of(results, is_bucket))
    text = fmt::format("metamorphic: {} relations hold, {} do not{}\n", count(core::Verdict::passed),
                       count(core::Verdict::failed), vague == 0 ? "" : fmt::format(", {} prove nothing", vague));
  for (const cases::RelationResult& one : results)
    if (!is_bucket(one) && (all || one.verdict == core::Verdict::failed)) text += line_of(one);
  if (std::ranges::any_of(results, is_bucket)) text += "bucket:\n";
  for (const cases::RelationResult& one : results)
    if (is_bucket(one)) text += line_of(one);
  return text;
}

}  // namespace plumb::parity::report

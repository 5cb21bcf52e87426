// Sum records as text, and the coarsest accumulator among several.
#include "ir/sums.hpp"

#include <algorithm>

#include "ir/attribute.hpp"
#include "ir/error.hpp"

namespace plumb::ir {
namespace {

std::string to_text(const SumLevel& level) {
  return cat('{', level.count, ' ', enum_name(level.take), ' ', enum_name(level.join),
             level.compensated ? " compensated" : "", '}');
}

}  // namespace

std::optional<DType> accumulator_of(std::span<const Sum> sums) {
  if (sums.empty()) return std::nullopt;
  const auto roundoff = [](const Sum& sum) { return unit_roundoff(sum.accumulator); };
  return std::ranges::max(sums, {}, roundoff).accumulator;
}

std::string to_text(const Sum& sum) {
  std::string text = cat(enum_name(sum.of), ": ", enum_name(sum.unit), ' ', sum.accumulator, " [");
  for (std::size_t i = 0; i < sum.levels.size(); ++i) text += (i == 0 ? "" : " ") + to_text(sum.levels[i]);
  text += ']';
  if (sum.order != "contract") text += " order " + sum.order;
  if (sum.is_rounded) text += " kept rounded";
  for (std::size_t i = 0; i < sum.epilogue.size(); ++i)
    text += cat(i == 0 ? " then " : ", ", enum_name(sum.epilogue[i]));
  if (sum.rescale > 0) text += cat(" rescaled every ", sum.rescale);
  return text;
}

}  // namespace plumb::ir

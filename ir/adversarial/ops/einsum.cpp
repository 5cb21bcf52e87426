// The letters of a term that the result has not.
#include "ir/ops/einsum.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::Einsum& op, Types, std::size_t operand, Use& use) {
  use.role = operand == 0 ? Role::leads : Role::follows;
  use.axes.clear();
  std::string_view terms = op.equation;
  const std::size_t arrow = terms.find("->");
  if (arrow == terms.npos || terms.find("...") != terms.npos) return;  // the last axis stands for what is not written
  const std::string_view result = terms.substr(arrow + 2);
  terms = terms.substr(0, arrow);
  for (std::size_t skipped = 0; skipped < operand; ++skipped) terms.remove_prefix(terms.find(',') + 1);
  std::size_t axis = 0;
  for (const char letter : terms.substr(0, terms.find(','))) {
    if (letter == ' ') continue;
    if (result.find(letter) == result.npos) use.axes.push_back(axis);
    ++axis;
  }
}

}  // namespace plumb::ir::adversarial

#include "ir/ops/einsum.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
namespace {

/// The letters of each operand, then those of the result; nothing of equations with an ellipsis, without a result or
/// with a letter twice in a term, which takes a diagonal.
std::vector<std::string> terms_of(const std::string& equation) {
  std::vector<std::string> terms(1);
  for (std::size_t i = 0; i < equation.size(); ++i) {
    const char c = equation[i];
    if (c == ',' || c == '-') terms.emplace_back();
    if (c == '.') return {};
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) continue;
    if (std::ranges::find(terms.back(), c) != terms.back().end()) return {};
    terms.back() += c;
  }
  return equation.find("->") == std::string::npos ? std::vector<std::string>() : terms;
}

Axis place(const std::string& term, char letter) {
  const auto found = term.find(letter);
  return found == std::string::npos ? Axis() : Axis(found);
}

}  // namespace

Symmetries symmetries(const ir::ops::Einsum& op, ir::Types in, ir::Types) {
  Symmetries made{.tiled = true};
  for (std::size_t i = 0; i < in.size(); ++i) made.homogeneous.push_back({.operands = {i}, .linear = true});
  const auto terms = terms_of(op.equation);
  if (terms.size() != in.size() + 1) return made;
  const std::string& y = terms.back();
  std::set<char> letters;
  for (const std::string& term : terms) letters.insert(term.begin(), term.end());
  for (const char letter : letters) {
    AxisSymmetry axis{.out = place(y, letter), .in = {}, .independent = place(y, letter).has_value()};
    for (std::size_t i = 0; i < in.size(); ++i) axis.in.push_back(place(terms[i], letter));
    made.axes.push_back(axis);
  }
  return made;
}

}  // namespace plumb::parity::relations

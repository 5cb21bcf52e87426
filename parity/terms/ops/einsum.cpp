#include "ir/ops/einsum.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "parity/terms/terms.hpp"

namespace plumb::parity::terms {
namespace {

/// The names of an operand's axes; those of an ellipsis are numbered from the last one on.
using Labels = std::vector<std::string>;

/// The comma-separated parts of an equation, without blanks.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == ',')
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  return parts;
}

Labels labels_of(const std::string& term, std::size_t rank) {
  const auto letters = static_cast<std::size_t>(std::ranges::count_if(term, [](char c) { return c != '.'; }));
  Labels labels;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (term[i] != '.') {
      labels.emplace_back(1, term[i]);
      continue;
    }
    for (std::size_t left = rank - letters; left > 0; --left) labels.push_back("..." + std::to_string(left));
    i += 2;
  }
  return labels;
}

/// The result of an equation without an arrow: the ellipsis, then the letters that occur once, in ASCII order.
Labels implied_result(std::span<const Labels> operands) {
  std::map<std::string, int> letters;
  Labels result;
  for (const Labels& labels : operands)
    for (const std::string& label : labels) {
      if (label.size() == 1)
        ++letters[label];
      else if (std::ranges::count(result, label) == 0)
        result.push_back(label);
    }
  std::ranges::sort(result, std::greater<>());
  for (const auto& [letter, count] : letters)
    if (count == 1) result.push_back(letter);
  return result;
}

struct Equation {
  std::vector<Labels> operands;
  Labels result;
};

Equation parse_equation(const std::string& text, std::span<const Operand> operands, const ir::Shape& y) {
  const std::size_t arrow = text.find("->");
  const std::vector<std::string> terms = split(std::string_view(text).substr(0, arrow));
  Equation equation;
  for (std::size_t i = 0; i < terms.size(); ++i)
    equation.operands.push_back(labels_of(terms[i], operands[i].shape.size()));
  equation.result = arrow == std::string::npos ? implied_result(equation.operands)
                                               : labels_of(split(text.substr(arrow + 2)).front(), y.size());
  return equation;
}

}  // namespace

/// One sum: of one operand, or of two whose summed letters both have. What else an equation asks for is several sums,
/// one after the other, which no walker walks.
std::optional<Walker> walker(const ir::ops::Einsum& op, std::span<const Operand> operands, const ir::Shape& y) {
  if (operands.empty() || operands.size() > 2) return std::nullopt;
  const Equation equation = parse_equation(op.equation, operands, y);
  std::map<std::string, std::int64_t> extents;
  Labels summed;
  for (std::size_t i = 0; i < operands.size(); ++i)
    for (std::size_t axis = 0; axis < equation.operands[i].size(); ++axis) {
      const std::string& label = equation.operands[i][axis];
      extents[label] = std::max(extents[label], operands[i].shape[axis]);
      if (std::ranges::count(equation.result, label) + std::ranges::count(summed, label) == 0) summed.push_back(label);
    }
  for (const std::string& label : summed)
    for (const Labels& labels : equation.operands)
      if (std::ranges::count(labels, label) == 0) return std::nullopt;
  std::vector<std::int64_t> counts;
  for (const std::string& label : summed) counts.push_back(extents[label]);
  if (std::ranges::count(counts, 0) > 0) return [](std::int64_t, ElementSum&) {};
  const std::vector<Operand> of(operands.begin(), operands.end());
  return [=](std::int64_t index, ElementSum& sum) {
    std::map<std::string, std::int64_t> at;
    const std::vector<std::int64_t> position = position_of(index, y);
    for (std::size_t axis = 0; axis < y.size(); ++axis) at[equation.result[axis]] = position[axis];
    std::vector<std::int64_t> kappa(summed.size(), 0);
    do {
      for (std::size_t i = 0; i < summed.size(); ++i) at[summed[i]] = kappa[i];
      double factors[2] = {1, 1};
      for (std::size_t i = 0; i < of.size(); ++i) {
        std::vector<std::int64_t> in;
        for (std::size_t axis = 0; axis < of[i].shape.size(); ++axis)
          in.push_back(of[i].shape[axis] == 1 ? 0 : at[equation.operands[i][axis]]);
        factors[i] = of[i].values[static_cast<std::size_t>(index_of(in, of[i].shape))];
      }
      sum.add(factors[0], factors[1]);
    } while (step(kappa, counts));
  };
}

}  // namespace plumb::parity::terms

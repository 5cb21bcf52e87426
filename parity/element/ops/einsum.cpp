// The sum over all labels that the result has not of the products of all operands.
#include "ir/ops/einsum.hpp"

#include <map>
#include <string>

#include "parity/element/call.hpp"

namespace plumb::parity::element {
namespace {

/// The axes of an operand: letters, and for those of an ellipsis their numbers from the last one on, negative.
using Axes = std::vector<int>;

Axes axes_of(const std::string& term, std::size_t rank) {
  std::size_t letters = 0;
  for (const char c : term) letters += c == '.' ? 0 : 1;
  Axes axes;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (term[i] != '.') {
      axes.push_back(term[i]);
      continue;
    }
    for (std::size_t left = rank - letters; left > 0; --left) axes.push_back(-static_cast<int>(left));
    i += 2;
  }
  return axes;
}

/// The parts of an equation between commas, up to the arrow, without spaces.
std::vector<std::string> terms_of(const std::string& equation) {
  std::vector<std::string> terms(1);
  for (const char c : equation.substr(0, equation.find("->")))
    if (c == ',')
      terms.emplace_back();
    else if (c != ' ')
      terms.back() += c;
  return terms;
}

Axes result_of(const std::string& equation, const std::vector<Axes>& operands, std::size_t rank) {
  if (const std::size_t arrow = equation.find("->"); arrow != std::string::npos) {
    std::string term;
    for (const char c : equation.substr(arrow + 2))
      if (c != ' ') term += c;
    return axes_of(term, rank);
  }
  std::map<int, int> counts;  // in the order of the result: the ellipsis, then letters as ASCII has them
  for (const Axes& axes : operands)
    for (const int axis : axes) ++counts[axis];
  Axes result;
  for (const auto& [axis, count] : counts)
    if (axis < 0 || count == 1) result.push_back(axis);
  return result;
}

}  // namespace

Number element(const ir::ops::Einsum& op, const Call& call) {
  const std::vector<std::string> terms = terms_of(op.equation);
  std::vector<Axes> operands;
  std::map<int, std::int64_t> extents, at;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    operands.push_back(axes_of(terms[i], call.in(i).size()));
    for (std::size_t k = 0; k < operands[i].size(); ++k) {
      std::int64_t& extent = extents.emplace(operands[i][k], 1).first->second;
      if (call.in(i)[k] != 1) extent = call.in(i)[k];
    }
  }
  const Axes result = result_of(op.equation, operands, call.at().size());
  for (std::size_t k = 0; k < result.size(); ++k) at[result[k]] = call.at(k);
  std::vector<int> summed;
  std::vector<std::int64_t> counts;
  for (const auto& [axis, extent] : extents)
    if (!at.contains(axis)) {
      summed.push_back(axis);
      counts.push_back(extent);
    }
  Sum sum;
  std::uint64_t bits = 0;
  const bool is_whole = ir::is_integer(call.dtype_out());
  for_each(counts, [&](const Position& places) {
    for (std::size_t k = 0; k < places.size(); ++k) at[summed[k]] = places[k];
    Real product = 1.0L;
    std::uint64_t of_bits = 1;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      Position in;
      for (std::size_t k = 0; k < operands[i].size(); ++k) in.push_back(call.in(i)[k] == 1 ? 0 : at[operands[i][k]]);
      const Number x = call.number(i, in);
      if (is_whole)
        of_bits *= static_cast<std::uint64_t>(whole(x));
      else
        product = product * x.re;
    }
    // Infinities give NaN or not by the order in which sums and products are taken.
    if (!std::isfinite(product.value) && operands.size() > 1 && !summed.empty()) throw NoAnswer{};
    // Sums within sums pass as many additions again.
    product.off *= 2;
    sum.add(product);
    bits += of_bits;
  });
  return is_whole ? wrap(call.dtype_out(), bits) : Number(sum.total());
}

}  // namespace plumb::parity::element

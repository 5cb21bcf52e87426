// The terms of an einsum, sums in sums where the contract has them. Written by hand: the element program flattens them,
// and products are settled by the million.
#include "ir/ops/einsum.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {
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

/// Evaluates single elements as the contract has it: the letters that one operand has alone are summed first, then
/// operands are multiplied pairwise from the left, and each letter is summed as soon as nobody needs it any more.
class Steps {
 public:
  Steps(Equation equation, std::span<const Operand> operands)
      : equation_(std::move(equation)), operands_(operands.begin(), operands.end()) {
    for (const Labels& labels : equation_.operands)
      for (const std::string& label : labels)
        if (std::ranges::count(labels_, label) == 0) labels_.push_back(label);
    extents_.resize(labels_.size(), 0);
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      strides_.emplace_back(labels_.size(), 0);
      std::int64_t stride = 1;
      for (std::size_t axis = operands_[i].shape.size(); axis-- > 0;) {
        const std::size_t number = number_of(equation_.operands[i][axis]);
        const std::int64_t extent = operands_[i].shape[axis];
        extents_[number] = std::max(extents_[number], extent);
        if (extent != 1) strides_[i][number] += stride;  // twice the same label is the diagonal
        stride *= extent;
      }
    }
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      own_.push_back(ending(i, i));
      ended_.push_back(i == 0 ? Numbers() : ending(0, i));
    }
  }

  /// How many products an element is made of.
  double products() const {
    double count = 1;
    for (const auto& lists : {own_, ended_})
      for (const Numbers& labels : lists)
        for (const std::size_t label : labels) count *= static_cast<double>(extents_[label]);
    return count;
  }

  void element(std::span<const std::int64_t> position, ElementSum& sum) const {
    Places at(labels_.size(), 0);
    for (std::size_t axis = 0; axis < position.size(); ++axis) at[number_of(equation_.result[axis])] = position[axis];
    sum = operands_.size() == 1 ? operand(0, at) : product(operands_.size() - 1, at);
  }

 private:
  using Numbers = std::vector<std::size_t>;  ///< labels, by their numbers
  using Places = std::vector<std::int64_t>;  ///< where each label is

  std::size_t number_of(const std::string& label) const {
    return static_cast<std::size_t>(std::ranges::find(labels_, label) - labels_.begin());
  }
  bool has(std::size_t operand, const std::string& label) const {
    return std::ranges::count(equation_.operands[operand], label) > 0;
  }
  /// The summed labels of operands `first` to `last` that no other has; of several, those that more than one has.
  Numbers ending(std::size_t first, std::size_t last) const {
    Numbers numbers;
    for (const std::string& label : labels_) {
      if (std::ranges::count(equation_.result, label) > 0) continue;
      std::size_t inside = 0, outside = 0;
      for (std::size_t i = 0; i < operands_.size(); ++i)
        (i >= first && i <= last ? inside : outside) += has(i, label) ? 1 : 0;
      const bool ends_here = first == last || (has(last, label) && inside > 1);
      if (inside > 0 && outside == 0 && ends_here) numbers.push_back(number_of(label));
    }
    return numbers;
  }
  /// Calls `add` for every place of the labels.
  template <class Add>
  void for_each(const Numbers& labels, Places& at, const Add& add) const {
    std::vector<std::int64_t> counts, kappa(labels.size(), 0);
    for (const std::size_t label : labels) counts.push_back(extents_[label]);
    if (std::ranges::count(counts, 0) > 0) return;
    do {
      for (std::size_t i = 0; i < labels.size(); ++i) at[labels[i]] = kappa[i];
      add();
    } while (step(kappa, counts));
  }
  double value(std::size_t i, const Places& at) const {
    std::int64_t place = 0;
    for (std::size_t label = 0; label < at.size(); ++label) place += at[label] * strides_[i][label];
    return operands_[i].values[static_cast<std::size_t>(place)];
  }
  /// An operand, the letters that it has alone summed.
  ElementSum operand(std::size_t i, Places& at) const {
    ElementSum sum;
    for_each(own_[i], at, [&] { sum.add(value(i, at)); });
    return sum;
  }
  /// The product of operands 0 to `last`.
  ElementSum product(std::size_t last, Places& at) const {
    ElementSum sum;
    for_each(ended_[last], at, [&] {
      if (last == 1 && own_[0].empty() && own_[1].empty()) return sum.add(value(0, at), value(1, at));
      ElementSum before = last > 1 ? product(last - 1, at) : operand(0, at), other = operand(last, at);
      const double a = total(before), b = total(other);
      sum.add(a, b);
      if (last > 1 || !own_[0].empty()) {
        sum.inner.push_back(std::move(before));
        sum.inner_factors.push_back(b);
      }
      if (!own_[last].empty()) {
        sum.inner.push_back(std::move(other));
        sum.inner_factors.push_back(a);
      }
    });
    sum.is_rounded = !sum.inner.empty();
    return sum;
  }
  static double total(const ElementSum& sum) {
    double all = 0;
    for (const Product& term : sum.terms) all += term.value();
    return all;
  }

  Equation equation_;
  std::vector<Operand> operands_;
  Labels labels_;
  std::vector<std::int64_t> extents_;               ///< how far each label goes
  std::vector<std::vector<std::int64_t>> strides_;  ///< how far apart elements of each operand are, by label
  std::vector<Numbers> own_;                        ///< by operand: summed labels that it has alone
  std::vector<Numbers> ended_;                      ///< by operand: labels summed in the product with it
};

}  // namespace

/// Several sums, one in the other, where an equation asks for them.
std::optional<Walker> walker(const ir::ops::Einsum& op, std::span<const Operand> operands, const ir::Shape& y) {
  constexpr double most_products = 0x1p22;
  if (operands.empty()) return std::nullopt;
  const auto steps = std::make_shared<const Steps>(parse_equation(op.equation, operands, y), operands);
  if (steps->products() > most_products) return std::nullopt;
  return [=](std::int64_t index, ElementSum& sum) { steps->element(position_of(index, y), sum); };
}

}  // namespace plumb::parity::element::terms

// Parses einsum equations, and plans them as pairwise products from left to right that sum labels early.
#include "ir/kernels/einsum.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "ir/raw/utf8.hpp"

namespace plumb::ir::kernels {
namespace {

constexpr Label ellipsis = -1;  ///< in a term, for all of its axes

bool is_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }

struct Equation {
  std::vector<Labels> terms;
  std::optional<Labels> result;
};

Labels parse_term(std::string_view text) {
  Labels term;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 3) == "...") {
      if (contains(term, ellipsis)) throw EinsumFault{1, cat("'", kernels::shown(text), "' has two")};
      term.push_back(ellipsis);
      i += 2;
    } else {
      if (!is_letter(text[i]))
        throw EinsumFault{1, cat("'", kernels::shown(text.substr(i, 1)), "' in '", kernels::shown(text), "'")};
      term.push_back(text[i]);
    }
  }
  return term;
}

Equation parse(std::string_view text) {
  std::string dense;
  std::ranges::copy_if(text, std::back_inserter(dense), [](char c) { return c != ' '; });
  Equation equation;
  const auto arrow = dense.find("->");
  const std::string left = dense.substr(0, arrow);
  for (std::size_t begin = 0; begin <= left.size();) {
    const auto end = std::min(left.find(',', begin), left.size());
    equation.terms.push_back(parse_term(std::string_view(left).substr(begin, end - begin)));
    begin = end + 1;
  }
  if (arrow != std::string::npos) equation.result = parse_term(std::string_view(dense).substr(arrow + 2));
  return equation;
}

/// The label of the k-th axis from the last that an ellipsis stands for; greater than all letters.
Label ellipsis_axis(std::size_t from_last) { return 256 + static_cast<Label>(from_last); }

/// The term with its ellipsis as labels of `axes` axes.
Labels spelled_out(const Labels& term, std::size_t axes) {
  Labels labels;
  for (const Label label : term) {
    if (label != ellipsis) labels.push_back(label);
    for (std::size_t k = label == ellipsis ? axes : 0; k-- > 0;) labels.push_back(ellipsis_axis(k));
  }
  return labels;
}

std::string shown(Label label) { return label < 256 ? std::string(1, static_cast<char>(label)) : "..."; }

class Planner {
 public:
  Planner(const Equation& equation, const std::vector<Shape>& operands) {
    if (equation.terms.size() != operands.size())
      throw EinsumFault{2, cat("the equation has ", equation.terms.size(), ", there are ", operands.size(), " inputs")};
    for (std::size_t i = 0; i < operands.size(); ++i) add_operand(i, equation.terms[i], operands[i]);
    result_ = equation.result ? explicit_result(*equation.result) : implied_result();
    for (const Label label : result_) {
      plan_.shape.push_back(extents_.at(label));
      if (extents_.at(label) != 1) wanted_.push_back(label);
    }
  }

  std::vector<Labels> axes() const {
    std::vector<Labels> all = axes_;
    all.push_back(result_);
    return all;
  }

  EinsumPlan make() {
    if (terms_.size() == 1) {
      add_step({terms_[0]}, wanted_);
      return std::move(plan_);
    }
    for (std::size_t i = 0; i < terms_.size(); ++i) sum_own_labels(i);
    EinsumTerm left = terms_[0];
    for (std::size_t i = 1; i < terms_.size(); ++i)
      left = add_step({left, terms_[i]}, i + 1 == terms_.size() ? wanted_ : kept(left.view, i));
    return std::move(plan_);
  }

 private:
  void add_operand(std::size_t index, const Labels& term, const Shape& shape) {
    const bool stretches = contains(term, ellipsis);
    const std::size_t letters = term.size() - (stretches ? 1 : 0);
    if (stretches ? letters > shape.size() : letters != shape.size())
      throw EinsumFault{2, cat("term ", index + 1, " has ", letters, " letters, its input is ", shape)};
    const Labels labels = spelled_out(term, shape.size() - letters);
    const auto strides = shape.strides();
    EinsumTerm made{index, {}};
    for (std::size_t k = 0; k < labels.size(); ++k) {
      const auto [known, is_new] = extents_.emplace(labels[k], shape[k]);
      const bool broadcasts = labels[k] >= 256 && (known->second == 1 || shape[k] == 1);
      if (known->second != shape[k] && !broadcasts)
        throw EinsumFault{3, cat("'", shown(labels[k]), "' is ", known->second, " and ", shape[k])};
      if (shape[k] != 1) known->second = shape[k];
      made.view.add(labels[k], shape[k], strides[k]);
      ++uses_[labels[k]];
    }
    if (stretches) ellipsis_axes_ = std::max(ellipsis_axes_, labels.size() - letters);
    operands_ = index + 1;
    terms_.push_back(std::move(made));
    axes_.push_back(labels);
  }

  Labels explicit_result(const Labels& given) const {
    if (ellipsis_axes_ > 0 && !contains(given, ellipsis)) throw EinsumFault{4, "the result leaves out the ellipsis"};
    const Labels labels = spelled_out(given, ellipsis_axes_);
    std::set<Label> seen;
    for (const Label label : labels) {
      if (!extents_.contains(label)) throw EinsumFault{4, cat("no input has '", shown(label), "'")};
      if (!seen.insert(label).second) throw EinsumFault{4, cat("the result has '", shown(label), "' twice")};
    }
    return labels;
  }

  /// The ellipsis, then the letters that occur once, in ASCII order.
  Labels implied_result() const {
    Labels labels = spelled_out({ellipsis}, ellipsis_axes_);
    for (const auto& [label, uses] : uses_)
      if (label < 256 && uses == 1) labels.push_back(label);
    return labels;
  }

  bool is_needed_from(std::size_t term, Label label) const {
    return contains(wanted_, label) || std::any_of(terms_.begin() + static_cast<std::ptrdiff_t>(term), terms_.end(),
                                                   [label](const EinsumTerm& t) { return t.view.has(label); });
  }

  void sum_own_labels(std::size_t i) {
    Labels rest;
    for (const Label label : terms_[i].view.labels) {
      const auto holders = std::ranges::count_if(terms_, [&](const EinsumTerm& t) { return t.view.has(label); });
      if (holders > 1 || contains(wanted_, label)) rest.push_back(label);
    }
    if (rest.size() < terms_[i].view.labels.size()) terms_[i] = add_step({terms_[i]}, rest);
  }

  /// Labels that the product of `left` and term i must keep, in the order of a matrix product.
  Labels kept(const Labelled& left, std::size_t i) const {
    const Labelled& right = terms_[i].view;
    Labels batch, rows, columns;
    for (const Label label : left.labels)
      if (is_needed_from(i + 1, label)) (right.has(label) ? batch : rows).push_back(label);
    for (const Label label : right.labels)
      if (!left.has(label) && is_needed_from(i + 1, label)) columns.push_back(label);
    batch.insert(batch.end(), rows.begin(), rows.end());
    batch.insert(batch.end(), columns.begin(), columns.end());
    return batch;
  }

  EinsumTerm add_step(std::vector<EinsumTerm> terms, const Labels& result) {
    EinsumStep step{std::move(terms), result};
    if (result.size() > static_cast<std::size_t>(max_rank))
      throw EinsumFault{5, cat("a product of two has rank ", result.size())};
    std::map<Label, std::int64_t> all;
    for (const EinsumTerm& term : step.terms)
      for (std::size_t k = 0; k < term.view.labels.size(); ++k) all.emplace(term.view.labels[k], term.view.extents[k]);
    double work = static_cast<double>(step.terms.size()), summed = 1;
    for (const auto& [label, extent] : all) {
      work *= static_cast<double>(extent);
      if (!contains(result, label)) summed *= static_cast<double>(extent);
    }
    plan_.flops += work;
    plan_.longest_sum = std::max(plan_.longest_sum, static_cast<std::int64_t>(std::min(summed, 0x1p62)));
    step.shape().elements();  // throws where it is beyond 63 bits
    EinsumTerm made{operands_ + plan_.steps.size(), dense(result, step.shape())};
    plan_.steps.push_back(std::move(step));
    return made;
  }

  std::size_t operands_ = 0, ellipsis_axes_ = 0;
  std::vector<EinsumTerm> terms_;
  std::vector<Labels> axes_;  ///< by operand, with diagonals and axes of extent 1
  std::map<Label, std::int64_t> extents_;
  std::map<Label, int> uses_;
  Labels result_, wanted_;  ///< with axes of extent 1, and without
  EinsumPlan plan_;
};

}  // namespace

Shape EinsumStep::shape() const {
  Shape shape;
  for (const Label label : result) {
    const auto holder = std::ranges::find_if(terms, [&](const EinsumTerm& t) { return t.view.has(label); });
    require(holder != terms.end(), "a step of the equation gives '", shown(label), "', which none of its terms has");
    shape.push_back(holder->view.extent(label));
  }
  return shape;
}

std::string shown(std::string_view equation) {
  constexpr std::size_t most = 120;  // bytes
  return raw::shown(equation, most);
}

std::vector<Labels> axes_of_einsum(std::string_view equation, const std::vector<Shape>& operands) {
  return Planner(parse(equation), operands).axes();
}

EinsumPlan plan_einsum(std::string_view equation, const std::vector<Shape>& operands) {
  return Planner(parse(equation), operands).make();
}

}  // namespace plumb::ir::kernels

// Finds the rule by which an op's arithmetic is exact: moves, selections and integers need none, sums of products and
// ops that always round say so by their loops.
#include "parity/checks/exact/rule.hpp"

#include <algorithm>

#include "ir/loops.hpp"
#include "parity/checks/exact/make_rule.hpp"
#include "parity/checks/exact/op_table.hpp"

namespace plumb::parity::checks::exact {
namespace {

using RuleOf = Rule (*)(const ir::Op&, ir::Types in, ir::Types out);

const ir::OpTable<RuleOf>& rule_table() {
  static const auto all = Ops::table<RuleOf>([]<class T>() -> RuleOf {
    return [](const ir::Op& op, ir::Types in, ir::Types out) { return rule(op.as<T>(), in, out); };
  });
  return all;
}

bool any_complex(ir::Types types) {
  return std::ranges::any_of(types, [](const ir::TensorType& type) { return ir::is_complex(type.dtype); });
}
bool any_float(ir::Types types) {
  return std::ranges::any_of(types, [](const ir::TensorType& type) { return ir::is_float(type.dtype); });
}

/// Whether the op is linear in its first operand, or in its first two, and adds the others if they are no indices.
bool is_sum_of_products(const ir::Loops& loops, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const ir::OperandUse use = loops.operand(i);
    const bool is_linear = use.degree == ir::Degree::linear && i < 2;
    if (!is_linear && use.role != ir::Role::addend && use.role != ir::Role::index) return false;
  }
  return loops.operand(0).degree == ir::Degree::linear;
}

/// Each element is the sum of products of the factors, and of what is added.
Rule sum_of_products(const ir::Op& op, const ir::Loops& loops, ir::Types in, ir::Types out) {
  Term product{.operands = {}, .count = terms_of(op, in, out)};
  std::vector<Term> addends;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const ir::OperandUse use = loops.operand(i);
    if (use.degree == ir::Degree::linear) product.operands.push_back(i);
    if (use.role == ir::Role::addend) addends.push_back({.operands = {i}});
  }
  std::vector<Term> terms = {product};
  terms.insert(terms.end(), addends.begin(), addends.end());
  return adds_up(op, terms);
}

}  // namespace

Rule rule_of(const ir::Op& op, ir::Types in, ir::Types out) {
  const ir::ErrorClass error_class = op.error_class();
  if (error_class == ir::ErrorClass::bits || error_class == ir::ErrorClass::exact) return {};
  const bool is_complex = any_complex(in) || any_complex(out);
  if (is_complex && error_class != ir::ErrorClass::norm) return rounds("complex products are not analysed");
  if (!is_complex && !any_float(in) && !any_float(out)) return {};
  const auto found = rule_table().find(&op.schema());
  if (found != rule_table().end()) return found->second(op, in, out);
  const ir::Loops loops = ir::loops_of(op, in, out);
  if (!loops.rounds.empty()) return rounds(std::string(loops.rounds));
  if (is_sum_of_products(loops, in.size())) return sum_of_products(op, loops, in, out);
  return rounds(ir::cat("no rule says that ", op.name(), " is exact"));
}

}  // namespace plumb::parity::checks::exact

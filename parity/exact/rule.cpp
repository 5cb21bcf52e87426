// Finds the rule by which an op's arithmetic is exact; moves, selections and integers need none.
#include "parity/exact/rule.hpp"

#include <algorithm>

#include "parity/exact/make_rule.hpp"
#include "parity/exact/op_table.hpp"

namespace plumb::parity::exact {
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

}  // namespace

Rule rule_of(const ir::Op& op, ir::Types in, ir::Types out) {
  const ir::ErrorClass error_class = op.error_class();
  if (error_class == ir::ErrorClass::bits || error_class == ir::ErrorClass::exact) return {};
  const bool is_complex = any_complex(in) || any_complex(out);
  if (is_complex && error_class != ir::ErrorClass::norm) return rounds("complex products are not analysed");
  if (!is_complex && !any_float(in) && !any_float(out)) return {};
  const auto found = rule_table().find(&op.schema());
  if (found != rule_table().end()) return found->second(op, in, out);
  return rounds(ir::cat("no rule says that ", op.name(), " is exact"));
}

}  // namespace plumb::parity::exact

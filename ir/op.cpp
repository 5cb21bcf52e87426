// Checks the operands' dtypes of any op by its schema before the op infers the types of its results.
#include "ir/op.hpp"

#include <algorithm>
#include <span>

#include "ir/raw/float_environment.hpp"

namespace plumb::ir {
namespace {

const Input& input_named(const OpSchema& schema, std::string_view name) {
  for (const Input& input : schema.inputs)
    if (input.name == name) return input;
  fail(schema.name, " has no input '", name, "'");
}

}  // namespace

TensorTypes infer(const Op& op, Types in) {
  const raw::FloatEnvironment own;  // some checks are of real attributes
  const OpSchema& schema = op.schema();
  const auto names = schema.operands(op, in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Input& input = input_named(schema, names[i]);
    require(input.dtypes.contains(in[i].dtype), input.name, " must be ", input.dtypes, ", got ", in[i].dtype);
    const bool is_another = input.repeated && input.like.empty() && i > 0 && names[i - 1] == names[i];
    const std::string_view partner = is_another ? names[i] : input.like;
    // The first that has this name: later ones were held to it.
    const auto before = std::span(names).first(i);
    const auto j = static_cast<std::size_t>(std::ranges::find(before, partner) - before.begin());
    require(j == i || in[j].dtype == in[i].dtype, input.name, " must be ", in[j].dtype, " like ", names[j], ", got ",
            in[i].dtype);
  }
  auto out = schema.infer(op, in);
  for (const TensorType& type : out) check_type(type);
  return out;
}

}  // namespace plumb::ir

// Units and floors of a question, and the judge of each op: the tables that CMake writes of parity/judges/ops and
// parity/judges/definitions/ops.
#include "parity/judges/question.hpp"

#include "ir/registered_op.hpp"
#include "parity/core/float_format.hpp"
#include "parity/judges/definitions/definition.hpp"
#include "parity/judges/limits.hpp"
#include "parity/judges/op_table.hpp"

namespace plumb::parity::judges {
namespace {

using MakeJudge = std::optional<Judge> (*)(const ir::Op&);

const ir::OpTable<MakeJudge>& table() {
  static const auto all = Ops::table<MakeJudge>(
      []<class T>() -> MakeJudge { return [](const ir::Op& op) { return judge_of(op.as<T>()); }; });
  return all;
}

bool has_error_model(const ir::Op& op) {
  for (const ir::OpSchema* const schema : bounds::modelled_ops())
    if (schema == &op.schema()) return true;
  return bounds::is_modelled_by_class(op.error_class());
}

}  // namespace

double Question::unit(std::size_t k) const {
  const ir::DType computed = core::compute_dtype(out_type(k).dtype);
  return ir::unit_roundoff(computed) * (computed == ir::DType::f64 ? 2 : 1);
}

double Question::floor(std::size_t k) const {
  const core::FloatFormat format = core::float_format(core::compute_dtype(out_type(k).dtype));
  return manner.flushes_subnormals ? format.smallest_normal() : format.ulp(0);
}

double Question::storage(std::size_t k, double y) const {
  const ir::DType dtype = out_type(k).dtype;
  if (ir::is_complex(dtype) || dtype == core::compute_dtype(dtype)) return 0;
  return core::float_format(dtype).ulp(y) / 2;
}

std::optional<Judge> find_judge(const ir::Op& op, const ExtraJudges* extra) {
  if (extra != nullptr)
    if (const auto found = extra->by_op.find(&op.schema()); found != extra->by_op.end()) return found->second(op);
  if (const ir::DeclaredOp* const own = ir::registered(op))
    return own->code.bounds ? std::optional(Judge(judge_by_bounds)) : std::nullopt;
  if (const auto found = table().find(&op.schema()); found != table().end()) return found->second(op);
  if (!has_error_model(op) && judges::definitions::has_definition(op)) return Judge(judge_by_definition);
  return std::nullopt;
}

std::vector<const ir::OpSchema*> ops_with_judges() { return Ops::schemas(); }

}  // namespace plumb::parity::judges

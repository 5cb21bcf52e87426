// Names TF32 and bf16 operands by what remains of an error without them, sums in f16 by the size of their roundings,
// and functions by how coarse they are.
#include "parity/verify/node/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "ir/cost.hpp"
#include "ir/loops.hpp"
#include "ir/passes/widen.hpp"
#include "parity/bounds/runs/functions.hpp"
#include "parity/checks/expected/explain.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::verify {
namespace {

/// A way in which units lose bits of the operands of f32 products.
struct FewerBits {
  int bits;
  bool rounds;  ///< to nearest; else they are cut off
  const char* called;
};
constexpr std::array fewer_bits = {FewerBits{11, true, "TF32 or f16"}, FewerBits{11, false, "TF32"},
                                   FewerBits{8, true, "bf16"}, FewerBits{8, false, "bf16"}};
constexpr double explains = 0.25;  ///< the share of the error that may be left

double kept_of(double x, const FewerBits& how) {
  if (how.rounds || x == 0 || !std::isfinite(x)) return core::with_bits(x, how.bits);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) >> (53 - how.bits) << (53 - how.bits));
}

/// The rms of the differences between two tensors of f64, where both are finite.
double distance(const ir::TensorView& a, const ir::TensorView& b) {
  const auto x = a.as<double>(), y = b.as<double>();
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::isfinite(x[i]) && std::isfinite(y[i])) {
      sum += (x[i] - y[i]) * (x[i] - y[i]);
      ++count;
    }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

/// The operands of the segment's node as such a unit takes them; those that are not f32, or that are added to its
/// products, stay as they are.
ir::Feeds taken_by(const settle::Subject& asked, const FewerBits& how) {
  const ir::Loops loops = ir::loops_of(asked.segment.graph, asked.segment.graph.nodes().front());
  const auto& read = asked.segment.graph.nodes().front().inputs;
  const auto is_multiplied = [&](std::size_t input) {
    for (std::size_t i = 0; i < read.size(); ++i) {
      const ir::Role role = loops.operand(i).role;
      if (read[i] == input && (i < 2 || role == ir::Role::factor || role == ir::Role::value)) return true;
    }
    return false;
  };
  ir::Feeds fed;
  for (std::size_t i = 0; i < asked.inputs.size(); ++i) {
    ir::Tensor wide = ir::passes::widen(asked.inputs[i]);
    if (asked.inputs[i].dtype() == ir::DType::f32 && is_multiplied(i))
      for (double& x : wide.as<double>()) x = kept_of(x, how);
    fed.emplace(asked.segment.graph.inputs()[i], std::move(wide));
  }
  return fed;
}

std::string of_operands(const settle::Subject& asked, std::size_t k, const ir::Tensor& truth,
                        const ir::TensorView& got) {
  const ir::Tensor came = ir::convert(got, ir::DType::f64);
  const double error = distance(truth, came);
  for (const FewerBits& how : fewer_bits) {
    const core::Evaluated by = core::evaluate_widened(asked.reference, asked.segment, taken_by(asked, how));
    if (distance(by.outputs.at(k), came) < explains * error)
      return fmt::format("operands keep {} of 24 bits ({})", how.bits, how.called);
  }
  return "";
}

/// The function that an op of many functions computes, or the op's own name.
std::string function_of(const ir::Op& op) {
  for (const auto& [name, value] : op.attributes())
    if (name == "function")
      if (const auto* const text = std::get_if<std::string>(&value)) return *text;
  return std::string(op.name());
}

/// "sigmoid is right to 1.4e-07, not to 4 ulp; to allow it: require = ..."
std::string of_function(const ir::Op& op, const cases::NodeResult& result) {
  constexpr double coarsest = 1e-5;  // beyond that nobody means it
  const double error = result.local.max_abs.value;
  if (!(error > 0) || error > coarsest || result.local.worst.empty()) return "";
  const double digit = std::pow(10.0, std::floor(std::log10(error)));
  const double allowed = std::ceil(error / digit) * digit;
  const compare::Worst& worst = result.local.worst.front();
  return fmt::format(
      "'{}' is right to {:.1e} and no closer: it gave {:.9g} where {:.9g} is right. A policy allows it by the rule "
      "`require = {{ any = [{{ bound = \"auto\" }}, {{ max_abs = {:.0e} }}] }}`",
      function_of(op), error, worst.got, worst.expected, allowed);
}

/// The cause of what failed of a group or a product, by runs of it in which functions, operands of products or their
/// sums are coarser.
std::string of_runs(const settle::Subject& asked, std::size_t k, const ir::TensorView& got, double lambda,
                    const bounds::runs::Evaluate& evaluate) {
  constexpr unsigned runs = 8;
  ir::Feeds fed;
  for (std::size_t i = 0; i < asked.inputs.size(); ++i)
    fed.emplace(asked.segment.graph.inputs()[i], ir::Tensor(asked.inputs[i]));
  const ir::Tensor given(got);
  const auto& held = checks::expected::precision_of(checks::expected::stored_precision(got.dtype()));
  const checks::expected::Asked question{asked.reference, asked.segment.graph, fed, {runs, lambda}, evaluate};
  try {
    const auto found = checks::expected::explain(question, held, {{asked.segment.outputs.at(k), &given}});
    // Beside functions that may be coarse, products of few bits are a guess.
    const bool is_told = found && (found->absolute > 0 || bounds::runs::approximated_functions(question.graph).empty());
    return is_told ? found->text.substr(0, found->text.find(" (--expected-precision")) : "";
  } catch (const ir::Unsupported&) {  // an op of it has no limits of elements
    return "";
  }
}

}  // namespace

std::string advice_on(const settle::Subject& asked, std::size_t k, const ir::Tensor& truth, const ir::TensorView& got,
                      const cases::NodeResult& result, const bounds::runs::Evaluate& evaluate) {
  const auto& nodes = asked.segment.graph.nodes();
  const bool is_f32 = got.dtype() == ir::DType::f32, is_half = got.dtype() == ir::DType::f16;
  if ((!is_f32 && !is_half) || truth.dtype() != ir::DType::f64) return "";
  const double lambda = asked.manner.arithmetic.deviations;
  if (nodes.size() > 1) return is_f32 ? of_runs(asked, k, got, lambda, evaluate) : "";
  const bool multiplies =
      ir::cost_of(asked.segment.graph, nodes.front()).contraction > 1 && nodes.front().inputs.size() >= 2;
  if (multiplies && asked.inputs.front().dtype() == got.dtype()) {
    const std::string lost = is_f32 ? of_operands(asked, k, truth, got) : "";
    return lost.empty() ? of_runs(asked, k, got, lambda, evaluate) : lost;
  }
  const bool is_function = is_f32 && nodes.front().op.error_class() == ir::ErrorClass::ulp;
  return is_function ? of_function(nodes.front().op, result) : "";
}

}  // namespace plumb::parity::verify

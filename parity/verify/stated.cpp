#include "parity/verify/stated.hpp"

#include "parity/compare/tolerance.hpp"

namespace plumb::parity::verify {

Stated::Stated(const cases::Case& subject) : subject_(subject) {
  if (subject.dtype) return;
  for (const auto& [name, tensor] : subject.file->expected)
    if (const auto value = subject.file->graph.find(name)) values_.emplace(*value, &tensor);
}

std::string Stated::against(cases::NodeResult& result, ir::Value value, const ir::Tensor& truth,
                            const ir::Tensor& device) const {
  const auto stated = values_.find(value);
  if (stated == values_.end()) return "";
  const ir::Tensor& expected = *stated->second;
  if (subject_.expected_within) {
    const auto& [relative, absolute] = *subject_.expected_within;
    const compare::Allowed limit{.rule = compare::Allowed::Rule::within, .relative = relative, .absolute = absolute};
    result.expected = compare::compare(expected, device, limit);
    return result.expected->agrees() ? "" : "not what the file expects: " + compare::summary(*result.expected);
  }
  const compare::Allowed limit = compare::with_rounded_decimals(result.allowed, result.type.dtype);
  const auto of_truth = compare::compare(expected, ir::convert(truth, result.type.dtype), limit);
  result.expected = compare::compare(expected, device, limit);
  return of_truth.agrees() ? "" : "the truth is not what the file expects: " + compare::summary(of_truth);
}

std::string Stated::against_sources() const {
  const ir::Graph& graph = subject_.file->graph;
  for (const auto& [value, expected] : values_) {
    if (!graph.is_source(value)) continue;
    const auto comparison =
        compare::compare(*expected, ir::fed(graph, subject_.feeds, value), {.rule = compare::Allowed::Rule::exact});
    if (!comparison.agrees())
      return ir::cat("'", graph.name(value), "' is not what the file expects: ", compare::summary(comparison));
  }
  return "";
}

}  // namespace plumb::parity::verify

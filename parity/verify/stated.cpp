#include "parity/verify/stated.hpp"

#include <cmath>
#include <complex>

#include "ir/passes/widen.hpp"
#include "parity/bounds/bounded.hpp"
#include "parity/compare/tolerance.hpp"
#include "parity/verify/stated_value.hpp"

namespace plumb::parity::verify {
namespace {

/// The sizes of numbers that may be complex.
std::vector<double> sizes_of(const ir::Tensor& x) {
  std::vector<double> sizes;
  if (x.dtype() == ir::DType::f64)
    for (const double value : x.as<double>()) sizes.push_back(std::abs(value));
  else
    for (const std::complex<double> value : x.as<std::complex<double>>()) sizes.push_back(std::abs(value));
  return sizes;
}

}  // namespace

Stated::Stated(const cases::Case& subject, ir::Executor& reference) : subject_(subject), reference_(reference) {
  if (subject.dtype) return;
  for (const auto& [name, tensor] : subject.file->expected)
    if (const auto value = subject.file->graph.find(name)) values_.emplace(*value, &tensor);
}

/// The decimals that a source or a constant is written in, where they are other numbers than were read.
const ir::Tensor* Stated::written(ir::Value value) const {
  const auto& all = subject_.file->decimals.written;
  const auto found = all.find(subject_.file->graph.name(value));
  return found == all.end() ? nullptr : &found->second;
}

const ir::Tensor* Stated::last_digits(ir::Value value) const {
  const auto& all = subject_.file->decimals.last_digits;
  const auto found = all.find(subject_.file->graph.name(value));
  return found == all.end() ? nullptr : &found->second;
}

/// The truth of a value by the decimals as the file has them, attributes included.
ir::Tensor Stated::as_written(ir::Value value) const {
  const ir::Graph& graph = subject_.file->graph;
  const auto is_given = [&](ir::Value v) { return graph.is_source(v) || written(v) != nullptr; };
  const core::Segment segment = core::segment_of(graph, *graph.producer(value), is_given);
  const ir::Feeds fed = core::feeds_of(segment, [&](ir::Value v) {
    return written(v) != nullptr ? *written(v) : ir::passes::widen(ir::fed(graph, subject_.feeds, v));
  });
  const auto& outputs = graph.nodes()[*graph.producer(value)].outputs;
  const auto k = static_cast<std::size_t>(std::ranges::find(outputs, value) - outputs.begin());
  const ir::Value made = segment.outputs.at(k);
  const ir::Graph wide = ir::passes::widen(segment.graph, ir::passes::Reals::as_written);
  return reference_.run(wide, fed, {made}).at(made);
}

/// By how much the truth of a value may be off that is an evaluation in f64 itself; nothing is known of ops without a
/// model.
ir::Tensor Stated::doubt_of(ir::Value value) const {
  const ir::Graph& graph = subject_.file->graph;
  ir::Tensor doubt({ir::DType::f64, graph.type(value).shape});
  try {
    const std::size_t n = *graph.producer(value);
    const auto& outputs = graph.nodes()[n].outputs;
    const auto k = static_cast<std::size_t>(std::ranges::find(outputs, value) - outputs.begin());
    const core::Segment segment = core::segment_of(graph, n, [&](ir::Value v) { return graph.is_source(v); });
    const auto fed = [&](ir::Value v) { return ir::passes::widen(ir::fed(graph, subject_.feeds, v)); };
    const bounds::Bounded bounded = bounds::evaluate_bounded(reference_, segment, fed, {});
    const std::vector<double> sizes = sizes_of(bounded.truth.outputs.at(k));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double off = bounded.uncertainty.at(k).at(sizes[i], ir::DType::f64, i);
      doubt.as<double>()[i] = std::isfinite(off) ? off : 0;
    }
  } catch (const bounds::NoModel&) {
  }
  return doubt;
}

std::string Stated::refute_by_truth(ir::Value value, ir::DType dtype, const ir::Tensor& truth) const {
  const ir::Tensor& stated = *values_.at(value);
  StatedValue one{.stated = stated, .last_digits = last_digits(value), .dtype = dtype, .as_read = truth};
  if (why_it_does_not_stand(one).empty()) return "";
  const ir::Tensor as_written = this->as_written(value);
  one.as_written = &as_written;
  if (why_it_does_not_stand(one).empty() || !(ir::is_float(dtype) || ir::is_complex(dtype)))
    return why_it_does_not_stand(one);
  const ir::Tensor doubt = doubt_of(value);
  one.doubt = &doubt;
  return why_it_does_not_stand(one);
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
  result.expected = compare::compare(expected, device, result.allowed);
  const std::string wrong = refute_by_truth(value, result.type.dtype, truth);
  return wrong.empty() ? "" : "the truth is not what the file expects: " + wrong;
}

std::string Stated::refute_by_sources() const {
  const ir::Graph& graph = subject_.file->graph;
  for (const auto& [value, expected] : values_) {
    if (!graph.is_source(value)) continue;
    const ir::Tensor fed = ir::passes::widen(ir::fed(graph, subject_.feeds, value));
    const std::string wrong = why_it_does_not_stand({.stated = *expected,
                                                     .last_digits = last_digits(value),
                                                     .dtype = graph.type(value).dtype,
                                                     .as_read = fed,
                                                     .as_written = written(value)});
    if (!wrong.empty()) return ir::cat("'", graph.name(value), "' is not what the file expects: ", wrong);
  }
  return "";
}

}  // namespace plumb::parity::verify

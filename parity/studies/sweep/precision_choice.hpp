#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/executor.hpp"
#include "ir/passes/precision.hpp"

namespace plumb::parity::studies::sweep {

/// How nodes are chosen that multiply in f16.
enum class Choice {
  never,
  always,       ///< whatever can
  oscillation,  ///< by the weights alone, as others do: see refusal_by_oscillation
  bound,        ///< by what each node's rounding does to the graph's outputs, within a budget
};

constexpr auto enum_names(Choice) { return std::array<std::string_view, 4>{"never", "always", "oscillation", "bound"}; }

/// Σ |w[i+1] − w[i]| / (n − 1) over Σ |w[i]| / n, in f64, w flattened; NaN for less than two elements or all 0.
double oscillation(const ir::TensorView& weight);

/// A node that can multiply in f16, and what it does to the outputs when it alone does.
struct Candidate {
  std::size_t node = 0;  ///< its place in the graph
  std::string label = {}, op = {};
  double flops = 0;
  std::int64_t columns = 0;                ///< N: columns of a product, filters of a convolution
  std::optional<double> oscillation = {};  ///< the second operand's, where that is a param or a constant of floats
  std::vector<double> errors = {};         ///< by sample, then output: relative 2-norm error by rounding all operands
  std::optional<double> saved_ns = {};     ///< on the device, casts counted; below 0 where f16 is slower
};

/// Every node that can, without errors.
std::vector<Candidate> candidates_of(const ir::Graph& graph, const ir::Feeds& feeds, ir::passes::Precision precision);

/// Threshold of the heuristic, by its authors; no theory says where it lies.
inline constexpr double default_oscillation = 0.35;

/// Why the heuristic refuses a node, or "": its weight oscillates by `threshold` or more, it has more than 768
/// columns, or there is no weight to look at.
std::string refusal_by_oscillation(const Candidate& candidate, double threshold = default_oscillation);

/// The largest set found that keeps every output within `budget`: nodes in the order of what they cost for the time
/// that they save, or their flops where no time is known, as long as the sum fits. What saves nothing is not taken.
/// Independent roundings add as squares; `floors` are the errors, by output of each sample, that are there without any.
std::vector<std::size_t> candidates_within_budget(const std::vector<Candidate>& candidates,
                                                  const std::vector<double>& floors, double budget);

}  // namespace plumb::parity::studies::sweep

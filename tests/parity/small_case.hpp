#pragma once

#include "parity/verify/verify.hpp"
#include "tests/parity/suspect.hpp"

namespace plumb::testing {

/// scores = x w; weights = softmax(scores); turned, back, whole follow: a product, a norm, a
/// movement and integers.
inline constexpr auto small_graph = R"({"format": "plumb.graph/1", "why": "a little of everything",
  "inputs": {"x": {"type": "f32[7, 5]"}},
  "params": {"w": {"type": "f32[5, 11]"}},
  "nodes": [{"label": "scores", "op": "matmul", "inputs": ["x", "w"]},
            {"label": "weights", "op": "softmax", "inputs": ["scores"], "axis": -1},
            {"label": "turned", "op": "transpose", "inputs": ["weights"], "permutation": [1, 0]},
            {"label": "back", "op": "matmul", "inputs": ["turned", "x"]},
            {"label": "whole", "op": "cast", "inputs": ["back"], "to": "i32"}],
  "results": ["whole"]})";

/// A graph file's text, filled.
parity::cases::Case make_case(std::string_view text, std::uint64_t seed = 1);

parity::cases::CaseResult verify_on(Suspect& suspect, const parity::cases::Case& subject,
                                    const parity::verify::VerifyOptions& options = {});
parity::cases::CaseResult verify_on(Suspect& suspect, const parity::cases::Case& subject,
                                    const parity::verify::VerifyOptions& options, parity::cases::Observer& observer);

/// The result called "label" or "label:1"; throws where there is none.
const parity::cases::NodeResult& node(const parity::cases::CaseResult& result, std::string_view name);

/// The names of all results with a verdict, in the order of the graph.
std::vector<std::string> labels_with(const parity::cases::CaseResult& result, parity::core::Verdict verdict);

/// A suspect that spoils the output of one node.
Suspect spoiler(const std::string& label, std::function<void(ir::Tensor&)> spoil);

}  // namespace plumb::testing

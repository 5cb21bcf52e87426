#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "parity/compare/compare.hpp"
#include "parity/core/verdict.hpp"

namespace plumb::parity::cases {

/// A change of operands, and the change of the result that must follow from it (docs/metamorphic.md).
enum class Relation {
  permutation,      ///< independent positions in reverse order: the same, in that order
  batch_slice,      ///< the first half of independent positions: the first half of the result
  summation_order,  ///< summed terms in reverse order: the same
  scaling,          ///< operands times 4: the result times 4
  linearity,        ///< a sum of operands: the sum of results
  commutativity,    ///< the operands of a sum or a product exchanged: the same
  transposition,    ///< operands of a matrix product, transposed and exchanged: its transpose
  run_to_run,       ///< the graph again: the same
  tap,              ///< only the graph's results are kept: the same
  parseval,         ///< a transform: lines as long as their operand
  shift,            ///< the operand of a transform shifted: the result times a factor for each bin
  round_trip,       ///< a transform turned back: the operand
  pieces,           ///< two halves of all steps, the state handed on: the same as in one pass
  step_by_step,     ///< one step after the other, likewise
  residency,        ///< runs on buffers and contexts: the same
  bucket,    ///< the graph for larger extents, on the same numbers beside zeros: the same where both have results
  decoding,  ///< a decoder's prompt and steps: the last logits are those of all tokens in one run
};

constexpr auto enum_names(Relation) {
  return std::array<std::string_view, 17>{
      "permutation", "batch_slice", "summation_order", "scaling", "linearity",  "commutativity", "transposition",
      "run_to_run",  "tap",         "parseval",        "shift",   "round_trip", "pieces",        "step_by_step",
      "residency",   "bucket",      "decoding"};
}

/// One relation, asked of one node, or of one value of the whole graph.
struct RelationResult {
  std::size_t node = 0;
  std::string label = {};  ///< the node's label, or the value's name
  Relation relation = Relation::permutation;
  std::string how = {};                           ///< "axis 1"
  bool bitwise = true;                            ///< zeros by value; else within the limits of both sides
  std::uint64_t n = 0, n_bad = 0;                 ///< elements, and those that break it
  std::uint64_t n_differ = 0;                     ///< elements with other bits
  double ratio = compare::not_computed;           ///< the largest difference over its limit, where it is not bitwise
  core::Verdict verdict = core::Verdict::passed;  ///< failed, or mistrusted where limits are too wide to prove anything
  std::string why = {};                           ///< "" where it holds
};

}  // namespace plumb::parity::cases

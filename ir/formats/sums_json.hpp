#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/formats/json.hpp"
#include "ir/sums.hpp"

/// How kernels add, as JSON (verdict.md V19): `plumb verify --json`, `plumb plan` and the results file have it.
///
///   {"of": "product", "unit": {"kind": "matrix", "accumulator": "f32"},
///    "levels": [{"count": 16, "take": "run", "join": "unit", "compensated": false}],
///    "order": "contract", "kept": "unrounded", "epilogue": ["bias"], "rescale": 0}
namespace plumb::ir::formats {

/// One sum of the kernel of one node: a row of the results file, an object as above whose first member is "node".
struct SumOfNode {
  std::string node;  ///< its label
  Sum sum;
  bool operator==(const SumOfNode&) const = default;
};

Json json_of(const Sum& sum);

/// The sums as an array on one line.
std::string to_json(std::span<const Sum> sums);
std::string to_json(const SumOfNode& row);

/// Reads what to_json writes. Throws Error, saying what was wanted, for members that are missing or that nobody knows.
std::vector<Sum> parse_sums(std::string_view text);
SumOfNode parse_sum_of_node(std::string_view text);

/// Throws Error where a sum that strangers describe has more levels than 8, or items of more than 2^20 together, which
/// nobody could walk.
void require_modest(const Sum& sum);

}  // namespace plumb::ir::formats

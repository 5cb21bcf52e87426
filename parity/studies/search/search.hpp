// Searches for numbers that bring a graph as close to its limits as they can (verdict.md V56, docs/search.md).
#pragma once

#include <functional>
#include <iosfwd>

#include "ir/fill.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::studies::search {

/// The number that a search makes large.
enum class Objective {
  ratio,    ///< the error of an element over its first limit, before single elements are looked at
  certain,  ///< the error over the limit that only a defect exceeds
  total,    ///< the end-to-end error over its limit
  missed    ///< the limits of a node over the scale of its numbers: room for a fault to hide in
};

constexpr auto enum_names(Objective) { return std::array<std::string_view, 4>{"ratio", "certain", "total", "missed"}; }

struct Options {
  Objective objective = Objective::ratio;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> steps = {};  ///< each has eight children; else as many as the seconds allow
  double seconds = 60;                      ///< looked at where `steps` says nothing
};

/// The case whose sources are filled with a kind of adversarial numbers.
using Start = std::function<cases::Case(ir::AdversarialKind)>;

/// The numbers that were largest for an op, or that failed.
struct Record {
  std::string node = {}, op = {};
  double value = 0;
  bool is_failure = false;
  std::string from = {};  ///< the kind that it was made from
  std::uint64_t step = 0;
  cases::Case subject = {};
};

struct Outcome {
  std::uint64_t steps = 0, runs = 0;
  double first = 0, best = 0;        ///< the largest value of the fills, and of all
  std::vector<Record> records = {};  ///< the largest value above 0.5 of each op, and its worst failure
};

/// Climbs from the fills: of eight children of the best numbers the largest is the next, if it is larger; after steps
/// without any it goes on from the next fill. The same options find the same on the same device, as long as `steps`
/// ends it. What cannot be run counts as nothing found. Throws Error for a graph without inputs of floats, Unsupported
/// where no fill can be run.
Outcome search(const Start& start, const cases::Executors& executors, const Options& options);

/// The graph file of a record: the graph with its numbers, and what verifying it must come to.
std::string to_file(const Record& record, Objective objective);
/// "matmul-ratio-1f2e3d4c.json".
std::string file_name(const Record& record, Objective objective);

}  // namespace plumb::parity::studies::search

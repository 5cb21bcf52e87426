// One op on operands of given types as a case, verified like any other graph.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "parity/check/sketch.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::check {

/// An op and its attributes in the words of the command line: "axis" and "-1".
using Words = std::vector<std::pair<std::string, std::string>>;

/// How messages call an op and an attribute that were given.
struct WordNames {
  std::string_view op = "--op", attribute = "--attr";
};

/// The op called `name` with these attributes, each a JSON value as graph files have it; a name of a choice or a dtype
/// may stand without quotes. Throws Error, with the nearest name, for an op or attribute that does not exist, for
/// values of another kind, and with their kinds for attributes that must be given and are not.
ir::Op op_of(const std::string& name, const Words& attributes, const WordNames& called = {});

/// One check: an op on operands of these types, filled in one way.
struct Check {
  ir::Op op;
  Words attributes = {};  ///< as they were given
  ir::TensorTypes operands = {};
  core::FillKind fill = core::FillKind::graph;
  std::optional<ir::AdversarialKind> adversarial = {};
  std::uint64_t seed = 1;
};

/// "softmax f32[33, 257] axis=-1".
std::string name_of(const Check& check);

/// The command that makes the same check again, but for its candidate and whatever else `flags` say: `plumb check --op
/// softmax --attr axis=-1 --in 'f32[33,257]' --seed 1` and then these.
std::string repro_of(const Check& check, const std::string& flags);

/// The fill that suits a value which is operand `operand` of an op of this sketch; nothing where the usual one does.
std::optional<ir::Fill> fill_of(const ir::Graph& graph, ir::Value value, const Sketch& sketch, std::size_t operand);

/// A graph of this one node. Operands are fed what suits their role: indices are in range, variances and steps are
/// positive. Throws Error where the op refuses the types.
ir::formats::GraphFile graph_file_of(const Check& check);

/// Verifies a graph that no file has, as one of a file would be: what is thrown, by `make` as well, becomes its
/// verdict. The command `repro` makes it again.
cases::CaseResult run_made(const std::function<ir::formats::GraphFile()>& make, const std::string& name,
                           verify::FillOptions fill, const cases::Executors& executors,
                           const verify::VerifyOptions& options, const std::string& repro, cases::Observer& observer);

/// Verifies the check as a graph file would be: what is thrown becomes its verdict. `flags` end the repro line.
cases::CaseResult run(const Check& check, const cases::Executors& executors, const verify::VerifyOptions& options,
                      const std::string& flags, cases::Observer& observer);

}  // namespace plumb::parity::check

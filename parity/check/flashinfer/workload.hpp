#pragma once

// Workloads of definitions: extents of their axes, and where the numbers of their inputs come from.

#include <map>
#include <variant>

#include "ir/shape.hpp"
#include "parity/check/flashinfer/definition.hpp"

namespace plumb::parity::check::flashinfer {

/// Numbers that we draw.
struct RandomInput {};

/// A number that functions take as a number.
struct ScalarInput {
  std::variant<bool, std::int64_t, double> value;
};

/// A tensor of a file, whose name is relative to the root of the data set.
struct TensorInput {
  std::string file, key;
};

using InputSource = std::variant<RandomInput, ScalarInput, TensorInput>;

struct Workload {
  std::string uuid = {};
  std::map<std::string, std::int64_t, std::less<>> axes = {};   ///< extents of all axes of the definition
  std::map<std::string, InputSource, std::less<>> inputs = {};  ///< one for each input of the definition
  std::string text = {};                                        ///< it as a JSON object, for its traces

  std::int64_t extent(std::string_view axis) const { return axes.find(axis)->second; }
  /// The extents of a tensor of the definition; none of a scalar.
  ir::Shape extents(const TensorSpec& spec) const;
};

/// Reads workloads, one JSON object a line: the workload, or a trace that has one. Throws Error, with file, line and
/// field, where they do not fit the definition, or there is none.
std::vector<Workload> read_workloads(const std::filesystem::path& path, const Definition& definition);

/// A workload of these var axes, of which all inputs are random but for the scalars. Throws Error where an axis or a
/// scalar is missing.
Workload drawn_workload(const Definition& definition, std::string uuid,
                        const std::map<std::string, std::int64_t, std::less<>>& var_axes,
                        std::map<std::string, ScalarInput, std::less<>> scalars);

/// The folder that names of tensor files are relative to: the one that has the folder "workloads" in which the file is,
/// or else that of the file.
std::filesystem::path root_of(const std::filesystem::path& workloads);

}  // namespace plumb::parity::check::flashinfer

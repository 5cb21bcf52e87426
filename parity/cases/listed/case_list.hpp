#pragma once

// Lists of cases: which models are verified, and with which flags each.

#include <filesystem>
#include <string>
#include <vector>

namespace plumb::parity::cases {

/// One case of a list: a model, and the flags of `plumb verify` that hold for it.
struct ListedCase {
  std::string where = {};               ///< "models.toml:12"
  std::string model = {};               ///< a graph, a model, or a folder of them
  std::vector<std::string> flags = {};  ///< "--dtype=f16"
  std::vector<std::string> tags = {};
};

/// A list of cases in TOML, `schema = "plumb-cases/1"` (docs/cases.md):
///
///   [defaults]                        # of every case that does not say it itself
///   dtype = "f16"
///   [[case]]
///   model = "encoder.onnx"
///   shape = ["batch=1", "tokens=16"]
///   expected = "out.npz"
///
/// Paths become those from the folder of the list. Throws Error, naming file and line, for a key that there is not,
/// with the nearest that there is, a value of another kind, a case without a model, and a list without cases. What the
/// values of flags may be their parser says.
std::vector<ListedCase> read_case_list(const std::filesystem::path& file);

}  // namespace plumb::parity::cases

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::parity::cases {

/// One entry of a list of cases: models, and what is said of them in place of flags. What is not said is as the command
/// line has it.
struct ListedCase {
  std::string model;  ///< a graph, a model, or a folder of them
  std::vector<std::string> shapes = {}, inputs = {}, tags = {};
  std::optional<std::string> load_inputs = {}, data = {}, expected = {}, expected_precision = {}, dtype = {},
      precision = {}, fill = {}, filter = {};
  std::optional<std::uint64_t> seed = {}, seeds = {};
  int line = 0;  ///< in the list
};

/// A list of cases in TOML, `schema = "plumb-cases/1"`:
///
///   [defaults]                        # of every case that does not say it itself
///   dtype = "f16"
///   [[case]]
///   model = "encoder.onnx"
///   shape = ["batch=1", "tokens=16"]
///   load_inputs = "in.npz"
///   expected = "out.npz"
///
/// Paths are relative to the folder of the list. Throws Error, naming file and line, for a key that there is not, with
/// the nearest that there is, a value of another kind, a case without a model, and a list without cases.
std::vector<ListedCase> parse_case_list(std::string_view text, const std::filesystem::path& file);
std::vector<ListedCase> read_case_list(const std::filesystem::path& file);

}  // namespace plumb::parity::cases

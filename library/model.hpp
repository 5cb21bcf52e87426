#pragma once

// Reads graphs and models by the extensions of their files.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/formats/onnx/onnx_file.hpp"

namespace plumb::library {

inline constexpr std::string_view all_that_is_open = "*";  ///< the name that stands for every open extent

/// Options of a reader of ONNX models by texts "name=1,3,224,224" for inputs, "batch=8" for extents that the model
/// leaves open, and "*=1" for all that is open still. What only shapes the graph is folded by the CPU executor. Throws
/// Error, which calls each text by `flag`, where one says something else or contradicts another.
ir::formats::OnnxOptions onnx_options(const std::vector<std::string>& shapes, std::string_view flag);

struct ModelOptions {
  std::vector<std::string> shapes = {};  ///< as onnx_options takes them
  ir::Feeds given = {};  ///< numbers of inputs, which settle extents and branches that a model leaves open
};

/// A graph that was read, and the remarks of its reader.
struct Model {
  std::string path;
  std::shared_ptr<const ir::formats::GraphFile> file;
  std::vector<std::string> notes = {};
  std::vector<std::string> shapes = {};  ///< as they were given
  bool is_of_file = true;                ///< a command can read it again: it is a file's, and no numbers made it
};

/// Reads .onnx and .gguf as models, anything else as plumb.graph/1. Throws Error and Unsupported as the formats'
/// readers do.
Model read_model(const std::filesystem::path& path, const ModelOptions& options = {});

}  // namespace plumb::library

#pragma once

// --bucket: larger extents, at which a model runs besides its own.

#include "parity/cli/flags/model_files.hpp"

namespace CLI {
class App;
}

namespace plumb::parity::cli::flags {

void add_bucket_flag(CLI::App& app, ModelFlags& flags);

/// A reader of ONNX models at the extents of --bucket, as the other flags say but for these: shapes and numbers that an
/// input was given are padded along their axes, with zeros. Throws Error where --bucket says something else than the
/// extent of a symbol; the reader does where a model has no such symbol, where nothing says what it is without the
/// bucket, or where it is more than that, and as the reader of the format does.
std::function<verify::LargerModel(const std::filesystem::path&)> bucket_reader(const ModelFlags& flags);

}  // namespace plumb::parity::cli::flags

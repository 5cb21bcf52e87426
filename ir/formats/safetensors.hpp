// Tensors in .safetensors files, which are read without trust and never written.
#pragma once

#include "ir/formats/tensor_files.hpp"

namespace plumb::ir::formats {

/// The tensors of a .safetensors file, by their names; its "__metadata__" is passed over. A tensor of bool holds bytes
/// that are 0 or 1. Throws Error where the header is longer than the file or 64 MiB, is not the JSON that the format
/// wants, names a dtype that the IR has not (an f8 or a u64, say), gives offsets outside the file or another number of
/// bytes than dtype and shape want, or where tensors overlap.
std::unique_ptr<TensorFile> open_safetensors(const std::filesystem::path& path);

}  // namespace plumb::ir::formats

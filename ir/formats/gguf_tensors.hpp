// GGUF files as files of tensors.
#pragma once

#include "ir/formats/tensor_files.hpp"

namespace plumb::ir::formats {

/// Whether a file is called .gguf, or begins as such files do, whatever it is called.
bool is_gguf(const std::filesystem::path& path);

/// The tensors of a GGUF file by their names; those of blocks are their bytes, u8 [.., row bytes]. Larger ones are
/// views of the mapped file. Throws Error, with the byte, where the file is not as ops.md J has it.
std::unique_ptr<TensorFile> open_gguf_tensors(const std::filesystem::path& path);

}  // namespace plumb::ir::formats

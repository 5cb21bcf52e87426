#pragma once

// Files of a folder that this process shares with a candidate: written new, and read without trust.

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/tensor.hpp"

namespace plumb::parity::foreign {

/// A tensor that an answer names: what it says of it, and its file.
struct AnsweredTensor {
  std::string name;
  ir::TensorType type;
  std::string file;  ///< below the exchange's folder; .npy or .bin
};

/// Makes a file that is not there yet. Throws Error, with its name.
void write_new(int folder, const std::string& name, std::string_view text);
/// A tensor as .npy.
void write_new(int folder, const std::string& name, const ir::TensorView& tensor);

/// A hash of a regular file's bytes. Throws Error, without the name, where it is none or cannot be read.
std::uint64_t hash_of_file(int folder, const std::string& name);

/// The text of a regular file. Throws Error, without the name, where it is none or has more than `most_bytes`.
std::string read_text(int folder, const std::string& name, std::size_t most_bytes);

/// Whether there is something of that name.
bool exists(int folder, const std::string& name);

/// Throws Error, without the name, unless the file holds a tensor of the type that the answer says: to the byte, before
/// anything is allocated.
void check_tensor(int folder, const AnsweredTensor& tensor);
/// Reads a tensor; throws so, and for a bool that is neither 0 nor 1.
ir::Tensor read_tensor(int folder, const AnsweredTensor& tensor);

}  // namespace plumb::parity::foreign

#pragma once

#include <functional>
#include <string>

#include "ir/tensor.hpp"

namespace plumb::ir::formats {

/// The header before the elements of a .npy file (NumPy's NEP 1, versions 1 to 3).
struct NpyHeader {
  TensorType type;
  bool fortran_order = false;
  std::size_t bytes = 0;  ///< length of the header: the elements follow
};

/// Reads the first bytes of the file, again and again with more of them.
using ReadStart = std::function<void(std::span<std::byte>)>;

/// Throws Error when the header is not one, or has a dtype the IR has not. NumPy has no name for bf16: two bytes of no
/// type (V2) are read and written as it, as ml_dtypes has them.
NpyHeader parse_npy_header(const ReadStart& read_start);

/// The header of a tensor, in row-major order.
std::string npy_header(const TensorType& type);

/// The tensor whose elements stand in `elements` as the header says; a column-major one
/// is transposed. Throws Error for a bool that is neither 0 nor 1.
Tensor npy_tensor(const NpyHeader& header, Tensor elements);

}  // namespace plumb::ir::formats

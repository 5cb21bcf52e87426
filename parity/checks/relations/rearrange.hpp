#pragma once

#include <vector>

#include "ir/tensor.hpp"

/// Tensor operations that relations use.
namespace plumb::parity::checks::relations {

/// The tensor made of these positions of `axis`, in this order.
ir::Tensor taken(const ir::Tensor& x, std::size_t axis, const std::vector<std::int64_t>& positions);

/// The last two axes exchanged.
ir::Tensor transposed_last(const ir::Tensor& x);

/// Floats times 2^exponent.
ir::Tensor scaled(ir::Tensor x, int exponent);

/// Floats at even (0) or odd (1) places, and zeros between them.
ir::Tensor every_other(ir::Tensor x, std::size_t first);

/// Every other position of an axis, from `first` on, and zeros between them.
ir::Tensor every_other_along(ir::Tensor x, std::size_t axis, std::size_t first);

/// Tensors one behind the other along an axis; no other axis differs.
ir::Tensor joined(const std::vector<const ir::Tensor*>& parts, std::size_t axis);

/// Whether every float times 2^exponent is finite.
bool stays_finite(const ir::Tensor& x, int exponent);

/// The smallest size of a float that is not 0; 1 where none is smaller than that.
double least_size(const ir::Tensor& x);

/// 0 for each float of both that is subnormal in `y` times 2^exponent or smaller.
void clear_subnormals(ir::Tensor& y, ir::Tensor& other, int exponent);

/// Whether `other` is not finite, or 0, where the float `y` is a finite number: an intermediate result may have left
/// the range of its type.
bool lost_range(const ir::Tensor& y, const ir::Tensor& other);

/// 0 for each element of both that is marked, in f64, as one that is not judged.
void clear_marked(ir::Tensor& y, ir::Tensor& other, const ir::Tensor& marks);

}  // namespace plumb::parity::checks::relations

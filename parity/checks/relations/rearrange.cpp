// Tensor operations that relations use: take positions, transpose, scale by powers of two, keep every other element.
#include "parity/checks/relations/rearrange.hpp"

#include <algorithm>
#include <cmath>

#include "ir/convert.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::checks::relations {

ir::Tensor taken(const ir::Tensor& x, std::size_t axis, const std::vector<std::int64_t>& positions) {
  ir::Shape shape = x.shape();
  const std::size_t extent = static_cast<std::size_t>(shape[axis]);
  shape[axis] = static_cast<std::int64_t>(positions.size());
  ir::Tensor y({x.dtype(), shape});
  if (x.elements() == 0) return y;
  std::size_t inner = ir::info(x.dtype()).bytes;
  for (std::size_t a = axis + 1; a < shape.size(); ++a) inner *= static_cast<std::size_t>(shape[a]);
  auto to = y.bytes().begin();
  for (std::size_t outer = 0; outer + extent * inner <= x.bytes().size(); outer += extent * inner)
    for (const std::int64_t position : positions) {
      const auto from = x.bytes().subspan(outer + static_cast<std::size_t>(position) * inner, inner);
      to = std::ranges::copy(from, to).out;
    }
  return y;
}

ir::Tensor transposed_last(const ir::Tensor& x) {
  ir::Shape shape = x.shape();
  const auto columns = static_cast<std::size_t>(shape[shape.size() - 1]);
  const auto rows = static_cast<std::size_t>(shape[shape.size() - 2]);
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  ir::Tensor y({x.dtype(), shape});
  const std::size_t width = ir::info(x.dtype()).bytes, matrix = rows * columns * width;
  for (std::size_t first = 0; first + matrix <= x.bytes().size() && matrix > 0; first += matrix)
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        std::ranges::copy(x.bytes().subspan(first + (i * columns + j) * width, width),
                          y.bytes().begin() + static_cast<std::ptrdiff_t>(first + (j * rows + i) * width));
  return y;
}

ir::Tensor scaled(ir::Tensor x, int exponent) {
  ir::visit_float(x.dtype(), [&]<class T>(T) {
    for (T& value : x.as<T>()) value = ir::convert_value<T>(std::ldexp(ir::convert_value<double>(value), exponent));
  });
  return x;
}

ir::Tensor every_other(ir::Tensor x, std::size_t first) {
  ir::visit_float(x.dtype(), [&]<class T>(T) {
    const auto values = x.as<T>();
    for (std::size_t i = 1 - first; i < values.size(); i += 2) values[i] = T{};
  });
  return x;
}

ir::Tensor every_other_along(ir::Tensor x, std::size_t axis, std::size_t first) {
  const std::size_t width = ir::info(x.dtype()).bytes;
  std::size_t inner = 1;
  for (std::size_t a = axis + 1; a < x.shape().size(); ++a) inner *= static_cast<std::size_t>(x.shape()[a]);
  const auto extent = static_cast<std::size_t>(x.shape()[axis]);
  for (std::size_t i = 0; i * width < x.bytes().size(); ++i)
    if (i / inner % extent % 2 != first) std::ranges::fill(x.bytes().subspan(i * width, width), std::byte{0});
  return x;
}

ir::Tensor joined(const std::vector<const ir::Tensor*>& parts, std::size_t axis) {
  ir::Shape shape = parts.front()->shape();
  shape[axis] = 0;
  for (const ir::Tensor* const part : parts) shape[axis] += part->shape()[axis];
  ir::Tensor y({parts.front()->dtype(), shape});
  std::size_t outer = 1;
  for (std::size_t a = 0; a < axis; ++a) outer *= static_cast<std::size_t>(shape[a]);
  auto to = y.bytes().begin();
  for (std::size_t o = 0; o < outer; ++o)
    for (const ir::Tensor* const part : parts) {
      const std::size_t size = part->bytes().size() / std::max<std::size_t>(outer, 1);
      to = std::ranges::copy(part->bytes().subspan(o * size, size), to).out;
    }
  return y;
}

bool stays_finite(const ir::Tensor& x, int exponent) {
  const double limit = std::ldexp(1.0, core::float_format(x.dtype()).max_exponent - exponent);
  bool all = true;
  ir::visit_float(x.dtype(), [&]<class T>(T) {
    for (const T value : x.as<T>()) all &= std::abs(ir::convert_value<double>(value)) < limit;
  });
  return all;
}

double least_size(const ir::Tensor& x) {
  double least = 1;
  ir::visit_float(x.dtype(), [&]<class T>(T) {
    for (const T value : x.as<T>()) {
      const double size = std::abs(ir::convert_value<double>(value));
      if (size > 0 && size < least) least = size;
    }
  });
  return least;
}

void clear_subnormals(ir::Tensor& y, ir::Tensor& other, int exponent) {
  const double least = std::ldexp(core::float_format(y.dtype()).smallest_normal(), exponent);
  ir::visit_float(y.dtype(), [&]<class T>(T) {
    const auto a = y.as<T>(), b = other.as<T>();
    for (std::size_t i = 0; i < a.size(); ++i)
      if (std::abs(ir::convert_value<double>(a[i])) <= least && std::abs(ir::convert_value<double>(b[i])) <= least)
        a[i] = b[i] = ir::convert_value<T>(0.0);
  });
}

bool lost_range(const ir::Tensor& y, const ir::Tensor& other) {
  bool is_lost = false;
  ir::visit_float(y.dtype(), [&]<class T>(T) {
    const auto a = y.as<T>(), b = other.as<T>();
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto from = ir::convert_value<double>(a[i]), to = ir::convert_value<double>(b[i]);
      is_lost = is_lost || (std::isfinite(from) && from != 0 && (!std::isfinite(to) || to == 0));
    }
  });
  return is_lost;
}

void clear_marked(ir::Tensor& y, ir::Tensor& other, const ir::Tensor& marks) {
  ir::visit_float(y.dtype(), [&]<class T>(T) {
    const auto a = y.as<T>(), b = other.as<T>();
    const auto marked = marks.as<double>();
    for (std::size_t i = 0; i < a.size(); ++i)
      if (marked[i] != 0) a[i] = b[i] = ir::convert_value<T>(0.0);
  });
}

}  // namespace plumb::parity::checks::relations

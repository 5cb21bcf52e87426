#pragma once

#include <cmath>
#include <limits>

#include "ir/tensor.hpp"

namespace plumb::testing {

/// Values in which the orderings differ that look alike: many ties, both zeros, both ends of
/// the range and, of floats, infinities, subnormals and NaN of either sign.
inline ir::Tensor ordered_values(const ir::TensorType& type, std::uint64_t seed = 1) {
  ir::Tensor tensor(type);
  ir::visit_any(type.dtype, [&]<class T>(T) {
    std::uint64_t state = seed;
    for (T& x : tensor.as<T>()) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const auto draw = static_cast<int>(state >> 40 & 0xFFF);
      if constexpr (std::is_integral_v<T>) {
        using Limits = std::numeric_limits<T>;
        x = draw < 64 ? Limits::min() : draw < 128 ? Limits::max() : static_cast<T>(draw % 61);
      } else if constexpr (!requires { x.real(); }) {
        using C = ir::compute_t<T>;
        constexpr C infinity = std::numeric_limits<C>::infinity();
        constexpr C tiny = ir::dtype_of<T> == ir::DType::f16 ? C(0x1p-24) : std::numeric_limits<C>::min();
        const C special[] = {C(0), -C(0), infinity, -infinity, tiny, -tiny, C(60000), C(-60000)};
        x = static_cast<T>(draw < 512 ? special[draw % 8] : static_cast<C>(draw % 61 - 30));
        if (draw >= 4090) x = static_cast<T>(std::copysign(std::numeric_limits<C>::quiet_NaN(), C(draw % 2 - 0.5)));
      }
    }
  });
  return tensor;
}

}  // namespace plumb::testing

#pragma once

#include <optional>
#include <span>

#include "ir/op.hpp"
#include "ir/tensor.hpp"
#include "parity/profile/profile.hpp"

namespace plumb::parity::profile {

__extension__ typedef __int128 Wide;

/// Sums products as a device does, by the model of Products.
class ProductEmulator {
 public:
  /// Throws Error unless everything about the products is known.
  explicit ProductEmulator(const Products& products);

  /// The sum over k of a[k] b[k], rounded to f32 in the end. The numbers are those of the
  /// operands' dtype; what is not finite propagates as in IEEE 754.
  float dot(std::span<const float> a, std::span<const float> b) const;

 private:
  struct Term {
    double value = 0;
    int exponent = 0;  ///< by which it is aligned
  };
  struct Format {
    int bits, min_exponent, max_exponent;
  };

  /// A number significand 2^exponent in the accumulator's format.
  double rounded(Wide significand, int exponent) const;
  Term product(float a, float b) const;
  double add_block(std::span<const Term> terms, double sum) const;
  /// The sum of terms begin, begin + lanes, ... before `end`: one chunk of a lane.
  double sum(std::span<const float> a, std::span<const float> b, std::size_t begin, std::size_t end) const;
  float plain_sum(std::span<const float> a, std::span<const float> b, std::size_t begin, std::size_t end) const;
  float operand(float x) const;

  Products products_;
  Format accumulator_;
  int operand_min_exponent_, extra_bits_;
  std::size_t group_;  ///< in terms, of any number where there are none
  bool flushes_, cuts_operands_, is_plain_;
};

/// Whether the emulator replays an op: matmul and gemm.
bool is_product(const ir::Op& op);

/// What a device gives for a matmul or gemm of f16, bf16 or f32 on these inputs, into a result
/// of type `out`; nothing for another op or dtype.
std::optional<ir::Tensor> emulate(const ir::Op& op, std::span<const ir::TensorView> inputs, const ir::TensorType& out,
                                  const Products& products);

}  // namespace plumb::parity::profile

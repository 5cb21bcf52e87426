#pragma once

#include <cstdint>

#include "ref_cpu/kernel.hpp"

namespace plumb::ref_cpu {

/// A product of matrices and limits of its error: the attributes of parity's op, whose header has the formulas
/// (parity/bounds/bounded_matmul.hpp). That op is not of the IR, and nothing of ref_cpu includes parity.
struct BoundedProduct {
  bool transpose_a = false, transpose_b = false;  ///< a is [.., K, M], b is [.., N, K]
  double random = 0, certain = 0, stored = 0;
  double of_square = 0, of_spread = 0, of_terms = 0;  ///< factors of y², of (Σp² − y²/K)₊ and of Σp²
  double least = 0;  ///< smallest magnitude that |a| and |b| count with in S and Σ|a||b|; zeros are exempt
};

/// Writes y = a·b, probable and certain (outputs 0, 1 and 2), all of them f64.
void run(const BoundedProduct& product, Call& call);

}  // namespace plumb::ref_cpu

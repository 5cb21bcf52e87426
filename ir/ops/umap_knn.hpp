// Declares nearest neighbours by a matrix of distances.
#pragma once

#include "ir/op.hpp"

namespace plumb::ir::ops {

/// The k nearest neighbours of every point by a matrix of distances, itself never among them (ops.md 13). The matrix
/// need not be symmetric.
struct UmapKnn {
  std::int64_t k = 1;
  DType index_dtype = DType::i64;

  static constexpr auto name = "umap_knn";
  static constexpr auto summary = "k nearest neighbours from a distance matrix";
  static constexpr auto formula =
      "row i: the k smallest distances[i, j], j ≠ i, ascending, and their j; of equals the lower j first; NaN is never "
      "chosen, and slots left over have the distance +inf and the index -1";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"distances", dtypes::R, "[n, n]"}};
  static constexpr std::array outputs = {Output{"neighbour_distances", "as distances [n, k]"},
                                         Output{"neighbours", "`index_dtype` [n, k]"}};
  static constexpr std::array<std::string_view, 3> checks = {
      "distances must be square", "k must be at least 0 and below n, or 0 as n", "index_dtype must be i32 or i64"};
  static constexpr auto fields = std::tuple{
      Field{"k", &UmapKnn::k, "how many neighbours of every point", Presence::required},
      Field{"index_dtype", &UmapKnn::index_dtype, "dtype of neighbours"},
  };

  TensorTypes infer(Types in) const {
    const Shape& x = in[0].shape;
    check(*this, 1, x.rank() == 2 && x[0] == x[1], "distances are ", in[0]);
    check(*this, 2, 0 <= k && (k < x[0] || (k == 0 && x[0] == 0)), "k is ", k, ", distances are ", in[0]);
    check(*this, 3, dtypes::X.contains(index_dtype), "got ", index_dtype);
    const Shape y = {x[0], k};
    return {{in[0].dtype, y}, {index_dtype, y}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types in, Types) const { return {static_cast<double>(in[0].shape.elements()), 0}; }
  bool operator==(const UmapKnn&) const = default;
};

}  // namespace plumb::ir::ops

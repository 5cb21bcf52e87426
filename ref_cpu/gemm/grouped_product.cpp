// Sorts the rows of a product by the expert of each: counts them, sums the counts up, and places them in their order.
#include "ref_cpu/gemm/grouped_product.hpp"

namespace plumb::ref_cpu::gemm {

GroupedRows::GroupedRows(const ir::TensorView& expert, std::int64_t experts)
    : experts_(static_cast<std::size_t>(expert.elements())),
      places_(experts_.size()),
      begins_(static_cast<std::size_t>(experts) + 2) {
  ir::visit_index(expert.dtype(), [&]<class T>(T) {
    const auto given = expert.as<T>();
    for (std::size_t row = 0; row < experts_.size(); ++row) {
      ir::require(-1 <= given[row] && given[row] < experts, "expert[", row, "] is ", given[row], ", outside [-1, ",
                  experts, ")");
      experts_[row] = given[row] < 0 ? experts : given[row];
      ++begins_[static_cast<std::size_t>(experts_[row]) + 1];
    }
  });
  for (std::size_t e = 1; e < begins_.size(); ++e) begins_[e] += begins_[e - 1];
  ScratchVector<std::int64_t> next(begins_);
  for (std::size_t row = 0; row < experts_.size(); ++row)
    places_[row] = next[static_cast<std::size_t>(experts_[row])]++;
}

}  // namespace plumb::ref_cpu::gemm

// Nearest neighbours row by row: places that may be chosen, the first k of them in order.
#include "ir/ops/umap_knn.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

/// The places of a row that are chosen, at most k, the nearest first; `places` has room for all.
template <class C, class T>
void find_nearest(std::span<const T> row, std::size_t own, std::size_t k, ScratchVector<std::size_t>& places) {
  places.clear();
  for (std::size_t j = 0; j < row.size(); ++j)
    if (j != own && !std::isnan(static_cast<C>(row[j]))) places.push_back(j);
  const auto comes_first = [&](std::size_t a, std::size_t b) {
    const C x = static_cast<C>(row[a]), y = static_cast<C>(row[b]);
    return x != y ? x < y : a < b;
  };
  const auto cut = places.begin() + static_cast<std::ptrdiff_t>(std::min(k, places.size()));
  std::partial_sort(places.begin(), cut, places.end(), comes_first);
  places.erase(cut, places.end());
}

}  // namespace

void run(const ir::ops::UmapKnn& op, Call& call) {
  const std::int64_t n = call.in(0).shape()[0];
  const auto extent = static_cast<std::size_t>(n), k = static_cast<std::size_t>(op.k);
  ir::visit_index(op.index_dtype, [&]<class Index>(Index) {
    ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
      using C = ir::compute_t<T>;
      const auto x = call.in(0).as<T>();
      const auto distances = call.out(0).as<T>();
      const auto neighbours = call.out(1).as<Index>();
      parallel_for(n, std::max<std::int64_t>(1, 4096 / n), [&](std::int64_t begin, std::int64_t end) {
        ScratchVector<std::size_t> places;
        places.reserve(extent);
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          const auto row = x.subspan(i * extent, extent);
          find_nearest<C>(row, i, k, places);
          for (std::size_t s = 0; s < k; ++s) {
            const bool is_chosen = s < places.size();
            distances[i * k + s] = is_chosen ? row[places[s]] : T(std::numeric_limits<C>::infinity());
            neighbours[i * k + s] = is_chosen ? static_cast<Index>(places[s]) : Index{-1};
          }
        }
      });
    });
  });
}

}  // namespace plumb::ref_cpu

// Compares tensors piece by piece on several threads, in blocks of lanes where elements allow.
#include <algorithm>
#include <complex>
#include <numeric>

#include "parity/compare/elements/kernels.hpp"
#include "parity/compare/scan.hpp"
#include "parity/core/parallel.hpp"

namespace plumb::parity::compare::elements {
namespace {

template <class T>
double number(T x) {
  return static_cast<double>(x);
}

/// T is the dtype's own part; Y is T, or double for an unrounded truth.
template <class T, class Y>
Part part_of(Y y, T c, const Allowed& allowed) {
  if constexpr (std::is_integral_v<T>) {
    return {number(y), number(y), number(c), y == c, false};
  } else {
    const double truth = number(y), got = number(c);
    T r{};
    if constexpr (std::is_same_v<T, Y>)
      r = y;
    else
      r = T(truth);
    Part part{truth, number(r), got, false, false};
    const double rounded = part.r;
    part.same_bits = rounded == got && std::signbit(rounded) == std::signbit(got);
    if (allowed.rule == Allowed::Rule::rounded && !allowed.decides_ties && rounded != got)
      part.near_tie_neighbour = got == number(T(truth * (1 - 0x1p-45))) || got == number(T(truth * (1 + 0x1p-45)));
    return part;
  }
}

template <class T, class Y>
auto parts_of(Y y, T c, const Allowed& allowed) {
  if constexpr (ir::is_complex(ir::dtype_of<T>))
    return std::array{part_of(y.real(), c.real(), allowed), part_of(y.imag(), c.imag(), allowed)};
  else
    return std::array{part_of(y, c, allowed)};
}

template <std::size_t parts>
std::array<double, parts> truths_of(const std::array<Part, parts>& element) {
  std::array<double, parts> truths;
  for (std::size_t p = 0; p < parts; ++p) truths[p] = element[p].y;
  return truths;
}

/// Where a block begins, and the truth of element 0.
struct Place {
  std::uint64_t begin;
  double first;
};

/// False, and nothing done, where elements have to be looked at one by one.
template <class T, class Y>
bool add_block(Scan& scan, std::span<const Y> y, std::span<const T> c, const Place& place, const Allowed& allowed) {
  if constexpr (std::is_integral_v<T> || ir::is_complex(ir::dtype_of<T>)) {
    return false;
  } else {
    ScanBlock block;
    block.first = place.begin;
    block.count = y.size();
    block.first_of_all = place.first;
    const auto read = [](const auto& from, ScanBlock::Numbers& to) {
      for (std::size_t i = 0; i < from.size(); ++i) to[i] = number(from[i]);
      std::fill(to.begin() + static_cast<std::ptrdiff_t>(from.size()), to.end(), 0.0);
    };
    read(y, block.y);
    read(c, block.c);
    if (allowed.rule == Allowed::Rule::within) return scan.block(block);
    for (std::size_t i = 0; i < block.r.size(); ++i) block.r[i] = number(T(block.y[i]));
    return scan.block(block);
  }
}

/// In pieces, on several threads: sums are kept by piece and added in order, all else does not depend on an order.
template <class T, class Y>
Comparison scan(const ir::TensorView& expected, const ir::TensorView& got, const Allowed& allowed,
                const std::optional<MapExtents>& map) {
  constexpr std::size_t piece_size = 16384;
  const auto y = expected.as<Y>();
  const auto c = got.as<T>();
  const std::size_t pieces = (c.size() + piece_size - 1) / piece_size, workers = core::workers_for(pieces);
  std::vector<Scan> scans;
  for (std::size_t worker = 0; worker < workers; ++worker)
    scans.emplace_back(allowed, got.dtype(), std::is_integral_v<T>, map);
  std::vector<Moments> sums(pieces);
  core::for_each_piece(pieces, workers, [&](std::size_t piece, std::size_t worker) {
    const auto first = truths_of(parts_of(y[0], c[0], allowed));
    const std::size_t end = std::min(c.size(), (piece + 1) * piece_size);
    for (std::size_t begin = piece * piece_size; begin < end; begin += ScanBlock::size) {
      const std::size_t count = std::min(ScanBlock::size, end - begin);
      if (add_block<T>(scans[worker], y.subspan(begin, count), c.subspan(begin, count), {begin, first[0]}, allowed))
        continue;
      for (std::size_t i = begin; i < begin + count; ++i)
        scans[worker].element(i, parts_of(y[i], c[i], allowed), first);
    }
    sums[piece] = scans[worker].take_sums();
  });
  for (std::size_t worker = 1; worker < workers; ++worker) scans[0].absorb(scans[worker]);
  return scans[0].finish(
      std::accumulate(sums.begin(), sums.end(), Moments{}, [](Moments all, const Moments& one) { return all += one; }));
}

}  // namespace

Comparison compare(const ir::TensorView& expected, const ir::TensorView& got, const Allowed& allowed,
                   const std::optional<MapExtents>& map) {
  ir::require(expected.shape() == got.shape(), "compared ", got.type(), " with an expected ", expected.type());
  ir::require(allowed.limits == nullptr || allowed.limits->probable.shape() == got.shape(), "limits of ", got.type(),
              " are ", allowed.limits ? allowed.limits->probable.type() : got.type());
  if (expected.dtype() == ir::DType::f64 && ir::is_float(got.dtype())) {
    Comparison result;
    ir::visit_float(got.dtype(), [&]<class T>(T) { result = scan<T, double>(expected, got, allowed, map); });
    return result;
  }
  if (expected.dtype() == ir::DType::c128 && got.dtype() == ir::DType::c64)
    return scan<std::complex<float>, std::complex<double>>(expected, got, allowed, map);
  ir::require(expected.dtype() == got.dtype(), "compared ", got.type(), " with an expected ", expected.type());
  Comparison result;
  ir::visit_any(got.dtype(), [&]<class T>(T) { result = scan<T, T>(expected, got, allowed, map); });
  return result;
}

}  // namespace plumb::parity::compare::elements

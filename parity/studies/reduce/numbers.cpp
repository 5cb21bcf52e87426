// Tries simpler numbers, the simplest first.
#include "parity/studies/reduce/numbers.hpp"

#include <algorithm>
#include <cmath>

#include "parity/studies/reduce/ddmin.hpp"

namespace plumb::parity::studies::reduce {
namespace {

using ir::formats::Generated;
using ir::formats::TensorSource;

constexpr std::size_t most_blocks = 16;

/// Takes the candidate if it fails.
bool take(Candidate& candidate, Candidate tried, const Fails& fails) {
  if (!fails(tried)) return false;
  candidate = std::move(tried);
  return true;
}

/// Fills that are simpler than any tensor, the simplest first; none that a tensor of this dtype does not take.
std::vector<Generated> fills_for(const ir::TensorType& type) {
  const auto constant = [](double value) {
    return Generated{{.distribution = ir::Distribution::constant, .value = value}};
  };
  std::vector<Generated> fills = {constant(1), constant(0), Generated{ir::default_fill(type.dtype)}};
  std::erase_if(fills, [&](const Generated& one) {
    try {
      ir::check_fill(type, one.fill);
      return false;
    } catch (const ir::Error&) {
      return true;
    }
  });
  return fills;
}

bool is_constant(const TensorSource& source) {
  const auto* const made = std::get_if<Generated>(&source);
  return made != nullptr && made->fill.distribution == ir::Distribution::constant;
}

/// Fills every source that has numbers with the k-th of its fills.
bool fill_all(Candidate& candidate, const Fails& fails) {
  if (!has_numbers(candidate)) return false;
  for (std::size_t k = 0; k < 3; ++k) {
    Candidate tried = candidate;
    for (auto& [name, source] : tried.sources) {
      const auto fills = fills_for(candidate.graph.type(*candidate.graph.find(name)));
      if (!std::holds_alternative<Generated>(source) && !fills.empty()) source = fills[std::min(k, fills.size() - 1)];
    }
    if (take(candidate, std::move(tried), fails)) return true;
  }
  return false;
}

bool fill_one(Candidate& candidate, const std::string& name, const Fails& fails) {
  const TensorSource was = candidate.sources.at(name);
  if (is_constant(was)) return false;
  for (const Generated& fill : fills_for(candidate.graph.type(*candidate.graph.find(name)))) {
    const bool is_simpler = !std::holds_alternative<Generated>(was) || is_constant(fill);
    if (!is_simpler) continue;
    Candidate tried = candidate;
    tried.sources.insert_or_assign(name, fill);
    if (take(candidate, std::move(tried), fails)) return true;
  }
  return false;
}

/// The tensor with 0 in all but these of its blocks.
ir::Tensor with_blocks(const ir::Tensor& tensor, const std::vector<std::size_t>& kept, std::size_t blocks) {
  ir::Tensor made(tensor.type());
  const std::size_t size = ir::info(tensor.dtype()).bytes;
  const auto elements = static_cast<std::size_t>(tensor.elements());
  const std::span<std::byte> bytes = made.bytes();
  for (const std::size_t k : kept) {
    const std::size_t from = elements * k / blocks * size, to = elements * (k + 1) / blocks * size;
    std::ranges::copy(tensor.bytes().subspan(from, to - from), bytes.subspan(from).begin());
  }
  return made;
}

/// Puts 0 into the blocks of a tensor that have no part in the failure.
bool clear_blocks(Candidate& candidate, const std::string& name, const Fails& fails) {
  const ir::Tensor was = std::get<ir::Tensor>(candidate.sources.at(name));
  const std::size_t blocks = std::min(most_blocks, static_cast<std::size_t>(was.elements()));
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < blocks; ++k)
    if (std::ranges::any_of(with_blocks(was, {k}, blocks).bytes(), [](std::byte one) { return one != std::byte{}; }))
      all.push_back(k);
  if (all.size() < 2) return false;
  const auto with = [&](const std::vector<std::size_t>& kept) {
    Candidate tried = candidate;
    tried.sources.insert_or_assign(name, with_blocks(was, kept, blocks));
    return tried;
  };
  const auto left = ddmin(all, [&](const std::vector<std::size_t>& kept) { return fails(with(kept)); });
  if (left.size() == all.size()) return false;
  candidate = with(left);
  return true;
}

bool round_floats(Candidate& candidate, const std::string& name, const Fails& fails) {
  const ir::Tensor was = std::get<ir::Tensor>(candidate.sources.at(name));
  for (const int bits : {2, 4, 8}) {
    ir::Tensor rounded = with_bits(was, bits);
    if (std::ranges::equal(rounded.bytes(), was.bytes())) return false;
    Candidate tried = candidate;
    tried.sources.insert_or_assign(name, std::move(rounded));
    if (take(candidate, std::move(tried), fails)) return true;
  }
  return false;
}

}  // namespace

ir::Tensor with_bits(const ir::Tensor& tensor, int bits) {
  if (!ir::is_float(tensor.dtype())) return tensor;
  ir::Tensor wide = ir::convert(tensor, ir::DType::f64);
  for (double& x : wide.as<double>()) {
    if (!std::isfinite(x)) continue;
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);
    x = std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
  }
  return ir::convert(wide, tensor.dtype());
}

bool simplify_numbers(Candidate& candidate, const Fails& fails) {
  bool changed = fill_all(candidate, fails);
  std::vector<std::string> names;
  for (const auto& [name, source] : candidate.sources) names.push_back(name);
  for (const std::string& name : names) {
    if (fill_one(candidate, name, fails)) changed = true;
    if (!std::holds_alternative<ir::Tensor>(candidate.sources.at(name))) continue;
    if (clear_blocks(candidate, name, fails)) changed = true;
    if (round_floats(candidate, name, fails)) changed = true;
  }
  return changed;
}

}  // namespace plumb::parity::studies::reduce

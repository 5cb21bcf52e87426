// Looks for the order in which a kernel adds up a product: masks show which terms meet first, hypotheses are struck out
// that do not show them so, and random sums confirm what is left.
#include "parity/profile/probe/trees.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/raw/philox.hpp"
#include "parity/profile/emulator.hpp"
#include "parity/profile/probe/product_lines.hpp"

namespace plumb::parity::profile::probe {
namespace {

constexpr std::int64_t fewest_terms = 3, most_terms = 4096;
constexpr std::size_t random_sums = 64, most_trials = 512;
constexpr float absorbing = 0x1p60f;  // 2^12 ones beside it are less than half of its last place

/// A large number at one term, its negative at another, ones elsewhere.
struct Mask {
  std::size_t at, against;

  std::vector<float> terms(std::size_t count) const {
    std::vector<float> made(count, 1.0f);
    made[at] = absorbing;
    made[against] = -absorbing;
    return made;
  }
};

std::vector<float> random_terms(std::uint64_t seed, std::size_t count) {
  std::vector<float> terms(count);
  for (std::size_t k = 0; k < count; ++k) {
    const ir::raw::PhiloxWords words = ir::raw::philox_block(seed, 0, 0, k);
    const float fraction = std::ldexp(static_cast<float>(words[0] >> 9), -23);
    terms[k] = std::ldexp((words[1] & 1) != 0 ? -1 - fraction : 1 + fraction, -static_cast<int>(words[2] % 8));
  }
  return terms;
}

/// The trees of ir::Sum that may have made the first terms meet as these sizes say: sizes[j] is that of the smallest
/// subtree with terms 0 and j.
class Hypotheses {
 public:
  explicit Hypotheses(std::vector<std::int64_t> sizes)
      : sizes_(std::move(sizes)), terms_(static_cast<std::int64_t>(sizes_.size())) {}

  std::vector<Levels> all() const {
    std::vector<Levels> found;
    const std::int64_t lanes = this->lanes();
    if (lanes == 0) return found;
    for (const Levels& inner : chains(lanes))
      for (const Levels& split : splits(inner))
        for (const Levels& whole : shared(split, lanes)) found.push_back(whole);
    return found;
  }

 private:
  /// The first term that term 0 is added to is that of its own lane.
  std::int64_t lanes() const {
    const auto next = std::find(sizes_.begin() + 1, sizes_.end(), 2);
    return next == sizes_.end() ? 0 : next - sizes_.begin();
  }

  /// How many neighbours of term 0 in its lane make a chain whose items have `size` terms; 0: all.
  std::int64_t chain_of(std::int64_t lanes, std::int64_t size) const {
    for (std::int64_t item = 1; item * size * lanes < terms_; ++item)
      if (sizes_[static_cast<std::size_t>(item * size * lanes)] != (item + 1) * size)
        return is_last(lanes, item, size) ? 0 : item;
    return 0;
  }

  /// Whether the item is one that has fewer terms than others, since the terms end.
  bool is_last(std::int64_t lanes, std::int64_t item, std::int64_t size) const {
    const std::int64_t of_lane = (terms_ + lanes - 1) / lanes;
    return (item + 1) * size > of_lane && sizes_[static_cast<std::size_t>(item * size * lanes)] == of_lane;
  }

  std::vector<Levels> chains(std::int64_t lanes) const {
    std::vector<Levels> found = {one_chain()};
    const std::int64_t chunk = chain_of(lanes, 1);
    if (chunk == 0) return found;
    found.push_back({{.count = chunk}, {}});
    const std::int64_t chunks = chain_of(lanes, chunk);
    if (chunks > 1) found.push_back({{.count = chunk}, {.count = chunks}, {}});
    return found;
  }

  std::vector<Levels> splits(const Levels& inner) const {
    std::vector<Levels> found = {inner};
    constexpr std::int64_t most = 64;
    for (std::int64_t parts = 2; parts <= most; ++parts)
      if (terms_ % parts == 0)
        for (const ir::SumJoin join : {ir::SumJoin::chain, ir::SumJoin::pair}) {
          found.push_back(inner);
          found.back().push_back({.count = parts, .join = join});
        }
    return found;
  }

  static std::vector<Levels> shared(const Levels& inner, std::int64_t lanes) {
    if (lanes == 1) return {inner};
    std::vector<Levels> found;
    for (std::int64_t outer = 1; outer <= lanes; ++outer) {
      if (lanes % outer != 0 || outer == lanes) continue;
      for (const ir::SumJoin first : {ir::SumJoin::pair, ir::SumJoin::chain})
        for (const ir::SumJoin second : {ir::SumJoin::pair, ir::SumJoin::chain}) {
          found.push_back(inner);
          found.back().push_back({.count = lanes / outer, .take = ir::SumTake::every, .join = first});
          if (outer > 1) found.back().push_back({.count = outer, .take = ir::SumTake::every, .join = second});
          if (outer == 1 && second == ir::SumJoin::pair) break;
        }
    }
    return found;
  }

  const std::vector<std::int64_t> sizes_;
  const std::int64_t terms_;
};

class TreeInquiry final : public Finding<MeasuredSum> {
 public:
  explicit TreeInquiry(const ProductPlace& place) : place_(place), product_(ProductLines::of(place)) {
    if (!product_ || product_->terms() < fewest_terms || product_->terms() > most_terms) return;
    count_ = static_cast<std::size_t>(product_->terms());
    for (const std::size_t at : {std::size_t{0}, count_ / 2})
      for (std::size_t other = 0; other < count_; ++other)
        if (other != at) masks_.push_back({at, other});
    const std::size_t lines = product_->lines();
    if ((masks_.size() + lines - 1) / lines > most_trials) masks_.resize(count_ - 1);
    if ((masks_.size() + lines - 1) / lines > most_trials) masks_.clear();
    others_ = random_terms(1, count_);
    for (std::size_t i = 0; i < random_sums; ++i) random_.push_back(random_terms(2 + i, count_));
  }

  std::vector<core::Trial> ask() override {
    std::vector<core::Trial> trials;
    if (std::exchange(has_asked_, true) || masks_.empty()) return trials;
    const std::vector<float> ones(count_, 1.0f);
    std::vector<std::vector<float>> all;
    for (const Mask& mask : masks_) all.push_back(mask.terms(count_));
    add(all, ones, trials);
    add(random_, others_, trials);
    return trials;
  }

  void hear(std::vector<core::TrialEnd> ends) override {
    std::size_t next = 0;
    const auto masked = take(ends, next, masks_.size()), sums = take(ends, next, random_.size());
    if (!masked || !sums) return;
    std::vector<std::int64_t> sizes = {1};
    for (std::size_t i = 0; i + 1 < count_; ++i)
      sizes.push_back(static_cast<std::int64_t>(count_) - static_cast<std::int64_t>((*masked)[i]));
    for (const Levels& levels : Hypotheses(std::move(sizes)).all()) {
      const ir::Sum tree{.unit = ir::SumUnit::fma, .levels = levels};
      if (!is_replayable(tree, product_->terms()) || !shows(levels, *masked)) continue;
      for (const ir::SumUnit unit : {ir::SumUnit::fma, ir::SumUnit::separate})
        if (gives(unit, levels, *sums)) return find(unit, levels, ends.front().nodes.at(0).kernel);
    }
  }

  std::optional<MeasuredSum> found() const override { return found_; }

 private:
  void add(std::span<const std::vector<float>> lines, const std::vector<float>& others,
           std::vector<core::Trial>& trials) const {
    for (std::size_t first = 0; first < lines.size(); first += product_->lines())
      trials.push_back(
          product_->trial(lines.subspan(first, std::min(product_->lines(), lines.size() - first)), others));
  }

  /// The sums of that many lines, in trials from `next` on; nothing where one was refused, or lines disagree.
  std::optional<std::vector<float>> take(const std::vector<core::TrialEnd>& ends, std::size_t& next,
                                         std::size_t count) const {
    std::vector<float> all;
    while (all.size() < count) {
      const core::TrialEnd& end = ends.at(next++);
      if (end.refused) return std::nullopt;
      const auto some = product_->sums_in(end, std::min(product_->lines(), count - all.size()));
      if (!some) return std::nullopt;
      all.insert(all.end(), some->begin(), some->end());
    }
    return all;
  }

  bool shows(const Levels& levels, const std::vector<float>& masked) const {
    const ProductEmulator emulator(plain_products(true), levels);
    const std::vector<float> ones(count_, 1.0f);
    for (std::size_t i = 0; i < masks_.size(); ++i)
      if (emulator.dot(masks_[i].terms(count_), ones) != masked[i]) return false;
    return true;
  }

  bool gives(ir::SumUnit unit, const Levels& levels, const std::vector<float>& sums) const {
    const ProductEmulator emulator(plain_products(unit == ir::SumUnit::fma), levels);
    for (std::size_t i = 0; i < random_.size(); ++i) {
      const bool by_rows = product_->has_rows();
      const float sum = by_rows ? emulator.dot(random_[i], others_) : emulator.dot(others_, random_[i]);
      if (sum != sums[i]) return false;
    }
    return true;
  }

  void find(ir::SumUnit unit, const Levels& levels, const std::string& kernel) {
    found_ = {.op = std::string(place_.op.name()),
              .operands = place_.operands,
              .kernel = kernel,
              .sum = {.unit = unit, .levels = levels}};
  }

  const ProductPlace place_;
  const std::optional<ProductLines> product_;
  std::size_t count_ = 0;
  std::vector<Mask> masks_;
  std::vector<float> others_;
  std::vector<std::vector<float>> random_;
  bool has_asked_ = false;
  std::optional<MeasuredSum> found_;
};

bool can_be_looked_at(const ir::Op& op) {
  if (op.is<ir::ops::Matmul>()) return true;
  return op.is<ir::ops::Gemm>() && op.as<ir::ops::Gemm>().alpha == 1;
}

/// Each product once; none of which the model has one of weights and one of computed values, since a profile tells
/// products apart by their types alone.
std::vector<ProductPlace> each_once(std::vector<ProductPlace> all) {
  const auto are_alike = [](const ProductPlace& a, const ProductPlace& b) {
    return a.op == b.op && a.operands == b.operands;
  };
  std::vector<ProductPlace> places;
  for (const ProductPlace& place : all) {
    const auto is_another = [&](const ProductPlace& one) {
      return are_alike(one, place) && one.are_params != place.are_params;
    };
    const auto is_this = [&](const ProductPlace& one) { return are_alike(one, place); };
    if (std::ranges::none_of(all, is_another) && std::ranges::none_of(places, is_this)) places.push_back(place);
  }
  return places;
}

}  // namespace

std::vector<ProductPlace> products_of(const ir::Graph& graph) {
  std::vector<ProductPlace> places;
  for (const ir::Node& node : graph.nodes()) {
    if (!can_be_looked_at(node.op)) continue;
    ProductPlace place{node.op, {}};
    for (const ir::Value v : node.inputs) {
      place.operands.push_back(graph.type(v));
      place.are_params.push_back(graph.is_source(v) && v >= graph.inputs().size());
    }
    const auto is_f32 = [](const ir::TensorType& type) { return type.dtype == ir::DType::f32; };
    if (std::ranges::all_of(place.operands, is_f32)) places.push_back(std::move(place));
  }
  return each_once(std::move(places));
}

std::unique_ptr<Finding<MeasuredSum>> inquire_tree(ProductPlace place) {
  return std::make_unique<TreeInquiry>(std::move(place));
}

}  // namespace plumb::parity::profile::probe

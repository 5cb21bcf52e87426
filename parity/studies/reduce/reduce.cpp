// The order of the steps of a reduction.
#include "parity/studies/reduce/reduce.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "ir/raw/hash.hpp"
#include "parity/studies/reduce/ddmin.hpp"

namespace plumb::parity::studies::reduce {
namespace {

constexpr int most_rounds = 5;

std::uint64_t hash_of(const Candidate& candidate) {
  const std::string text = ir::formats::write_graph(file_of(candidate, ""));
  return ir::raw::hash_bytes(std::as_bytes(std::span(text)));
}

class Reduction {
 public:
  Reduction(Candidate failing, const std::optional<std::string>& guilty, const Questions& questions)
      : best_(std::move(failing)), guilty_(guilty), questions_(questions) {}

  Candidate get() {
    for (int round = 0; round < most_rounds; ++round) {
      bool changed = note("nodes", leave_out_nodes());
      changed = note("shapes", shorten_axes()) || changed;
      const auto ask = [this](const Candidate& tried) { return fails(tried); };
      changed = note("numbers", simplify_numbers(best_, ask)) || changed;
      if (!changed) break;
    }
    return std::move(best_);
  }

 private:
  bool note(std::string_view step, bool changed) const {
    if (changed) questions_.tell(step, best_);
    return changed;
  }

  bool fails(const Candidate& tried) {
    if (!asked_.insert(hash_of(tried)).second) return false;
    return questions_.fails(tried);
  }

  bool leave_out_nodes() {
    const std::size_t count = best_.graph.nodes().size();
    if (count < 2) return false;
    const Candidate whole = best_;
    const ir::Tensors values = questions_.values(whole);
    const auto lookup = [&](ir::Value v) {
      const auto found = values.find(v);
      ir::require(found != values.end(), "nobody knows '", whole.graph.name(v), "'");
      return found->second;
    };
    const auto made = [&](const std::vector<std::size_t>& kept) -> std::optional<Candidate> {
      try {
        return with_nodes(whole, kept, lookup);
      } catch (const ir::Error&) {
        return std::nullopt;
      }
    };
    for (std::size_t n = 0; n < count; ++n) {
      if (whole.graph.nodes()[n].label != guilty_) continue;
      std::optional<Candidate> alone = made({n});
      if (!alone || !fails(*alone)) continue;
      best_ = std::move(*alone);
      return true;
    }
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto kept = ddmin(all, [&](const std::vector<std::size_t>& some) {
      const std::optional<Candidate> tried = made(some);
      return tried && fails(*tried);
    });
    if (kept.size() < count) best_ = made(kept).value();
    return kept.size() < count;
  }

  /// The first shorter extent of these axes with which it fails.
  bool shorten(const TiedAxes& axes) {
    for (const std::int64_t extent : smaller_extents(axes.extent))
      for (const End end : {End::front, End::back}) {
        std::optional<Candidate> tried = cropped(best_, axes, extent, end);
        if (!tried || !fails(*tried)) continue;
        best_ = std::move(*tried);
        return true;
      }
    return false;
  }

  bool shorten_axes() {
    bool changed = false;
    for (bool again = true; again;) {
      again = false;
      // Ties change with every step; the groups before this one were tried.
      for (std::size_t k = 0; k < tied_axes(best_.graph).size();)
        if (shorten(tied_axes(best_.graph)[k]))
          again = changed = true;
        else
          ++k;
    }
    return changed;
  }

  Candidate best_;
  const std::optional<std::string>& guilty_;
  const Questions& questions_;
  std::set<std::uint64_t> asked_;
};

}  // namespace

Candidate reduced(Candidate failing, const std::optional<std::string>& guilty, const Questions& questions) {
  return Reduction(std::move(failing), guilty, questions).get();
}

}  // namespace plumb::parity::studies::reduce

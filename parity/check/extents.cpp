// Draws extents for the letters and lists of a sketch.
#include "parity/check/extents.hpp"

#include <algorithm>
#include <span>

namespace plumb::parity::check {
namespace {

constexpr std::int64_t rows_beyond_a_grid = 65537;  ///< one more than a grid has groups along y, and a prime

constexpr std::int64_t small[] = {2, 3, 4, 5, 6, 7, 8, 9}, few[] = {1, 2, 3};
constexpr std::int64_t near_16[] = {15, 16, 17}, near_32[] = {31, 32, 33}, near_64[] = {63, 64, 65};
constexpr std::int64_t near_256[] = {127, 128, 129, 255, 256, 257}, long_primes[] = {509, 257, 251};
constexpr std::int64_t primes[] = {11, 13, 19, 23, 29, 37, 41, 43, 53, 61, 67, 71, 83, 97, 101};
constexpr std::int64_t powers[] = {4, 8, 16, 32, 64, 128, 256, 512};
constexpr std::int64_t odd[] = {18, 21, 34, 35, 50, 66, 70, 98, 130, 198};  ///< no multiples of 4

using Pool = std::span<const std::int64_t>;

Pool pool(Extents kind) {
  switch (kind) {
    case Extents::small:
    case Extents::empty:
      return small;
    case Extents::near_16:
      return near_16;
    case Extents::near_32:
      return near_32;
    case Extents::near_64:
      return near_64;
    case Extents::near_256:
      return near_256;
    case Extents::long_prime:
      return long_primes;
    case Extents::primes:
      return primes;
    case Extents::powers:
      return powers;
    case Extents::odd_rows:
      return odd;
    case Extents::ones:
    case Extents::tall:
      return few;
  }
  return small;
}

std::int64_t one_of(Pool pool, Random& random) { return pool[random() % pool.size()]; }

/// Draws what a sketch leaves open, once for each name.
class Drawing {
 public:
  Drawing(const Sketch& sketch, Extents kind, std::size_t attempt, Random& random)
      : sketch_(sketch), kind_(kind), attempt_(attempt), random_(random) {
    choose_lengths();
    choose_special();
  }

  std::optional<std::vector<ir::Shape>> shapes() {
    std::vector<ir::Shape> made;
    for (const Operand& operand : sketch_.operands) {
      const auto shape = shape_of(operand.forms[random_() % operand.forms.size()], made);
      if (!shape) return std::nullopt;
      made.push_back(*shape);
    }
    stretch(made);
    if (sketch_.amend && !made.empty()) sketch_.amend(made, random_);
    return made;
  }

 private:
  Length length_of(const std::string& list) const {
    const auto found = sketch_.lengths.find(list);
    return found == sketch_.lengths.end() ? Length{} : found->second;
  }

  /// Two extents are usual of a list that is all of a shape, or one of those beside letters.
  std::size_t usual_length(const std::string& list) {
    const bool is_alone = std::ranges::any_of(sketch_.operands, [&](const Operand& one) {
      return std::ranges::any_of(
          one.forms, [&](const Form& form) { return form.entries.size() == 1 && form.entries[0].list == list; });
    });
    constexpr std::int64_t alone[] = {2, 2, 2, 3, 1, 4}, beside[] = {1, 0, 1, 2};
    return static_cast<std::size_t>(one_of(is_alone ? Pool(alone) : Pool(beside), random_));
  }

  void choose_lengths() {
    // Lists of equal limits of which none is fixed have equal lengths: the spatial axes of an image and its kernel.
    const std::size_t spatial = 1 + random_() % 2;
    for (const std::string& name : sketch_.names()) {
      if (!name.ends_with("..") && name != trailing_list) continue;
      if (const auto given = sketch_.given.find(name); given != sketch_.given.end()) {
        lists_[name] = given->second;
        continue;
      }
      const Length limits = length_of(name);
      const bool is_spatial = limits.least == 1 && limits.most == 3;
      const std::size_t usual = is_spatial ? spatial + (attempt_ % 8 == 7 ? 1 : 0)
                                           : usual_length(name) + (name == ".." ? sketch_.more_axes : 0);
      lists_[name].resize(std::clamp(usual, limits.least, std::max(limits.least, limits.most)), -1);
      if (is_spatial) rank_ = static_cast<std::int64_t>(lists_[name].size());
    }
  }

  /// The one extent that is empty or very long; every other attempt the first one, which counts rows.
  void choose_special() {
    for (const std::string& name : sketch_.names()) {
      const auto list = lists_.find(name);
      if (list == lists_.end()) {
        const bool takes_too_long = kind_ == Extents::tall && sketch_.steps == name;
        if (!sketch_.fixed.contains(name) && !takes_too_long) places_.emplace_back(name, 0);
      } else {
        for (std::size_t i = 0; i < list->second.size(); ++i) places_.emplace_back(name, i);
      }
    }
    if (places_.empty()) return;
    const bool has_special = kind_ == Extents::empty || kind_ == Extents::tall || kind_ == Extents::odd_rows;
    if (has_special)
      special_ = (attempt_ < 16 || attempt_ % 2 == 0) && kind_ != Extents::empty ? 0 : random_() % places_.size();
  }

  /// An extent that nothing else decides.
  std::int64_t open(const std::string& name, std::size_t place) {
    const bool is_special = special_ && places_[*special_] == std::pair(name, place);
    if (is_special && kind_ == Extents::empty) return 0;
    if (is_special && kind_ == Extents::tall) return rows_beyond_a_grid;
    if (is_special) return 1 + static_cast<std::int64_t>(random_() % 17);
    if (kind_ == Extents::tall || kind_ == Extents::ones) return kind_ == Extents::ones ? 1 : one_of(few, random_);
    // The first attempts have large extents everywhere, the last ones in few places.
    const bool is_of_kind = random_() % (1 + attempt_ / 4) == 0;
    if (name.starts_with("k..")) return one_of(attempt_ % 2 == 0 ? Pool(few) : Pool(small), random_);
    const auto list = lists_.find(name);
    const bool is_leading = list != lists_.end() && place + 2 < list->second.size();
    return one_of(is_of_kind && !is_leading ? pool(kind_) : attempt_ < 8 ? Pool(small) : Pool(few), random_);
  }

  /// The extent as relations of the sketch want it.
  std::int64_t fitted(const std::string& name, std::int64_t extent) const {
    if (extent != 0)
      if (const auto least = sketch_.least.find(name); least != sketch_.least.end())
        extent = std::max(extent, least->second);
    if (const auto multiple = sketch_.multiples.find(name); multiple != sketch_.multiples.end())
      extent = (extent + multiple->second - 1) / multiple->second * multiple->second;
    return extent;
  }

  void draw_letter(const std::string& name) {
    if (name.empty() || letters_.contains(name)) return;
    if (const auto fixed = sketch_.fixed.find(name); fixed != sketch_.fixed.end()) {
      letters_.emplace(name, fixed->second);
      return;
    }
    if (name == "r" && rank_ > 0) {  // the extent that counts spatial axes
      letters_.emplace(name, rank_);
      return;
    }
    for (const auto& [divisor, multiple] : sketch_.divides) {
      if (multiple != name) continue;
      draw_letter(divisor);
      letters_.emplace(name, letters_.at(divisor) * one_of(few, random_));
      return;
    }
    std::int64_t extent = fitted(name, open(name, 0));
    // A letter that others are multiples of is a number of groups.
    if (sketch_.divides.contains(name))
      extent = std::clamp<std::int64_t>(extent % 4, std::min<std::int64_t>(extent, 1), 3);
    letters_.emplace(name, fitted(name, extent));
  }

  std::vector<std::int64_t>& list(const std::string& name) {
    auto& extents = lists_[name];
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (extents[i] >= 0) continue;
      extents[i] = fitted(name, open(name, i));
      if (i + 1 == extents.size() && name == "..") extents[i] = fitted("last", extents[i]);
    }
    return extents;
  }

  std::optional<ir::Shape> shape_of(const Form& form, const std::vector<ir::Shape>& made) {
    ir::Shape shape;
    if (!form.like.empty()) {
      const auto like = std::ranges::find(sketch_.operands, form.like, &Operand::name) - sketch_.operands.begin();
      if (like >= std::ssize(made)) return std::nullopt;
      shape = made[static_cast<std::size_t>(like)];
    }
    for (const Entry& entry : form.entries) {
      if (!entry.list.empty()) {
        const auto& extents = list(entry.list);
        shape.insert(shape.end(), extents.begin(), extents.end());
        continue;
      }
      for (const Term& term : entry.terms) {
        draw_letter(term.letter);
        if (!term.divisor.empty() && (term.divisor[0] < '0' || term.divisor[0] > '9')) draw_letter(term.divisor);
      }
      const auto extent = entry.extent(letters_);
      if (!extent) return std::nullopt;
      shape.push_back(*extent);
    }
    if (form.broadcasts) narrow(shape, random_() % 2 == 0 ? 1 : random_() % (shape.size() + 1));
    return shape;
  }

  /// Keeps the last axes, and makes some of them 1.
  void narrow(ir::Shape& shape, std::size_t kept) {
    if (shape.size() > kept) shape.erase(shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(kept));
    for (std::int64_t& extent : shape)
      if (random_() % 4 == 0) extent = 1;
  }

  /// Has one of several operands that begin with the same list broadcast along axes of it, in some drawings.
  void stretch(std::vector<ir::Shape>& made) {
    std::vector<std::size_t> able;
    for (std::size_t i = 0; i < made.size(); ++i) {
      const auto& entries = sketch_.operands[i].forms[0].entries;
      if (!entries.empty() && entries[0].list == ".." && !made[i].empty()) able.push_back(i);
    }
    if (able.size() < 2 || attempt_ % 3 == 2 || random_() % 3 != 0) return;
    const std::size_t which = able[random_() % able.size()];
    const std::size_t axes = std::min(lists_[".."].size(), made[which].size());
    if (random_() % 2 == 0) {
      made[which].erase(made[which].begin(), made[which].begin() + static_cast<std::ptrdiff_t>(random_() % (axes + 1)));
      return;
    }
    for (std::size_t i = 0; i < axes; ++i)
      if (random_() % 2 == 0) made[which][i] = 1;
  }

  const Sketch& sketch_;
  const Extents kind_;
  const std::size_t attempt_;
  Random& random_;
  Letters letters_;
  std::map<std::string, std::vector<std::int64_t>, std::less<>> lists_;
  std::vector<std::pair<std::string, std::size_t>> places_;
  std::optional<std::size_t> special_;
  std::int64_t rank_ = 0;  ///< the number of spatial axes
};

}  // namespace

std::vector<std::string> letters_of(const Sketch& sketch) {
  std::vector<std::string> found;
  for (const std::string& name : sketch.names()) {
    if (sketch.fixed.contains(name) || name == trailing_list) continue;
    found.push_back(name);
    if (name == "..") found.emplace_back("last");
  }
  return found;
}

std::optional<std::vector<ir::Shape>> shapes_of(const Sketch& sketch, Extents kind, std::size_t attempt,
                                                Random& random) {
  return Drawing(sketch, kind, attempt, random).shapes();
}

}  // namespace plumb::parity::check

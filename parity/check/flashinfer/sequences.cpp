// Offsets (indptr) and page tables.
#include "parity/check/flashinfer/sequences.hpp"

#include <algorithm>
#include <numeric>

#include "parity/check/flashinfer/fields.hpp"

namespace plumb::parity::check::flashinfer {
namespace {

using Integers = std::vector<std::int64_t>;

/// Numbers from 0 to `count` - 1, all different where there are as many.
Integers drawn_indices(std::int64_t wanted, std::int64_t count, Random& random) {
  Integers drawn(static_cast<std::size_t>(wanted));
  if (wanted > count || count > (std::int64_t{1} << 24)) {
    for (std::int64_t& one : drawn) one = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
    return drawn;
  }
  Integers all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t k = 0; k < drawn.size(); ++k) {
    std::swap(all[k], all[k + random() % (all.size() - k)]);
    drawn[k] = all[k];
  }
  return drawn;
}

/// The numbers between offsets that begin at 0, ascend, and end at `total`. Throws Error with the first that do not.
Integers lengths_of(const Integers& offsets, std::int64_t total, const std::string& name) {
  ir::require(!offsets.empty() && offsets.front() == 0, name, ": must begin with 0",
              offsets.empty() ? "; it is empty" : ir::cat(", got ", offsets.front()));
  Integers lengths;
  for (std::size_t k = 1; k < offsets.size(); ++k) {
    ir::require(offsets[k] >= offsets[k - 1], name, ": must ascend; element ", k, " is ", offsets[k], " after ",
                offsets[k - 1]);
    lengths.push_back(offsets[k] - offsets[k - 1]);
  }
  ir::require(offsets.back() == total, name, ": its last element must be ", total, ", got ", offsets.back());
  return lengths;
}

Integers offsets_of(const Integers& lengths) {
  Integers offsets = {0};
  for (const std::int64_t length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

class Reader {
 public:
  explicit Reader(Builder& builder) : builder_(builder) {}

  /// The lengths of sequences by an input of offsets.
  Integers lengths(const std::string& name, std::int64_t total, const Integers& least) {
    if (const auto given = builder_.integers(name)) return lengths_of(*given, total, name);
    const Integers drawn = drawn_parts(total, least, builder_.random(), name);
    builder_.feed(name, offsets_of(drawn));
    return drawn;
  }

  std::size_t count(const std::string& offsets) const {
    const std::int64_t length = builder_.shape(offsets, 1)[0];
    ir::require(length >= 1, offsets, ": must begin with 0; it is empty");
    return static_cast<std::size_t>(length - 1);
  }

  /// Puts the keys of all sequences into pages, of which the last is full up to kv_last_page_len.
  void add_pages(std::vector<Sequence>& sequences) {
    const ir::Shape cache = builder_.shape("k_cache", 4);
    const std::int64_t pages = cache[0], rows = cache[1], used = builder_.shape("kv_indices", 1)[0];
    ir::require(rows >= 1 && (pages >= 1 || used == 0), "k_cache: has no page");
    Integers least;
    for (const Sequence& sequence : sequences) least.push_back((sequence.queries + rows - 1) / rows);
    const Integers counts = lengths("kv_indptr", used, least), indices = page_indices(used, pages);
    const Integers last = last_lengths(sequences, counts, rows);
    std::int64_t first = 0;
    for (std::size_t k = 0; k < sequences.size(); ++k) {
      sequences[k].pages.assign(indices.begin() + first, indices.begin() + first + counts[k]);
      sequences[k].keys = counts[k] == 0 ? 0 : (counts[k] - 1) * rows + last[k];
      first += counts[k];
    }
  }

 private:
  Integers page_indices(std::int64_t used, std::int64_t pages) {
    const auto given = builder_.integers("kv_indices");
    if (!given) {
      const Integers drawn = drawn_indices(used, pages, builder_.random());
      builder_.feed("kv_indices", drawn);
      return drawn;
    }
    for (std::size_t k = 0; k < given->size(); ++k)
      ir::require((*given)[k] >= 0 && (*given)[k] < pages, "kv_indices: element ", k, " is ", (*given)[k],
                  ", there are ", pages, " pages");
    return *given;
  }

  /// How many rows of each sequence's last page are keys.
  Integers last_lengths(const std::vector<Sequence>& sequences, const Integers& counts, std::int64_t rows) {
    const std::string name = "kv_last_page_len";
    if (!builder_.has_input(name)) {
      ir::require(rows == 1, "k_cache: its pages have ", rows, " rows, and no ", name, " says how many are used");
      return Integers(sequences.size(), 1);
    }
    const auto length = static_cast<std::size_t>(builder_.shape(name, 1)[0]);
    ir::require(length >= sequences.size(), name, ": has ", length, " elements for ", sequences.size(), " sequences");
    auto given = builder_.integers(name);
    if (!given) {
      given.emplace(length, 1);
      for (std::size_t k = 0; k < sequences.size(); ++k) {
        const std::int64_t needed = std::max<std::int64_t>(1, sequences[k].queries - (counts[k] - 1) * rows);
        const auto more = static_cast<std::uint64_t>(rows - std::min(needed, rows) + 1);
        (*given)[k] = std::min(needed, rows) + static_cast<std::int64_t>(builder_.random()() % more);
      }
      builder_.feed(name, *given);
    }
    for (std::size_t k = 0; k < sequences.size(); ++k)
      ir::require(counts[k] == 0 || ((*given)[k] >= 1 && (*given)[k] <= rows), name, ": element ", k, " is ",
                  (*given)[k], ", pages have ", rows, " rows");
    return *given;
  }

  Builder& builder_;
};

}  // namespace

std::vector<std::int64_t> drawn_parts(std::int64_t total, const std::vector<std::int64_t>& least, Random& random,
                                      const std::string& what) {
  constexpr std::int64_t most = std::int64_t{1} << 24;
  const std::int64_t needed = std::accumulate(least.begin(), least.end(), std::int64_t{0});
  ir::require(needed <= total && (total == 0 || !least.empty()), what, ": ", total, " cannot be shared out among ",
              least.size(), " sequences that need ", needed);
  ir::require(total <= most, what, ": at most ", most, " can be drawn, got ", total);
  std::vector<std::int64_t> parts = least;
  for (std::int64_t k = needed; k < total; ++k) ++parts[random() % parts.size()];
  return parts;
}

std::vector<Sequence> read_sequences(Builder& builder) {
  Reader reader(builder);
  const std::size_t count = reader.count("kv_indptr");
  std::vector<Sequence> sequences(count);
  const std::int64_t queries = builder.shape("q", 3)[0];
  if (builder.has_input("qo_indptr")) {
    ir::require(reader.count("qo_indptr") == count, "qo_indptr: is for ", reader.count("qo_indptr"),
                " sequences, kv_indptr for ", count);
    const bool is_enough = queries >= static_cast<std::int64_t>(count);
    const Integers lengths = reader.lengths("qo_indptr", queries, Integers(count, is_enough ? 1 : 0));
    for (std::size_t k = 0; k < count; ++k) sequences[k].queries = lengths[k];
  } else {
    ir::require(queries == static_cast<std::int64_t>(count), "q: has ", queries, " rows, kv_indptr is for ", count,
                " sequences");
    for (Sequence& sequence : sequences) sequence.queries = 1;
  }
  if (builder.has_input("k_cache")) {
    reader.add_pages(sequences);
  } else {
    Integers least;
    for (const Sequence& sequence : sequences) least.push_back(sequence.queries);
    const Integers lengths = reader.lengths("kv_indptr", builder.shape("k", 3)[0], least);
    for (std::size_t k = 0; k < count; ++k) sequences[k].keys = lengths[k];
  }
  for (std::size_t k = 1; k < count; ++k) {
    sequences[k].first_query = sequences[k - 1].first_query + sequences[k - 1].queries;
    sequences[k].first_key = sequences[k - 1].first_key + sequences[k - 1].keys;
  }
  return sequences;
}

}  // namespace plumb::parity::check::flashinfer

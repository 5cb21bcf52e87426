#pragma once

// Which runs, and which of their outputs, are compared with one another.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "parity/studies/drift/drift.hpp"

namespace plumb::parity::studies::drift {

using Seeds = std::pair<std::uint64_t, std::uint64_t>;  ///< seed of the inputs, seed of the params
using Runs = std::map<Seeds, const Record*>;

/// One output of one case over all seeds: by place, nullptr where there is none.
struct Series {
  const Record *was = nullptr, *is = nullptr;  ///< runs of base and of now that have it
  std::vector<const Output*> base = {}, now = {};
};

/// Runs and outputs that are compared.
struct Paired {
  std::vector<Series> series = {};
  std::size_t base_seeds = 0;      ///< without pairs: the first places are of base
  std::vector<Change> cases = {};  ///< outputs that are new, and cases that came to a worse end as a whole
  Drift drift = {};                ///< the facts that are known so far
};

/// The runs of both sides. Throws Error as drift::compare does.
class Records {
 public:
  Records(std::vector<Record> base, std::vector<Record> now);

  /// Points into this.
  Paired pair();

 private:
  /// Runs of one case on both sides.
  struct Case {
    Runs base, now;
  };
  using Places = std::map<Seeds, std::size_t>;

  std::vector<Case> cases();
  /// Leaves the runs that are compared, and gives each of their seeds a place.
  void place_seeds(std::vector<Case>& all, Places& base_places, Places& now_places, Paired& made) const;
  void pair_outputs(const Case& one, const Places& base_places, const Places& now_places, Paired& made) const;
  void note_ends(const Case& one, Paired& made) const;

  std::vector<Record> base_, now_;
  std::vector<std::string> notes_;
};

}  // namespace plumb::parity::studies::drift

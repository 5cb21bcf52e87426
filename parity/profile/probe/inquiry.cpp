// Runs the rounds of several inquiries together.
#include "parity/profile/probe/inquiry.hpp"

#include <algorithm>
#include <iterator>

#include "ir/error.hpp"

namespace plumb::parity::profile::probe {

void settle(std::span<Inquiry* const> inquiries, const core::RunTrials& run) {
  while (true) {
    std::vector<core::Trial> trials;
    std::vector<std::size_t> counts;
    for (Inquiry* const one : inquiries) {
      std::vector<core::Trial> asked = one->ask();
      counts.push_back(asked.size());
      std::ranges::move(asked, std::back_inserter(trials));
    }
    if (trials.empty()) return;
    const std::size_t count = trials.size();
    std::vector<core::TrialEnd> ends = run(std::move(trials));
    ir::require(ends.size() == count, "of ", count, " trials, ", ends.size(), " came to an end");
    auto next = ends.begin();
    for (std::size_t i = 0; i < inquiries.size(); ++i) {
      if (counts[i] == 0) continue;
      const auto end = next + static_cast<std::ptrdiff_t>(counts[i]);
      inquiries[i]->hear({std::make_move_iterator(next), std::make_move_iterator(end)});
      next = end;
    }
  }
}

}  // namespace plumb::parity::profile::probe

// `plumb report --map`: an output is looked for in every run.
#include "parity/cli/reporting/shown_maps.hpp"

#include <set>

#include "parity/core/did_you_mean.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/report/map_text.hpp"

namespace plumb::parity::cli {
namespace {

/// Why there is no map of an output that a run has.
std::string why_none(const cases::NodeResult& node) {
  if (node.hash)
    return "no map of it was kept: it is within its limits, and not among the 32 worst of its case; --map all of "
           "verify keeps every map";
  return "it was not judged: " + (node.why.empty() ? std::string(ir::enum_name(node.verdict)) : node.why);
}

}  // namespace

ShownMaps shown_maps(std::span<const results::JudgedRun> runs, const std::string& name) {
  ShownMaps shown;
  std::string why;
  double worst = -1;
  std::set<std::string> others;
  for (const results::JudgedRun& run : runs) {
    const cases::CaseResult result = results::case_of(run);
    for (const cases::NodeResult& node : result.nodes) {
      if (node.name() != name) {
        others.insert(node.name());
      } else if (node.gated().map.is_made()) {
        const std::string plain = node.is_of_plain_run ? ", compiled for its results alone" : "";
        shown.text += (shown.text.empty() ? "" : "\n") + cases::identity_of(result).id() + plain + "\n";
        shown.text += report::map_text(node);
        if (const double ratio = node.gated().ratio(); ratio > worst || !shown.worst.is_made()) {
          worst = ratio;
          shown.worst = node.gated().map;
        }
      } else if (why.empty()) {
        why = why_none(node);
      }
    }
  }
  ir::require(!shown.text.empty() || !why.empty(), "--map '", name, "': no run has an output of that name",
              core::did_you_mean(name, {others.begin(), others.end()}));
  ir::require(!shown.text.empty(), "--map '", name, "': ", why);
  shown.text = core::terminal::printable(shown.text);
  return shown;
}

}  // namespace plumb::parity::cli

// Counts of comparisons by what was compared, and the alarms among them.
#include "parity/report/counts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "parity/core/json_number.hpp"
#include "parity/core/terminal/table.hpp"

namespace plumb::parity::report {
namespace {

using core::Verdict;

constexpr std::array alarming = {Verdict::failed, Verdict::error, Verdict::nondeterministic};
constexpr std::array held_to_a_limit = {Verdict::passed, Verdict::mistrusted, Verdict::failed, Verdict::error,
                                        Verdict::nondeterministic};

bool is_alarm(Verdict verdict) { return std::ranges::count(alarming, verdict) > 0; }

}  // namespace

void Counts::add(const cases::CaseResult& result) {
  ++cases_[std::string(ir::enum_name(result.verdict))];
  Key key;
  key.fill =
      result.subject.adversarial ? ir::enum_name(*result.subject.adversarial) : ir::enum_name(result.subject.fill);
  key.storage = result.subject.dtype ? ir::info(*result.subject.dtype).name : "as the graph";
  if (result.nodes.empty()) ++not_run_[result.message];
  bool has_alarm = false;
  for (const cases::NodeResult& node : result.nodes) {
    key.op = node.op;
    key.dtype = ir::info(node.type.dtype).name;
    key.kernel = node.kernel;
    key.tile = node.tile;
    Count& count = counts_[key];
    count.mistrusted += node.verdict == Verdict::mistrusted;
    count.out_of_range += node.verdict == Verdict::out_of_range;
    count.apart += node.settled.out_of_range > 0;
    if (std::ranges::count(held_to_a_limit, node.verdict) == 0) continue;
    ++count.compared;
    count.elements += node.local.n;
    count.replayed += node.settled.replayed > 0;
    count.wide += node.settled.wide > 0;
    count.replays_asked += node.replays.asked;
    count.replays_equal += node.replays.equal;
    if (is_alarm(node.verdict)) {
      ++count.alarms;
      has_alarm = true;
      alarms_.push_back({key, std::string(ir::enum_name(node.verdict)), node.why, node.repro, node.local.ratio()});
    } else if (node.settled.replayed + node.settled.wide == 0 && std::isfinite(node.local.ratio())) {
      count.within = std::max(count.within, node.local.ratio());
    }
  }
  if (is_alarm(result.verdict) && !has_alarm && !result.nodes.empty()) {  // its device, its plain run, its coverage
    key.op = "(case)";
    key.dtype = key.kernel = key.tile = "";
    ++counts_[key].alarms;
    alarms_.push_back({key, std::string(ir::enum_name(result.verdict)), result.message, result.repro});
  }
}

std::string Counts::to_json() const {
  using Json = nlohmann::ordered_json;
  const auto named = [](const Key& key) {
    return Json{{"op", key.op},     {"dtype", key.dtype}, {"kernel", key.kernel},
                {"tile", key.tile}, {"fill", key.fill},   {"storage", key.storage}};
  };
  Json counts = Json::array(), alarms = Json::array();
  for (const auto& [key, count] : counts_) {
    Json one = named(key);
    one.update(Json{{"compared", count.compared},
                    {"alarms", count.alarms},
                    {"mistrusted", count.mistrusted},
                    {"out_of_range", count.out_of_range},
                    {"replayed", count.replayed},
                    {"wide", count.wide},
                    {"apart", count.apart},
                    {"elements", count.elements},
                    {"replays_asked", count.replays_asked},
                    {"replays_equal", count.replays_equal},
                    {"within", count.within}});
    counts.push_back(std::move(one));
  }
  for (const Alarm& alarm : alarms_) {
    Json one = named(alarm.of);
    one.update(Json{{"verdict", alarm.verdict},
                    {"ratio", core::json_number(alarm.ratio)},
                    {"why", alarm.why},
                    {"repro", alarm.repro}});
    alarms.push_back(std::move(one));
  }
  const Json all = {{"format", "plumb.counts/1"},
                    {"cases", cases_},
                    {"counts", std::move(counts)},
                    {"alarms", std::move(alarms)},
                    {"not_run", not_run_}};
  return all.dump() + "\n";
}

std::string Counts::kernels() const {
  std::map<std::array<std::string, 4>, Count> by_kernel;
  for (const auto& [key, count] : counts_) {
    if (key.kernel.empty()) continue;
    Count& sum = by_kernel[{key.op, key.dtype, key.kernel, key.tile}];
    sum.compared += count.compared;
    sum.alarms += count.alarms;
    sum.mistrusted += count.mistrusted;
    sum.within = std::max(sum.within, count.within);
  }
  core::terminal::TextTable table({"op", "dtype", "kernel", "tile", "compared", "alarms", "mistrusted", "ratio"}, 4);
  for (const auto& [key, count] : by_kernel)
    table.row({key[0], key[1], key[2], key[3].empty() ? "-" : key[3], std::to_string(count.compared),
               std::to_string(count.alarms), std::to_string(count.mistrusted),
               core::terminal::short_number(count.within)});
  return table.text();
}

}  // namespace plumb::parity::report

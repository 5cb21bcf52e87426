// The times of nodes as Trace Event JSON.
#include "parity/report/viewers/trace.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "parity/core/json_number.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::report {
namespace {

using TraceJson = nlohmann::ordered_json;
using core::terminal::printable;

constexpr int device_track = 1, reference_track = 2;

/// Microseconds, as the format has them.
double microseconds(std::uint64_t ns) { return 1e-3 * static_cast<double>(ns); }

/// The events of the cases, one behind the other.
class Trace {
 public:
  void add(const cases::CaseResult& result, std::size_t place);
  std::string text() && {
    const TraceJson document = {{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events_)}};
    return document.dump(-1, ' ', false, TraceJson::error_handler_t::replace) + '\n';
  }

 private:
  void name(const char* what, std::size_t process, int track, const std::string& called) {
    events_.push_back({{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", track}, {"args", {{"name", called}}}});
  }
  double slice(const cases::NodeResult& node, std::optional<std::uint64_t> ns, std::size_t process, int track,
               double start);

  TraceJson events_ = TraceJson::array();
};

/// Returns where the next slice begins.
double Trace::slice(const cases::NodeResult& node, std::optional<std::uint64_t> ns, std::size_t process, int track,
                    double start) {
  if (!ns) return start;
  TraceJson args = {
      {"op", node.op}, {"verdict", ir::enum_name(node.verdict)}, {"ratio", core::json_number(node.gated().ratio())}};
  if (track == device_track) {
    args["kernel"] = printable(node.kernel);
    args["tile"] = printable(node.tile);
  }
  events_.push_back({{"name", printable(node.name())},
                     {"cat", node.op},
                     {"ph", "X"},
                     {"ts", start},
                     {"dur", microseconds(*ns)},
                     {"pid", process},
                     {"tid", track},
                     {"args", std::move(args)}});
  return start + microseconds(*ns);
}

void Trace::add(const cases::CaseResult& result, std::size_t place) {
  const std::size_t process = place + 1;  // 0 is the idle process of a kernel
  name("process_name", process, 0, printable(cases::identity_of(result).id()));
  name("thread_name", process, device_track, "device");
  name("thread_name", process, reference_track, "reference");
  double on_device = 0, on_reference = 0;
  for (const cases::NodeResult& node : result.nodes) {
    const double ratio = node.gated().ratio();
    if (node.device_ns && std::isfinite(ratio))
      events_.push_back({{"name", "ratio"},
                         {"ph", "C"},
                         {"ts", on_device},
                         {"pid", process},
                         {"tid", device_track},
                         {"args", {{"ratio", ratio}}}});
    on_device = slice(node, node.device_ns, process, device_track, on_device);
    on_reference = slice(node, node.reference_ns, process, reference_track, on_reference);
  }
}

}  // namespace

std::string to_trace(const Cases& cases) {
  Trace trace;
  for (std::size_t at = 0; at < cases.count; ++at) trace.add(cases.at(at), at);
  return std::move(trace).text();
}

}  // namespace plumb::parity::report

// One run of a program by plumb.exec/1, from its request to tensors, with a message for each way in which it goes
// wrong.
#include "parity/foreign/exec_run.hpp"

#include <algorithm>
#include <set>

#include "ir/raw/utf8.hpp"
#include "parity/core/candidate_error.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/foreign/received.hpp"

namespace plumb::parity::foreign {
namespace {

constexpr std::size_t longest_message = 1000, longest_quote = 200;

std::string shown(std::string_view name) { return ir::raw::shown(name, longest_quote); }

/// One run, whose steps share what was asked and where.
class ExecRun {
 public:
  ExecRun(const ExecProgram& program, const ExecRequest& request, const ir::Graph& graph, const ValueNames& names)
      : program_(program),
        request_(request),
        graph_(graph),
        names_(names),
        scratch_(bytes_of(request), program.options.keep),
        candidate_(ir::cat("candidate '", program.options.name, "'")) {}

  ExecResults run(const std::vector<ir::Value>& wanted, const std::vector<ir::Value>& required) {
    const auto inputs = write_request(scratch_.descriptor(), request_);
    start();
    const ExecAnswer answer = read();
    obey(answer);
    check_inputs(inputs);
    ExecResults made;
    for (const auto& value : answer.values) take(value, wanted, made);
    for (const ir::Value value : required)
      if (!graph_.is_source(value) && !made.values.contains(value)) fail("gave nothing for '", names_.name(value), "'");
    report(answer, made);
    if (unknown_ > most_notes) made.notes.push_back(ir::cat("and ", unknown_ - most_notes, " more names of no value"));
    return made;
  }

 private:
  static constexpr std::size_t most_notes = 20;

  static std::uint64_t bytes_of(const ExecRequest& request) {
    std::uint64_t bytes = 0;
    for (const auto& input : request.inputs) bytes += input.tensor.bytes().size();
    for (const auto& value : request.wanted) bytes += value.type.bytes();
    return bytes;
  }

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw core::CandidateError(ir::cat(candidate_, ' ', parts...));
  }
  template <class... Parts>
  [[noreturn]] void give_up(const Parts&... parts) const {
    throw ir::DeviceError(ir::cat(candidate_, ' ', parts...));
  }

  void start() {
    std::vector<std::string> words = program_.words;
    words.push_back(scratch_.path());
    const auto end = ir::files::run_process(words, {.time = program_.options.timeout});
    const std::string problem = problem_of(end, program_.options.timeout);
    if (!problem.empty()) give_up(problem);
    if (!exists(scratch_.descriptor(), "response.json")) {
      const std::string lines = ir::files::last_lines(end.output);
      give_up("gave no answer: it ended without a response.json", lines.empty() ? "" : "; its last lines:\n", lines);
    }
  }

  /// Takes an Error of `act` as garbage in the answer.
  template <class Act>
  auto believe(const std::string& where, Act act) const {
    try {
      return act();
    } catch (const ir::Error& error) {
      give_up("gave a malformed answer: ", where, ir::raw::shown(error.what(), longest_message));
    }
  }

  ExecAnswer read() const {
    return believe("", [&] { return read_answer(scratch_.descriptor()); });
  }

  /// Throws what the candidate says.
  void obey(const ExecAnswer& answer) const {
    if (answer.status == ExecStatus::unsupported) throw ir::Unsupported(answer.message);
    if (answer.status == ExecStatus::error) give_up("says: ", answer.message);
    if (answer.status == ExecStatus::failed) fail("failed: ", answer.message);
  }

  void check_inputs(const std::vector<WrittenInput>& inputs) const {
    const auto is_same = [&](const WrittenInput& input) {
      try {
        return hash_of_file(scratch_.descriptor(), input.file) == input.hash;
      } catch (const ir::Error&) {
        return false;  // it is gone, or a link
      }
    };
    for (const auto& input : inputs)
      if (!is_same(input)) fail("changed its input '", shown(input.name), "' (", input.file, ")");
  }

  void take(const AnsweredTensor& answered, const std::vector<ir::Value>& wanted, ExecResults& made) {
    const auto value = names_.find(answered.name);
    if (!value) return note_unknown(answered.name, made);
    if (std::ranges::find(wanted, *value) == wanted.end()) return;
    ir::Tensor tensor = load(answered, *value);
    const auto before = made.values.find(*value);
    if (before == made.values.end()) {
      made.values.emplace(*value, std::move(tensor));
      return;
    }
    // A value may have several names in a model, by an Identity for one.
    const bool is_same =
        before->second.type() == tensor.type() && std::ranges::equal(before->second.bytes(), tensor.bytes());
    if (!is_same) fail("gave other bits for '", shown(answered.name), "' than for the value that it is a name of");
  }

  ir::Tensor load(const AnsweredTensor& answered, ir::Value value) const {
    const std::string where = ir::cat("value '", shown(answered.name), "', ", shown(answered.file), ": ");
    believe(where, [&] { check_tensor(scratch_.descriptor(), answered); });
    const ir::TensorType& type = graph_.type(value);
    if (!is_receivable(answered.type, type))  // before there is memory for whatever it is
      fail("gave '", shown(answered.name), "' as ", answered.type, ", the graph says ", type);
    ir::Tensor tensor = believe(where, [&] { return read_tensor(scratch_.descriptor(), answered); });
    return received(shown(answered.name), std::move(tensor), type);
  }

  void note_unknown(const std::string& name, ExecResults& made) {
    if (++unknown_ > most_notes) return;
    std::vector<std::string> known;
    for (const auto& value : request_.wanted) known.push_back(value.name);
    made.notes.push_back(
        ir::cat("'", shown(name), "' is no value of the graph", core::did_you_mean(shown(name), known)));
  }

  void report(const ExecAnswer& answer, ExecResults& made) {
    ir::NodeReport foreign;
    foreign.placement = ir::Placement::foreign;
    made.nodes.assign(graph_.nodes().size(), foreign);
    for (const auto& node : answer.nodes) {
      const auto value = names_.find(node.value);
      const auto producer = value ? graph_.producer(*value) : std::nullopt;
      if (!producer) {
        if (!value) note_unknown(node.value, made);
        continue;
      }
      ir::NodeReport& report = made.nodes[*producer];
      report.kernel = node.kernel;
      report.nanoseconds = node.nanoseconds;
      report.sums = node.sums;
    }
  }

  const ExecProgram& program_;
  const ExecRequest& request_;
  const ir::Graph& graph_;
  const ValueNames& names_;
  const Scratch scratch_;
  const std::string candidate_;
  std::size_t unknown_ = 0;
};

}  // namespace

std::string problem_of(const ir::files::ProcessEnd& end, std::chrono::seconds time) {
  if (end.is_good()) return "";
  std::string what = ir::cat("ended with exit status ", end.status);
  if (!end.signal.empty()) what = "was ended by " + end.signal;
  if (end.is_late) what = ir::cat("gave no answer within ", time.count(), " s");
  const std::string lines = ir::files::last_lines(end.output);
  return lines.empty() ? what : what + "; its last lines:\n" + lines;
}

ExecResults run_program(const ExecProgram& program, const ExecRequest& request, const ir::Graph& graph,
                        const ValueNames& names, const std::vector<ir::Value>& wanted,
                        const std::vector<ir::Value>& required) {
  return ExecRun(program, request, graph, names).run(wanted, required);
}

}  // namespace plumb::parity::foreign

// One run of a program by plumb.exec/1, from its request to tensors, with a message for each way in which it goes
// wrong.
#include "parity/foreign/exec_run.hpp"

#include <algorithm>

#include "ir/raw/utf8.hpp"
#include "parity/foreign/answers.hpp"

namespace plumb::parity::foreign {
namespace {

constexpr std::size_t longest_message = 1000;

/// One exchange, whose steps share what was asked and where.
class Exchange {
 public:
  Exchange(const ExecProgram& program, const std::vector<ExecJob>& jobs)
      : program_(program),
        jobs_(jobs),
        scratch_(bytes_of(jobs), program.options.keep),
        candidate_(ir::cat("candidate '", program.options.name, "'")) {}

  std::vector<ExecResults> run();

 private:
  static std::uint64_t bytes_of(const std::vector<ExecJob>& jobs) {
    std::uint64_t bytes = 0;
    for (const ExecJob& job : jobs) {
      for (const auto& input : job.request.inputs) bytes += input.tensor.bytes().size();
      for (const auto& value : job.request.wanted) bytes += value.type.bytes();
    }
    return bytes;
  }

  template <class... Parts>
  [[noreturn]] void give_up(const Parts&... parts) const {
    throw ir::DeviceError(ir::cat(candidate_, ' ', parts...));
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

  ExecResults results_of(const ExecJob& job, const ExecAnswer& answer, const std::vector<WrittenInput>& inputs) const {
    Answers answers(candidate_, job.graph, job.names, job.wanted);
    if (answer.status == ExecStatus::unsupported) return {.refused = answer.message};
    if (answer.status == ExecStatus::error) give_up("says: ", answer.message);
    if (answer.status == ExecStatus::failed) answers.fail("failed: ", answer.message);
    check_inputs(inputs, answers);
    for (const auto& value : answer.values) take(value, answers);
    answers.require_all(job.required);
    ExecResults made;
    report(job.graph, answer, answers, made);
    made.values = std::move(answers.values);
    made.notes = answers.notes();
    return made;
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

  void check_inputs(const std::vector<WrittenInput>& inputs, const Answers& answers) const {
    const auto is_same = [&](const WrittenInput& input) {
      try {
        return hash_of_file(scratch_.descriptor(), input.file) == input.hash;
      } catch (const ir::Error&) {
        return false;  // it is gone, or a link
      }
    };
    for (const auto& input : inputs)
      if (!is_same(input)) answers.fail("changed its input '", shown_name(input.name), "' (", input.file, ")");
  }

  void take(const AnsweredTensor& answered, Answers& answers) const {
    const auto value = answers.wanted_by(answered.name);
    if (!value) return;
    const std::string where = ir::cat("value '", shown_name(answered.name), "', ", shown_name(answered.file), ": ");
    believe(where, [&] { check_tensor(scratch_.descriptor(), answered); });
    answers.require_type(answered.name, answered.type, *value);
    answers.add(answered.name, *value, believe(where, [&] { return read_tensor(scratch_.descriptor(), answered); }));
  }

  static void report(const ir::Graph& graph, const ExecAnswer& answer, Answers& answers, ExecResults& made) {
    made.nodes = foreign_nodes(graph);
    for (const auto& node : answer.nodes) {
      const auto value = answers.find(node.value);
      const auto producer = value ? graph.producer(*value) : std::nullopt;
      if (!producer) continue;
      ir::NodeReport& report = made.nodes[*producer];
      report.kernel = node.kernel;
      report.nanoseconds = node.nanoseconds;
      report.sums = node.sums;
    }
  }

  const ExecProgram& program_;
  const std::vector<ExecJob>& jobs_;
  const Scratch scratch_;
  const std::string candidate_;
};

std::vector<ExecResults> Exchange::run() {
  std::vector<ExecRequest> requests;
  for (const ExecJob& job : jobs_) requests.push_back(job.request);
  const auto inputs = write_request(scratch_.descriptor(), requests);
  start();
  const std::vector<ExecAnswer> answers =
      believe("", [&] { return read_answers(scratch_.descriptor(), jobs_.size()); });
  std::vector<ExecResults> all;
  for (std::size_t i = 0; i < jobs_.size(); ++i) all.push_back(results_of(jobs_[i], answers[i], inputs[i]));
  return all;
}

}  // namespace

std::string problem_of(const ir::files::ProcessEnd& end, std::chrono::seconds time) {
  if (end.is_good()) return "";
  std::string what = ir::cat("ended with exit status ", end.status);
  if (!end.signal.empty()) what = "was ended by " + end.signal;
  if (end.is_late) what = ir::cat("gave no answer within ", time.count(), " s");
  const std::string lines = ir::files::last_lines(end.output);
  return lines.empty() ? what : what + "; its last lines:\n" + lines;
}

std::vector<ExecResults> run_program(const ExecProgram& program, const std::vector<ExecJob>& jobs) {
  return Exchange(program, jobs).run();
}

}  // namespace plumb::parity::foreign

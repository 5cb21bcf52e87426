// One run of a program by plumb.exec/1, from its request to tensors, with a message for each way in which it goes
// wrong.
#include "parity/foreign/exec_run.hpp"

#include <algorithm>

#include "ir/raw/utf8.hpp"
#include "parity/foreign/answers.hpp"

namespace plumb::parity::foreign {
namespace {

constexpr std::size_t longest_message = 1000;

template <class... Parts>
[[noreturn]] void give_up(const ExecProgram& program, Fault& fault, const Parts&... parts) {
  if (fault != Fault::late) fault = Fault::crashed;
  throw ir::DeviceError(ir::cat("candidate '", program.options.name, "' ", parts...));
}

/// Lets the program answer the request in a folder, with a message where it does not.
void answer_in(const Scratch& scratch, const ExecProgram& program, Fault& fault) {
  const ir::files::ProcessEnd end = ask(program, scratch, program.options.timeout);
  const std::string problem = problem_of(end, program.options.timeout);
  if (end.is_late) fault = Fault::late;
  if (!problem.empty()) give_up(program, fault, problem);
  if (!exists(scratch.descriptor(), "response.json")) {
    const std::string lines = ir::files::last_lines(end.output);
    give_up(program, fault, "gave no answer: it ended without a response.json",
            lines.empty() ? "" : "; its last lines:\n", lines);
  }
}

/// Takes an Error of `act` as garbage in the answer.
template <class Act>
auto believe(const ExecProgram& program, Fault& fault, const std::string& where, Act act) {
  try {
    return act();
  } catch (const ir::Error& error) {
    give_up(program, fault, "gave a malformed answer: ", where, ir::raw::shown(error.what(), longest_message));
  }
}

/// One exchange, whose steps share what was asked and where.
class Exchange {
 public:
  Exchange(const ExecProgram& program, const std::vector<ExecJob>& jobs, Fault& fault)
      : program_(program), jobs_(jobs), fault_(fault), scratch_(bytes_of(jobs), program.options.keep) {}

  std::vector<ExecResults> run();

 private:
  static std::uint64_t bytes_of(const std::vector<ExecJob>& jobs) {
    std::uint64_t bytes = 0;
    for (const ExecJob& job : jobs) {
      for (const auto& input : job.request.inputs) bytes += input.tensor.bytes().size();
      for (const auto& value : job.request.wanted) bytes += value.type.bytes();
      if (job.request.written_onnx) bytes += job.request.written_onnx->size();
    }
    return bytes;
  }

  ExecResults results_of(const ExecJob& job, const ExecAnswer& answer, const std::vector<WrittenInput>& inputs) const {
    Answers answers(ir::cat("candidate '", program_.options.name, "'"), job.graph, job.names, job.wanted,
                    program_.options.storage);
    if (answer.status == ExecStatus::unsupported) return {.refused = answer.message};
    if (answer.status == ExecStatus::error) give_up(program_, fault_, "says: ", answer.message);
    if (answer.status == ExecStatus::failed) answers.fail("failed: ", answer.message);
    check_inputs(inputs, answers);
    for (const auto& value : answer.values) take(job.graph, value, answers);
    answers.require_all(job.required);
    ExecResults made;
    report(job.graph, answer, answers, made);
    made.values = std::move(answers.values);
    made.notes = answers.notes();
    return made;
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

  void take(const ir::Graph& graph, const AnsweredTensor& answered, Answers& answers) const {
    const auto value = answers.wanted_by(answered.name);
    if (!value) return;
    const std::string where = ir::cat("value '", shown_name(answered.name), "', ", shown_name(answered.file), ": ");
    believe(program_, fault_, where, [&] { check_tensor(scratch_.descriptor(), answered); });
    const ir::TensorType& type = graph.type(*value);
    const bool is_of_type = answered.type == type;
    if (!is_of_type) fault_ = answered.type.shape == type.shape ? Fault::wrong_dtype : Fault::wrong_shape;
    answers.require_type(answered.name, answered.type, *value);
    answers.add(answered.name, *value,
                believe(program_, fault_, where, [&] { return read_tensor(scratch_.descriptor(), answered); }));
    fault_ = Fault::none;  // a wider dtype has taken all of its numbers
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
  Fault& fault_;
  const Scratch scratch_;
};

std::vector<ExecResults> Exchange::run() {
  std::vector<ExecRequest> requests;
  for (const ExecJob& job : jobs_) requests.push_back(job.request);
  const auto inputs = write_request(scratch_.descriptor(), requests);
  answer_in(scratch_, program_, fault_);
  const std::vector<ExecAnswer> answers =
      believe(program_, fault_, "", [&] { return read_answers(scratch_.descriptor(), jobs_.size()); });
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

ir::files::ProcessEnd ask(const ExecProgram& program, const Scratch& scratch, std::chrono::seconds time) {
  if (program.server) return program.server->ask(scratch.path(), time).value_or(ir::files::ProcessEnd{});
  std::vector<std::string> words = program.words;
  words.push_back(scratch.path());
  return ir::files::run_process(words, {.time = time});
}

Refusals refused_nodes(const ExecProgram& program, const ExecRequest& request, const ir::Graph& graph) {
  const Scratch scratch(request.written_onnx ? request.written_onnx->size() : 0, program.options.keep);
  write_support_request(scratch.descriptor(), request);
  Fault fault = Fault::none;
  answer_in(scratch, program, fault);
  std::set<std::string> labels;
  for (const ir::Node& node : graph.nodes()) labels.insert(node.label);
  return believe(program, fault, "", [&] { return read_refusals(scratch.descriptor(), labels); });
}

std::vector<ExecResults> run_program(const ExecProgram& program, const std::vector<ExecJob>& jobs, Fault& fault) {
  return Exchange(program, jobs, fault).run();
}

}  // namespace plumb::parity::foreign

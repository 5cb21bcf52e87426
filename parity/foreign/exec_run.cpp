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

/// Lets the program answer the request in a folder.
void answer_in(const Scratch& scratch, const ExecProgram& program, Fault& fault) {
  std::vector<std::string> words = program.words;
  words.push_back(scratch.path());
  const auto end = ir::files::run_process(words, {.time = program.options.timeout});
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

/// One run, whose steps share what was asked and where.
class ExecRun {
 public:
  ExecRun(const ExecProgram& program, const ExecRequest& request, const ir::Graph& graph, Answers& answers,
          Fault& fault)
      : program_(program),
        request_(request),
        graph_(graph),
        answers_(answers),
        fault_(fault),
        scratch_(bytes_of(request), program.options.keep) {}

  ExecResults run(const std::vector<ir::Value>& required) {
    const auto inputs = write_request(scratch_.descriptor(), request_);
    answer_in(scratch_, program_, fault_);
    const ExecAnswer answer = believe(program_, fault_, "", [&] { return read_answer(scratch_.descriptor()); });
    obey(answer);
    check_inputs(inputs);
    for (const auto& value : answer.values) take(value);
    answers_.require_all(required);
    ExecResults made;
    report(answer, made);
    made.values = std::move(answers_.values);
    made.notes = answers_.notes();
    return made;
  }

 private:
  static std::uint64_t bytes_of(const ExecRequest& request) {
    std::uint64_t bytes = 0;
    for (const auto& input : request.inputs) bytes += input.tensor.bytes().size();
    for (const auto& value : request.wanted) bytes += value.type.bytes();
    if (request.written_onnx) bytes += request.written_onnx->size();
    return bytes;
  }

  /// Throws what the candidate says.
  void obey(const ExecAnswer& answer) {
    if (answer.status == ExecStatus::unsupported) throw ir::Unsupported(answer.message);
    if (answer.status == ExecStatus::error) give_up(program_, fault_, "says: ", answer.message);
    if (answer.status == ExecStatus::failed) answers_.fail("failed: ", answer.message);
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
      if (!is_same(input)) answers_.fail("changed its input '", shown_name(input.name), "' (", input.file, ")");
  }

  void take(const AnsweredTensor& answered) {
    const auto value = answers_.wanted_by(answered.name);
    if (!value) return;
    const std::string where = ir::cat("value '", shown_name(answered.name), "', ", shown_name(answered.file), ": ");
    believe(program_, fault_, where, [&] { check_tensor(scratch_.descriptor(), answered); });
    const ir::TensorType& type = graph_.type(*value);
    const bool is_of_type = answered.type == type;
    if (!is_of_type) fault_ = answered.type.shape == type.shape ? Fault::wrong_dtype : Fault::wrong_shape;
    answers_.require_type(answered.name, answered.type, *value);
    answers_.add(answered.name, *value,
                 believe(program_, fault_, where, [&] { return read_tensor(scratch_.descriptor(), answered); }));
    fault_ = Fault::none;  // a wider dtype has taken all of its numbers
  }

  void report(const ExecAnswer& answer, ExecResults& made) {
    made.nodes = foreign_nodes(graph_);
    for (const auto& node : answer.nodes) {
      const auto value = answers_.find(node.value);
      const auto producer = value ? graph_.producer(*value) : std::nullopt;
      if (!producer) continue;
      ir::NodeReport& report = made.nodes[*producer];
      report.kernel = node.kernel;
      report.nanoseconds = node.nanoseconds;
      report.sums = node.sums;
    }
  }

  const ExecProgram& program_;
  const ExecRequest& request_;
  const ir::Graph& graph_;
  Answers& answers_;
  Fault& fault_;
  const Scratch scratch_;
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

Refusals refused_nodes(const ExecProgram& program, const ExecRequest& request, const ir::Graph& graph) {
  const Scratch scratch(request.written_onnx ? request.written_onnx->size() : 0, program.options.keep);
  write_support_request(scratch.descriptor(), request);
  Fault fault = Fault::none;
  answer_in(scratch, program, fault);
  std::set<std::string> labels;
  for (const ir::Node& node : graph.nodes()) labels.insert(node.label);
  return believe(program, fault, "", [&] { return read_refusals(scratch.descriptor(), labels); });
}

ExecResults run_program(const ExecProgram& program, const ExecRequest& request, const ir::Graph& graph,
                        const ValueNames& names, const std::vector<ir::Value>& wanted,
                        const std::vector<ir::Value>& required, Fault& fault) {
  Answers answers(ir::cat("candidate '", program.options.name, "'"), graph, names, wanted);
  return ExecRun(program, request, graph, answers, fault).run(required);
}

}  // namespace plumb::parity::foreign

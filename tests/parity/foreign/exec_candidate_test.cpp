// Programs as candidates: a good one, and one for each way in which an exchange may go wrong. Nothing is left of any.
#include "parity/foreign/exec_candidate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "ir/files/interruption.hpp"
#include "parity/cases/case.hpp"
#include "tests/parity/foreign/exec_fixture.hpp"

namespace plumb::exec_candidate_test {
namespace {

using namespace tests::exec;
using parity::foreign::open_exec;
using parity::foreign::Taps;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(Exec, AGoodOneGivesItsValues) {
  setenv("TOY_VARIABLE", "7", 1);  // NOLINT(concurrency-mt-unsafe)
  const auto candidate = open("good");
  const auto says = candidate->description();
  EXPECT_EQ(says.kind, "exec");
  EXPECT_THAT(says.spec, HasSubstr("python3 -I -S '"));
  EXPECT_EQ(says.name + says.version + says.device, "toy2.1cpu");
  EXPECT_TRUE(says.keeps_subnormals);
  EXPECT_THAT(says.environment, ElementsAre("TOY_VARIABLE=7"));
  EXPECT_TRUE(candidate->computes());

  const auto executable = candidate->compile(graph_, params(), {.wanted = graph_.results(), .surviving = true});
  EXPECT_EQ(executable->nodes().at(0).placement, ir::Placement::foreign);
  const auto values = executable->run(inputs());
  ASSERT_EQ(values.size(), 2U);
  EXPECT_THAT(numbers(values.at(h_)), ElementsAre(0, 2, 0, 4, 0, 6));
  EXPECT_THAT(numbers(values.at(y_)), ElementsAre(1, 3, 1, 6, 2, 8));
  const auto nodes = executable->nodes();
  EXPECT_EQ(nodes.at(0).placement, ir::Placement::foreign);
  EXPECT_EQ(nodes.at(0).kernel, "");
  EXPECT_EQ(nodes.at(1).kernel, "add_avx2");
  EXPECT_EQ(nodes.at(1).nanoseconds, 1800U);
  EXPECT_EQ(candidate->pairing().size(), 2U);
  EXPECT_EQ(candidate->pairing().at(h_), parity::foreign::Pairing::exact);
  EXPECT_THAT(candidate->notes(), IsEmpty());
}

TEST_F(Exec, ItIsAskedForWhatIsLookedAt) {
  const auto candidate = open("good");
  EXPECT_EQ(run(*candidate, {.wanted = graph_.results()}).values.size(), 1U);
  EXPECT_EQ(run(*candidate, {.wanted = graph_.results(), .surviving = true, .of_interest = std::set<ir::Value>()})
                .values.size(),
            1U);
  EXPECT_EQ(run("good", {.taps = Taps::results}).values.size(), 1U);
  EXPECT_EQ(run("results-only").values.size(), 1U);
  EXPECT_EQ(run(*candidate, {.wanted = graph_.results(), .surviving = true, .as_plain = true}).kind, "unsupported");
}

TEST_F(Exec, ACommandIsSplitAsAShellDoes) {
  const auto candidate = open_exec(python().front() + " -I -S '" + script_ + "' good");
  EXPECT_EQ(run(*candidate, {.wanted = graph_.results()}).kind, "");
  EXPECT_EQ(outcome_of([] { return open_exec("a 'b"), ir::Tensors{}; }).message,
            "exec:a 'b: has a ' without a second one");
}

TEST_F(Exec, EachWayToGoWrongHasItsRow) {
  const std::vector<Row> rows = {
      {"segfault", "device", "candidate 'exec' was ended by SIGSEGV"},
      {"abort", "device", "candidate 'exec' was ended by SIGABRT; its last lines:\nline 10\nline 11\n"},
      {"silence", "device", "candidate 'exec' gave no answer: it ended without a response.json"},
      {"exit", "device", "candidate 'exec' ended with exit status 3; its last lines:\nout of paper"},
      {"size", "device", "value 'y', out/1.bin: has 25 bytes of elements, f32[2, 3] wants 24"},
      {"garbage", "device", "candidate 'exec' gave a malformed answer: response.json: "},
      {"up", "device", "file 'out/../../y.bin' is no path below the exchange's folder"},
      {"link", "device", "value 'y', out/1.bin: is a link"},
      {"folder-link", "device", "out/0.bin: cannot be opened: Not a directory"},
      {"pipe", "device", "value 'y', out/1.bin: is not a regular file"},
      {"vast", "device", "has 24 bytes of elements, f32[1048576, 1048576] wants 4398046511104"},
      {"vast-file", "failed", "gave 'y' as f32[32768, 65536], the graph says f32[2, 3]"},
      {"overflow", "device", "gave a malformed answer: response.json: value 'y': "},
      {"shape", "failed", "candidate 'exec' gave 'y' as f32[3, 2], the graph says f32[2, 3]"},
      {"twice", "device", "value 'y' is there twice"},
      {"no-result", "failed", "candidate 'exec' gave nothing for 'y'"},
      {"changes-input", "failed", "candidate 'exec' changed its input 'w' (in/1.npy)"},
      {"no-field", "device", "has no field 'nanoseconds'"},
      {"sums", "device", "response.json: node of 'y': "},
      {"unsupported", "unsupported", "because of the weather"},
      {"error", "device", "candidate 'exec' says: because of the weather"},
      {"failed", "failed", "candidate 'exec' failed: because of the weather"},
      {"no-message", "device", "status 'error' needs a message"},
      {"unreadable", "", ""},
  };
  std::ofstream(script_ + ".how") << "good";
  const auto candidate = open("by-file");
  for (const Row& row : rows) {
    std::ofstream(script_ + ".how") << row.how;
    const Outcome seen = run(*candidate, {.wanted = graph_.results(), .surviving = true});
    EXPECT_EQ(seen.kind, row.kind) << row.how;
    EXPECT_THAT(seen.message, HasSubstr(row.message)) << row.how;
    EXPECT_THAT(exchanges(), IsEmpty()) << row.how;
  }
}

TEST_F(Exec, ALateOneIsEndedWithAllThatItStarted) {
  pid_t grandchild = 0;
  for (int seconds = 1; grandchild == 0 && seconds < 60; seconds *= 4) {  // a busy machine is slow to start it
    const auto seen = run("sleep", {.timeout = std::chrono::seconds(seconds)});
    EXPECT_EQ(seen.kind, "device");
    EXPECT_EQ(seen.message, ir::cat("candidate 'exec' gave no answer within ", seconds, " s"));
    std::ifstream(script_ + ".pid") >> grandchild;
  }
  ASSERT_GT(grandchild, 0);
  EXPECT_FALSE(fs::exists("/proc/" + std::to_string(grandchild)));
}

TEST_F(Exec, AnInterruptionEndsTheProgramAndRemovesTheExchange) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGINT, SIG_DFL);
    ir::files::end_in_order_when_interrupted();
    run("sleep");
    _exit(0);
  }
  pid_t grandchild = 0;
  for (int k = 0; k < 2000 && grandchild == 0; ++k) {
    std::ifstream(script_ + ".pid") >> grandchild;
    if (grandchild == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(exchanges(child).size(), 1U);
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WTERMSIG(status), SIGINT);
  EXPECT_FALSE(fs::exists("/proc/" + std::to_string(grandchild)));
  EXPECT_THAT(exchanges(child), IsEmpty());
}

TEST_F(Exec, EndlessOutputIsNotKept) {
  Outcome seen;
  for (int seconds = 1; seen.message.find('\n') == std::string::npos && seconds < 60; seconds *= 4) {
    seen = run("endless", {.timeout = std::chrono::seconds(seconds)});
    EXPECT_THAT(seen.message, StartsWith(ir::cat("candidate 'exec' gave no answer within ", seconds, " s")));
  }
  EXPECT_THAT(seen.message, HasSubstr("; its last lines:\non and on\n"));
  EXPECT_LT(seen.message.size(), 5000U);
}

TEST_F(Exec, AWiderDtypeIsTakenWhereItsNumbersFit) {
  const auto seen = run("dtype");
  ASSERT_EQ(seen.kind, "") << seen.message;
  EXPECT_EQ(seen.values.at(y_).dtype(), ir::DType::f32);
}

TEST_F(Exec, UnknownNamesAreNoted) {
  const auto candidate = open("unknown");
  EXPECT_EQ(run(*candidate, {.wanted = graph_.results(), .surviving = true}).values.size(), 2U);
  EXPECT_THAT(candidate->notes(), ElementsAre(StartsWith("'hh' is no value of the graph")));
}

TEST_F(Exec, OneThatDoesNotDescribeItselfIsAnError) {
  const auto message = [&](const std::string& how) {
    const auto seen = outcome_of([&] { return open(how), ir::Tensors{}; });
    EXPECT_EQ(seen.kind, "error");
    EXPECT_THAT(seen.message, HasSubstr("toy candidate.py' " + how + ": does not describe itself"));
    return seen.message;
  };
  EXPECT_THAT(message("describe-exits"), HasSubstr("ended with exit status 4; its last lines:\nno describing?[2J"));
  EXPECT_THAT(message("describe-garbage"), HasSubstr("response.json: candidate: name must be"));
  EXPECT_THAT(message("describe-nothing"), HasSubstr("ended without a response.json"));
  EXPECT_EQ(outcome_of([] { return open_exec("no-such-program"), ir::Tensors{}; }).message,
            "program 'no-such-program' is not in PATH");
  EXPECT_EQ(outcome_of([] { return open_exec("  "), ir::Tensors{}; }).message, "exec:  : no command is given");
}

TEST_F(Exec, ExchangesAreKeptOnRequest) {
  const fs::path keep = folder_.path / "kept" / "here";
  EXPECT_EQ(run("good", {.keep = keep}).kind, "");
  EXPECT_TRUE(fs::exists(keep / "run-1" / "response.json"));  // its description
  EXPECT_TRUE(fs::exists(keep / "run-2" / "in" / "1.npy"));
  EXPECT_EQ(fs::status(keep / "run-2").permissions(), fs::perms::owner_all);
}

TEST_F(Exec, OneThatServesIsStartedOnce) {
  const ir::Capture all{.wanted = graph_.results(), .surviving = true};
  const auto starts = [&] {
    std::ifstream file(script_ + ".started");
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  };
  {
    const auto candidate = open("serves");
    for (int k = 0; k < 3; ++k) {
      const auto seen = run(*candidate, all);
      ASSERT_EQ(seen.kind, "") << seen.message;
      EXPECT_THAT(numbers(seen.values.at(y_)), ElementsAre(1, 3, 1, 6, 2, 8));
    }
    EXPECT_EQ(starts(), 1);
  }
  const auto candidate = open("serves-once");  // it ends by itself after an answer
  for (int k = 0; k < 2; ++k) EXPECT_EQ(run(*candidate, all).kind, "");
  EXPECT_EQ(starts(), 3);
}

TEST_F(Exec, OneThatServesIsStartedAgainWhenItIsGone) {
  const ir::Capture all{.wanted = graph_.results(), .surviving = true};
  const auto candidate = open("serves-dies");
  EXPECT_EQ(run(*candidate, all).kind, "");
  const auto dead = run(*candidate, all);
  EXPECT_EQ(dead.kind, "device");
  EXPECT_EQ(dead.message, "candidate 'exec' ended with exit status 1; its last lines:\nout of paper");
  EXPECT_EQ(run(*candidate, all).kind, "");

  const auto slow = open("serves-hangs", {.timeout = std::chrono::seconds(5)});
  EXPECT_EQ(run(*slow, all).kind, "");
  EXPECT_EQ(run(*slow, all).message, "candidate 'exec' gave no answer within 5 s");
  EXPECT_EQ(slow->fault(), parity::foreign::Fault::late);
  EXPECT_EQ(run(*slow, all).kind, "");
}

TEST_F(Exec, TheModelIsGivenWhereItIsWhatRuns) {
  const fs::path keep = folder_.path / "kept";
  const auto request = [&](int number) {
    std::ifstream file(keep / ("run-" + std::to_string(number)) / "request.json");
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  auto file = std::make_shared<ir::formats::GraphFile>(ir::formats::parse_graph(graph_text, {}));
  file->sources.insert_or_assign("w", params().at("w"));
  file->aliases = {{"relu out", h_}};
  parity::cases::Case subject{.name = "models/m.onnx", .file = file};
  subject.origin.is_of_file = true;
  const auto candidate = open("good", {.keep = keep});
  const ir::Capture all{.wanted = graph_.results(), .surviving = true};

  candidate->begins(subject);
  EXPECT_EQ(run(*candidate, all).kind, "");
  const std::string model = "\"onnx\": \"" + fs::absolute("models/m.onnx").string() + "\"";
  const auto spaced = [](std::string text) {
    std::erase(text, ' ');
    return text;
  };
  EXPECT_THAT(spaced(request(2)), HasSubstr(spaced(model)));
  EXPECT_THAT(request(2), HasSubstr("relu out"));
  // Other params are not the model's.
  EXPECT_EQ(outcome_of([&] {
              return candidate->compile(graph_, {{"w", inputs().at("x")}}, all)->run(inputs());
            }).kind,
            "");
  EXPECT_THAT(request(3), Not(HasSubstr("onnx")));
  subject.dtype = ir::DType::f16;
  candidate->begins(subject);
  EXPECT_EQ(run(*candidate, all).kind, "");
  EXPECT_THAT(request(4), Not(HasSubstr("onnx")));
}

TEST_F(Exec, TheCandidateOfTheDocsComputesInNumPy) {
  const std::string command =
      python().front() + " '" + (tests::source_dir() / "docs/example/numpy_candidate.py").string() + "'";
  if (std::system((python().front() + " -c 'import numpy' 2>/dev/null").c_str()) != 0)  // NOLINT(cert-env33-c)
    GTEST_SKIP() << "Python has no NumPy";
  const auto candidate = open_exec(command);
  EXPECT_EQ(candidate->description().name, "numpy");
  const auto graph = ir::formats::parse_graph(R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f32[2, 3]"}}, "params": {"w": {"type": "f32[3, 2]"}},
    "nodes": [{"label": "h", "op": "unary", "inputs": ["x"], "function": "relu"},
              {"label": "p", "op": "matmul", "inputs": ["h", "w"]},
              {"label": "s", "op": "binary", "inputs": ["p", "p"], "function": "add"},
              {"label": "y", "op": "softmax", "inputs": ["s"], "axis": 0}],
    "results": ["y"]})",
                                              {})
                         .graph;
  const ir::Feeds params = {{"w", ir::Tensor::of<float>({3, 2}, {1, 0, 0, 1, 1, 0})}};
  const auto executable = candidate->compile(graph, params, {.wanted = graph.results(), .surviving = true});
  const auto values = executable->run(inputs());
  ASSERT_EQ(values.size(), 4U);
  EXPECT_THAT(numbers(values.at(*graph.find("s"))), ElementsAre(0, 4, 20, 0));
  const auto y = numbers(values.at(*graph.find("y")));
  EXPECT_FLOAT_EQ(y[0] + y[2], 1);
  EXPECT_FLOAT_EQ(y[1], 1 / (1 + std::exp(-4.F)));
  const auto tanh = ir::formats::parse_graph(R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[2, 3]"}},
    "nodes": [{"label": "y", "op": "unary", "inputs": ["x"], "function": "tanh"}], "results": ["y"]})",
                                             {})
                        .graph;
  const auto refused = outcome_of([&] { return candidate->compile(tanh, {}, {tanh.results()})->run(inputs()); });
  EXPECT_EQ(refused.kind, "unsupported");
  EXPECT_EQ(refused.message, "y: no unary tanh here");
}

TEST_F(Exec, OneForModelsAloneRefusesGraphs) {
  const auto seen = run("onnx-only");
  EXPECT_EQ(seen.kind, "unsupported");
  EXPECT_THAT(seen.message, HasSubstr("takes ONNX models alone"));
}

}  // namespace
}  // namespace plumb::exec_candidate_test

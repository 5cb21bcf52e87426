// A graph and a program that computes it, rightly or in one of many wrong ways (toy_candidate.py).
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ir/formats/graph_file.hpp"
#include "parity/core/candidate_error.hpp"
#include "parity/foreign/exec_candidate.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/temporary_folder.hpp"

namespace plumb::tests::exec {

namespace fs = std::filesystem;
using parity::foreign::Candidate;
using parity::foreign::ExecOptions;
using parity::foreign::open_exec_words;
using ::testing::IsEmpty;

inline constexpr std::string_view graph_text = R"({"format": "plumb.graph/1",
  "inputs": {"x": {"type": "f32[2, 3]"}}, "params": {"w": {"type": "f32[2, 3]"}},
  "nodes": [{"label": "h", "op": "unary", "inputs": ["x"], "function": "relu"},
            {"label": "y", "op": "binary", "inputs": ["h", "w"], "function": "add"}],
  "results": ["y"]})";

/// The exchanges of a process that are still there.
inline std::vector<fs::path> exchanges(pid_t process = getpid()) {
  std::vector<fs::path> found;
  for (const fs::path& parent : {fs::path("/dev/shm"), fs::temp_directory_path()})
    if (fs::exists(parent))
      for (const auto& one : fs::directory_iterator(parent))
        if (one.path().filename().string().starts_with("plumb-exchange-" + std::to_string(process) + "-"))
          found.push_back(one.path());
  return found;
}

/// Python itself, not a shell script in front of it, and without what it would load besides.
inline std::vector<std::string> python() {
  const bool is_there = fs::exists("/usr/bin/python3");
  return {is_there ? "/usr/bin/python3" : "python3", "-I", "-S"};
}

/// How a run ended: the kind of what was thrown, and its message.
struct Outcome {
  std::string kind, message;
  ir::Tensors values = {};
};

template <class Act>
Outcome outcome_of(Act act) {
  try {
    return {"", "", act()};
  } catch (const parity::core::CandidateError& error) {
    return {"failed", error.what()};
  } catch (const ir::DeviceError& error) {
    return {"device", error.what()};
  } catch (const ir::Unsupported& error) {
    return {"unsupported", error.what()};
  } catch (const ir::Error& error) {
    return {"error", error.what()};
  }
}

class Exec : public ::testing::Test {
 protected:
  Exec() {
    fs::create_directory(folder_.path);
    fs::copy_file(tests::source_dir() / "tests/parity/foreign/toy_candidate.py", script_);
  }
  ~Exec() override { EXPECT_THAT(exchanges(), IsEmpty()); }

  std::unique_ptr<Candidate> open(const std::string& how, const ExecOptions& options = {}) const {
    auto words = python();
    words.push_back(script_);
    words.push_back(how);
    return open_exec_words(words, options);
  }

  Outcome run(Candidate& candidate, const ir::Capture& capture) const {
    return outcome_of([&] { return candidate.compile(graph_, params(), capture)->run(inputs()); });
  }
  Outcome run(const std::string& how, const ExecOptions& options = {}) const {
    return run(*open(how, options), {.wanted = graph_.results(), .surviving = true});
  }

  ir::Feeds inputs() const { return {{"x", ir::Tensor::of<float>({2, 3}, {-1, 2, -3, 4, -5, 6})}}; }
  ir::Feeds params() const { return {{"w", ir::Tensor::of<float>({2, 3}, {1, 1, 1, 2, 2, 2})}}; }

  const tests::TemporaryFolder folder_;
  const std::string script_ = folder_.path / "toy candidate.py";
  const ir::Graph graph_ = ir::formats::parse_graph(graph_text, {}).graph;
  const ir::Value h_ = *graph_.find("h"), y_ = *graph_.find("y");
};

inline std::vector<float> numbers(const ir::Tensor& tensor) {
  const auto all = tensor.as<float>();
  return {all.begin(), all.end()};
}

/// A way to behave, and how a run ends then.
struct Row {
  std::string how, kind, message;
};

}  // namespace plumb::tests::exec

#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "parity/foreign/candidate.hpp"

namespace plumb::parity::foreign {

/// Makes ONNX models of graphs, for programs that take these.
struct OnnxWriter {
  /// The bytes of a model in which these params are stored. Throws Unsupported, with the nodes, where there is none.
  std::function<std::string(const ir::Graph&, const ir::Feeds& params)> write = {};
  /// Why there is none for a node of a graph; "" where there may be one.
  std::function<std::string(const ir::Graph&, const ir::Node&)> why_not = {};
};

/// How a program is asked (docs/exec.md).
struct ExecOptions {
  Taps taps = Taps::surviving;  ///< for runs that are looked into; plain runs ask for results alone
  Storage storage = Storage::graph;
  std::chrono::seconds timeout{600};  ///< for each run
  std::filesystem::path keep = {};    ///< a folder that keeps every exchange; "": none is kept
  std::string kind = "exec";          ///< in the description
  std::string spec = {};              ///< in the description; "": the command
  std::string name = {};              ///< in messages and reports; "": the kind
  bool serves = false;                ///< it is known to stay alive between requests: it is started once, with "-"
  OnnxWriter onnx = {};               ///< without it, programs get no ONNX model but the user's own file
};

/// A program that computes graphs by plumb.exec/1: `command` is split as a POSIX shell does and started, without a
/// shell, with a folder as its last word, once now to describe itself and once for each run. Throws Error, with the
/// command, where it cannot be started or does not describe itself within 10 s.
std::unique_ptr<Candidate> open_exec(const std::string& command, const ExecOptions& options = {});

/// As open_exec, for a command whose words are known.
std::unique_ptr<Candidate> open_exec_words(std::vector<std::string> words, const ExecOptions& options = {});

}  // namespace plumb::parity::foreign

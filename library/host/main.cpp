// The program candidate-host: loads code of the user's, so that what that does ends this process and not plumb's.
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <functional>
#include <iostream>
#include <vector>

#include "library/host/exchange.hpp"
#include "library/host/plugin.hpp"
#include "library/host/tvm_function.hpp"

namespace plumb::library::host {
namespace {

constexpr std::string_view usage =
    "usage: candidate-host plugin LIB[:ARGS] DIR\n"
    "       candidate-host tvmffi LIB.so::SYMBOL [--args x0,x1,alpha,x0.shape[1],y0] [--align N] [--memory cuda:N] "
    "DIR\n"
    "DIR holds request.json of schema plumb.exec/1 and gets response.json; - reads such folders from stdin, a line "
    "each,\n"
    "and repeats the line when it has answered.\n"
    "Exit codes: 0 it answered; 2 the library cannot be loaded, or the request cannot be read\n";

std::size_t alignment_in(const std::string& text) {
  std::size_t align = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), align);
  ir::require(problem == std::errc() && end == text.data() + text.size() && align >= 1 && align <= 4096 &&
                  (align & (align - 1)) == 0,
              "--align ", text, ": it is a power of two, at most 4096");
  return align;
}

/// The number of the device that "cuda:1" names; nothing for "host".
std::optional<int> device_in(const std::string& text) {
  if (text == "host") return std::nullopt;
  const std::string number = text == "cuda" ? "0" : text.starts_with("cuda:") ? text.substr(5) : "";
  int device = 0;
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), device);
  ir::require(!number.empty() && problem == std::errc() && end == number.data() + number.size() && device >= 0,
              "--memory ", text, ": it is host, cuda or cuda:N");
  return device;
}

TvmFunction function_in(const std::vector<std::string>& words) {
  TvmFunction which;
  const std::size_t separator = words[1].rfind("::");
  ir::require(separator != std::string::npos && separator > 0 && separator + 2 < words[1].size(), "'", words[1],
              "' is not LIB.so::SYMBOL");
  which.library = words[1].substr(0, separator);
  which.symbol = words[1].substr(separator + 2);
  for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
    const std::string& flag = words[i];
    ir::require(i + 2 < words.size() && (flag == "--args" || flag == "--align" || flag == "--memory"), "unexpected '",
                flag, "'\n", usage);
    if (flag == "--args") which.args = words[i + 1];
    if (flag == "--align") which.align = alignment_in(words[i + 1]);
    if (flag == "--memory") which.cuda_device = device_in(words[i + 1]);
  }
  return which;
}

/// Where answers are told: stdout as it was. What anybody prints there from now on goes to stderr.
int take_stdout() {
  const int answers = dup(STDOUT_FILENO);
  ir::require(answers >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0, "stdout cannot be had");
  return answers;
}

/// Answers requests in the folders that stdin names, until one goes wrong: a device that a function had fault, or a
/// plugin that failed, is of no use to the next one, which another process then answers.
void serve(int answers, const std::function<bool(const Request&)>& answer) {
  std::string folder;
  for (bool is_good = true; is_good && std::getline(std::cin, folder);) {
    is_good = answer(Request(folder));
    folder = '\n' + folder + '\n';  // a line of its own, whatever was printed before it
    ir::require(write(answers, folder.data(), folder.size()) == static_cast<ssize_t>(folder.size()),
                "the answer cannot be told");
  }
  close(answers);
}

void run_function(const std::vector<std::string>& words) {
  const TvmFunction which = function_in(words);
  const auto answer = [&which](const Request& request) { return host_tvm_function(request, which); };
  if (words.back() != "-") {
    answer(Request(words.back()));
    return;
  }
  serve(take_stdout(), answer);
  // CUDA's own threads may still work on what a function left, so nothing is taken down in turn.
  _exit(0);
}

void run_plugin(const std::string& spec, const std::string& folder) {
  const bool serves = folder == "-";
  const int answers = serves ? take_stdout() : -1;  // before the plugin, which may print when it is loaded
  const auto answer = open_plugin(spec);
  if (serves)
    serve(answers, answer);
  else
    answer(Request(folder));
}

int run(const std::vector<std::string>& words) {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  try {
    if (words.size() == 3 && words[0] == "plugin")
      run_plugin(words[1], words[2]);
    else if (words.size() >= 3 && words[0] == "tvmffi")
      run_function(words);
    else
      ir::fail(usage);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "candidate-host: " << error.what() << '\n';
    return 2;
  }
}

}  // namespace
}  // namespace plumb::library::host

int main(int argc, char** argv) { return plumb::library::host::run({argv + 1, argv + argc}); }

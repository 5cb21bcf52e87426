// The subcommands of plumb with their help; each declares its flags and returns what to do.
#pragma once

#include <functional>
#include <string_view>

namespace CLI {
class App;
}

namespace plumb::parity::cli {

/// What a subcommand does once its flags are parsed; returns the exit code.
using Action = std::function<int()>;

/// Each declares its flags on `app` and returns what to do with them.
Action verify(CLI::App& app);
Action run(CLI::App& app);
Action dump(CLI::App& app);
Action sweep(CLI::App& app);
Action inspect(CLI::App& app);
Action convert(CLI::App& app);
Action conformance(CLI::App& app);
Action judge(CLI::App& app);
Action policy(CLI::App& app);
Action fit(CLI::App& app);
Action power(CLI::App& app);
Action search(CLI::App& app);
Action probe(CLI::App& app);
Action plan(CLI::App& app);
Action calibrate(CLI::App& app);
Action ops(CLI::App& app);
Action devices(CLI::App& app);
Action options(CLI::App& app);

struct Command {
  std::string_view name, help;
  Action (*declare)(CLI::App&);
};

inline constexpr Command commands[] = {
    {"verify", "run graphs on the reference and on the device, compare every node, judge, record", verify},
    {"run", "run a graph on one executor: inputs in, results out", run},
    {"dump", "write tensors of chosen nodes from both executors", dump},
    {"sweep", "run a graph at several precisions: error, bound and time, and which nodes may run in f16", sweep},
    {"inspect", "show a graph, a model or a results file", inspect},
    {"convert", "write an ONNX model as a graph file, with its weights beside it", convert},
    {"conformance", "run ONNX's backend tests on both executors", conformance},
    {"judge", "judge the runs of a results file by a policy, without a device", judge},
    {"policy", "check a policy file", policy},
    {"fit", "fit limits to results files, for a stated rate of false alarms", fit},
    {"power", "plant faults in every node and say which of them the verdict would catch", power},
    {"search", "look for numbers that bring a graph close to its limits", search},
    {"probe", "find by experiment how a device rounds", probe},
    {"plan", "show how the device would run a graph: kernels, tiles and memory, and why", plan},
    {"calibrate", "time matrix-product tiles, transfers and submits on the device, and keep what is fastest",
     calibrate},
    {"ops", "list every op, its attributes and which executors run it", ops},
    {"devices", "list the Vulkan devices, and why a device is refused", devices},
    {"options", "list every knob, its default and its environment variable", options},
};

}  // namespace plumb::parity::cli

// microstep_bench [--check] [--rounds=N] [--only=PART_OF_A_NAME] [--benchmark_... as in every Google Benchmark]
// Google Benchmark shows each piece of work; the table behind it holds figures against limits, with --check as the exit
// code too.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "measure.hpp"

namespace microstep::bench {
namespace {

struct Options {
  bool check = false;
  int rounds = 15;
  std::string_view only;
};

constexpr int least_rounds = 10;

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--check") options.check = true;
    if (argument.starts_with("--rounds=")) options.rounds = std::max(least_rounds, std::atoi(argv[i] + 9));
    if (argument.starts_with("--only=")) options.only = argument.substr(7);
  }
  return options;
}

std::vector<Case> chosen_cases(std::string_view part) {
  std::vector<Case> cases;
  for (auto* make : {experiment_cases, window_cases, network_cases, bound_cases, start_cases})
    for (Case& made : make())
      if (made.name.find(part) != std::string::npos) cases.push_back(std::move(made));
  return cases;
}

void show(const Work& work) {
  benchmark::RegisterBenchmark(work.name.c_str(), [&work](benchmark::State& state) {
    for (auto _ : state) {
      if (work.prepare) {
        state.PauseTiming();
        work.prepare();
        state.ResumeTiming();
      }
      work.run();
    }
  })->MinTime(0.1);
}

int run(int argc, char** argv) {
  const Options options = options_of(argc, argv);
  benchmark::Initialize(&argc, argv);
  const std::vector<Case> cases = chosen_cases(options.only);
  for (const Case& which : cases) {
    show(which.subject);
    if (which.peer) show(*which.peer);
  }
  benchmark::RunSpecifiedBenchmarks();
  const std::vector<Line> lines = measure(cases, options.rounds);
  std::fputs(table(lines).c_str(), stdout);
  return options.check && std::ranges::any_of(lines, &Line::missed_beyond_noise) ? 1 : 0;
}

}  // namespace
}  // namespace microstep::bench

int main(int argc, char** argv) { return microstep::bench::run(argc, argv); }

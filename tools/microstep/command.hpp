#pragma once
// One file a command: parse, call trial, print.
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "microstep/data/error.hpp"

namespace microstep::cli {

/// Exit codes; the highest severity wins: signals > 70 > 6 > 2 > 3 > 5 > 1 > 4.
enum Exit {
  as_expected = 0,
  differs = 1,
  usage = 2,
  bad_input = 3,
  nothing_decided = 4,
  no_port = 5,
  not_written = 6,
  own_bug = 70
};

/// Adds a subcommand; the action is run when it was chosen and answers the exit code.
struct Command {
  void (*add)(CLI::App& app, std::function<int()>& action);
};
std::vector<Command> commands();

void add_compare(CLI::App& app, std::function<int()>& action);
void add_contracts(CLI::App& app, std::function<int()>& action);
void add_demo(CLI::App& app, std::function<int()>& action);
void add_serve(CLI::App& app, std::function<int()>& action);
void add_judge(CLI::App& app, std::function<int()>& action);
void add_record(CLI::App& app, std::function<int()>& action);
void add_verify(CLI::App& app, std::function<int()>& action);
void add_diff(CLI::App& app, std::function<int()>& action);
void add_accept(CLI::App& app, std::function<int()>& action);
void add_floor(CLI::App& app, std::function<int()>& action);

/// What is wrong with a command line: usage.no-command, usage.unknown-command, usage.missing, usage.unexpected,
/// usage.wrong-type, usage.out-of-range, usage.wrong-count.
Error usage_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments);

/// What stood behind `--`: the command line of a port, unchanged.
std::vector<std::string>& port_command();

/// For a check of --seed: why the text is none, empty if it is. The parser would take a number beyond its bits, or
/// below 0, for the largest one.
std::string not_a_seed(const std::string& text);

/// Adds --timeout and --start-timeout, in seconds.
struct PortTimes {
  double request = 10, start = 30;
};
void add_port_times(CLI::App& command, PortTimes& times);

/// One line on a terminal's stderr that is written over; nothing elsewhere.
void show_progress(const std::string& what, std::size_t done, std::size_t all);

/// Control bytes other than line ends as \xHH, so that what a port or a file says cannot steer a terminal.
std::string printable(std::string_view text);

/// The error and its next step on standard error.
void tell(const Error& error);

/// Writes results; a full disk or a closed pipe is an Error output.stdout.
void print(const std::string& text);

}  // namespace microstep::cli

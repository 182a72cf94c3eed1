#pragma once
// A port that speaks the protocol: start, run, stop. Trouble in a case is an Errored answer; the next case gets a fresh
// process, three times in a row at most.
#include <string>
#include <variant>
#include <vector>

#include "microstep/data/trace.hpp"
#include "microstep/json/protocol.hpp"
#include "microstep/port/process.hpp"

namespace microstep {

class PortSession {
 public:
  /// Starts the port and asks for its facts. Throws Error with the trouble's id (port.*) if it never becomes usable.
  PortSession(std::vector<std::string> argv, ProcessOptions options = {});

  const PortFacts& facts() const { return facts_; }
  /// Trace, skipped or errored. Never throws for what the port does: a crash, hang or bad answer is Errored with its
  /// id.
  Answer run(const Plan& plan);
  /// Outputs, skipped or errored, in the same way; due: the shape that the outputs must have. Skipped where the port
  /// does not claim the model, the dtype, or any `forward`.
  ForwardAnswer forward(const Forward& forward, const Shape& due);
  /// The port as a producer; the session must outlive it.
  Producer producer();
  /// Asks it to stop and waits; how it ended. A warning where it did not end by itself with exit code 0. Safe to call
  /// again; a later run starts it anew.
  PortExit stop();
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// How many keys of its answers meant nothing to us.
  std::size_t ignored_keys() const { return ignored_keys_; }

 private:
  void start();
  /// ask() in a process that is usable, its trouble as Errored.
  template <class A, class Ask>
  A guarded(const Ask& ask);
  /// The answer to one request; what: the request in words, for errors.
  Document ask(const std::string& request, const std::string& what);
  Answer asked(const Plan& plan);

  std::vector<std::string> argv_;
  ProcessOptions options_;
  Process process_;
  PortFacts facts_;
  std::vector<std::string> warnings_;
  std::int64_t seq_ = 0;
  std::size_t ignored_keys_ = 0;
  int failures_in_a_row_ = 0;
  bool needs_restart_ = false;
};

}  // namespace microstep

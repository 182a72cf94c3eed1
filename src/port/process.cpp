#include "microstep/port/process.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "child.hpp"
#include "command.hpp"

namespace microstep {

using port::Child;

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kShownLines = 20;
constexpr std::string_view kAlone =
    "repeat it alone with --filter and the experiment's id; let the port say on stderr how far it comes";

std::string seconds(Child::Clock::duration time) {
  return fmt::format("{:g} s", static_cast<double>(std::chrono::round<std::chrono::milliseconds>(time).count()) / 1000);
}

}  // namespace

std::string to_string(const PortExit& exit) {
  return exit.signal.empty() ? fmt::format("exit {}", exit.code) : "killed by " + exit.signal;
}

struct Process::Conversation {
  explicit Conversation(ProcessOptions chosen) : options(std::move(chosen)), child(options) {}

  void start(const std::vector<std::string>& argv);
  std::optional<PortTrouble> send(std::string_view line);
  Received receive(Deadline deadline);
  Received check(std::string line);
  PortExit stop();
  void terminate();

  const PortTrouble& fail(std::string id, std::string message, std::string_view next = {});
  const PortTrouble& fail_with_exit();
  const PortTrouble& fail_with_timeout(std::string_view what, Child::Clock::duration waited);
  std::chrono::milliseconds timeout() const { return spoken ? options.request_timeout : options.start_timeout; }
  Deadline deadline() const { return Child::Clock::now() + timeout(); }

  ProcessOptions options;
  Child child;
  std::optional<PortTrouble> trouble;
  std::vector<std::string> warnings;
  bool spoken = false;
  bool forced = false;
};

void Process::Conversation::start(const std::vector<std::string>& argv) {
  const std::vector<std::string> environment = port::child_environment(options);
  trouble = port::refuse_command(argv, environment);
  if (trouble) return;
  const std::string file = *port::find_command(argv[0], environment);
  const int error = child.spawn(file, argv, environment);
  if (error != 0) trouble = port::explain_spawn_failure(file, error);
}

std::optional<PortTrouble> Process::Conversation::send(std::string_view line) {
  if (line.find('\n') != std::string_view::npos) throw std::invalid_argument("a line to a port holds a line end");
  if (trouble) return trouble;
  child.start_write(std::string(line) + '\n');
  const bool done = child.wait(deadline(), [this] { return child.write_result() || child.exited(); });
  if (!done) return fail_with_timeout("did not read our request", timeout());
  if (child.write_result() == 0) return std::nullopt;
  child.settle();
  if (child.exited()) return fail_with_exit();
  return fail("port.stdin-closed",
              fmt::format("the port closed its stdin and still runs ({}); it must read until 'stop'",
                          std::strerror(child.write_result().value_or(EPIPE))));
}

Process::Received Process::Conversation::receive(Deadline deadline) {
  if (trouble) return *trouble;
  const auto begin = Child::Clock::now();
  const auto too_long = [this] { return child.lines.first_line_size() > options.max_line; };
  child.resume_reading();
  child.wait(deadline, [&] { return child.lines.has_line() || child.exited() || child.stdout_ended() || too_long(); });
  const bool ended = child.exited() || child.stdout_ended();
  if (!child.lines.has_line() && ended) child.settle();
  if (too_long()) {
    return fail("port.line-too-long",
                fmt::format("a line of the port exceeds {} bytes; end each answer with a newline", options.max_line));
  }
  if (child.lines.has_line()) return check(child.lines.take_line());
  if (child.exited()) return fail_with_exit();
  if (ended)
    return fail("port.stdout-closed", "the port closed its stdout and still runs; it must answer until 'stop'");
  return fail_with_timeout("gave no answer", deadline - begin);
}

Process::Received Process::Conversation::check(std::string line) {
  if (!spoken && std::string_view(line).starts_with(kByteOrderMark)) {
    line.erase(0, kByteOrderMark.size());
    warnings.push_back("the port begins with a byte order mark; it was skipped");
  }
  spoken = true;
  if (const std::size_t at = line.find('\0'); at != std::string::npos) {
    return fail("port.nul-byte", fmt::format("byte {} of the port's line is NUL; answer in UTF-8 JSON lines", at));
  }
  if (const auto at = port::invalid_utf8_at(line)) {
    return fail("port.invalid-utf8", fmt::format("byte {} of the port's line is not UTF-8: \"{}\"", *at,
                                                 port::printable_utf8(std::string_view(line).substr(*at, 20))));
  }
  return line;
}

const PortTrouble& Process::Conversation::fail(std::string id, std::string message, std::string_view next) {
  terminate();
  return trouble.emplace(
      PortTrouble{std::move(id), std::move(message), child.errors.text(), std::string(spoken ? next : "")});
}

const PortTrouble& Process::Conversation::fail_with_exit() {
  const std::string how = to_string(child.exit());
  const std::string unfinished =
      child.lines.size() == 0 ? "" : fmt::format(", its last line unfinished ({} bytes)", child.lines.size());
  const std::string last = port::last_lines(child.errors.text(), kShownLines);
  const std::string said = last.empty() ? "; it wrote nothing on stderr" : "; its last words on stderr:\n" + last;
  if (!child.exit().signal.empty()) return fail("port.crashed", "the port crashed: " + how + unfinished + said, kAlone);
  if (spoken)
    return fail("port.exited", fmt::format("the port left ({}) before it answered{}{}", how, unfinished, said), kAlone);
  return fail("port.exited-before-handshake",
              fmt::format("the port left ({}) before its first answer{}{}", how, unfinished, said));
}

const PortTrouble& Process::Conversation::fail_with_timeout(std::string_view what, Child::Clock::duration waited) {
  std::string message = fmt::format("the port {} within {}", what, seconds(waited));
  if (!spoken) message += "; is stdout flushed? (python -u / flush=True); else raise --start-timeout";
  return fail("port.timeout", std::move(message), "raise --timeout if it is only slow");
}

PortExit Process::Conversation::stop() {
  child.close_stdin();
  child.wait(Child::Clock::now() + options.eof_grace, [this] {
    if (child.lines.size() > 0) child.lines = {};  // nobody will ask for these: read on, so that the child can end
    child.resume_reading();
    return !child.running();
  });
  terminate();
  PortExit exit = child.exit();
  exit.forced = forced;
  return exit;
}

void Process::Conversation::terminate() {
  const auto gone = [this] { return !child.running(); };
  if (child.running()) {
    forced = true;
    child.signal_group(SIGTERM);
    child.wait(Child::Clock::now() + options.term_grace, gone);
  }
  child.signal_group(SIGKILL);
  child.wait(Child::Clock::now() + options.term_grace, gone);
  child.settle();
}

Process::Process(const std::vector<std::string>& argv, ProcessOptions options)
    : conversation_(std::make_unique<Conversation>(std::move(options))) {
  conversation_->start(argv);
}

Process::Process(Process&&) noexcept = default;
Process& Process::operator=(Process&&) noexcept = default;
Process::~Process() = default;

const std::optional<PortTrouble>& Process::trouble() const { return conversation_->trouble; }

std::optional<PortTrouble> Process::send_line(std::string_view line) { return conversation_->send(line); }

Process::Received Process::receive_line(Deadline deadline) { return conversation_->receive(deadline); }

Process::Received Process::receive_line() { return conversation_->receive(conversation_->deadline()); }

Process::Received Process::ask(std::string_view line) {
  if (auto trouble = send_line(line)) return *std::move(trouble);
  return receive_line();
}

bool Process::line_waiting() {
  conversation_->child.poll();
  return !conversation_->trouble && conversation_->child.lines.has_line();
}

bool Process::has_spoken() const { return conversation_->spoken; }

PortExit Process::stop() { return conversation_->stop(); }

std::string Process::stderr_tail() const { return conversation_->child.errors.text(); }

std::uint64_t Process::stderr_bytes() const { return conversation_->child.errors.total(); }

const std::vector<std::string>& Process::warnings() const { return conversation_->warnings; }

int Process::pid() const { return conversation_->child.pid(); }

}  // namespace microstep

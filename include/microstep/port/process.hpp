#pragma once
// A child process that talks in lines: the transport under a port, without any knowledge of what the lines mean.
//
// The child gets its own session and process group, our pipes as stdin, stdout and stderr, argv unchanged and never a
// shell. Whatever it does wrong is a value (`PortTrouble`), never an exception. A trouble ends the child: it is stopped
// and every later call answers with the same trouble; the caller starts a fresh Process.
// All waiting is on the monotonic clock. A Process is used by one thread at a time.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace microstep {

/// What a port did wrong. `id` is one of: port.not-found, port.not-executable, port.bad-interpreter, port.cannot-spawn,
/// port.exited-before-handshake, port.exited, port.crashed, port.timeout, port.stdin-closed, port.stdout-closed,
/// port.line-too-long, port.nul-byte, port.invalid-utf8. `message` is the reason; `detail` is the tail of the port's
/// stderr, as valid UTF-8, empty if it said nothing; `next` the step that helps, empty where the message tells it.
struct PortTrouble {
  std::string id;
  std::string message;
  std::string detail;
  std::string next = {};
};

struct ProcessOptions {
  std::chrono::milliseconds request_timeout{10'000};
  std::chrono::milliseconds start_timeout{30'000};  // up to and including the first line received
  std::chrono::milliseconds eof_grace{900};         // stop(): from the end of stdin to SIGTERM
  std::chrono::milliseconds term_grace{2'000};      // from SIGTERM to SIGKILL
  std::chrono::milliseconds drain{500};             // how long pipes may stay open after the child has exited
  std::size_t max_line = std::size_t{64} << 20;     // bytes, line end not counted
  std::size_t stderr_tail = std::size_t{64} << 10;  // bytes kept of stderr
  std::map<std::string, std::optional<std::string>> environment;  // added to ours; nullopt removes
};

/// How a child ended. `signal` is empty (then `code` holds) or a name such as SIGSEGV; `forced` when we had to signal
/// it.
struct PortExit {
  int code = 0;
  std::string signal;
  bool forced = false;
};

/// "exit 3" or "killed by SIGSEGV".
std::string to_string(const PortExit& exit);

class Process {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  using Received = std::variant<std::string, PortTrouble>;

  /// Starts argv[0], looked up on PATH when it holds no slash. Never throws for what the command does: see trouble().
  Process(const std::vector<std::string>& argv, ProcessOptions options);
  Process(Process&&) noexcept;
  Process& operator=(Process&&) noexcept;
  /// Kills the whole group at once if it still runs; stop() is the polite way.
  ~Process();

  /// The trouble that ended this process (also that it could not be started), if any.
  const std::optional<PortTrouble>& trouble() const;

  /// Writes the line and its end, reading what the child says meanwhile; waits at most the timeout in force.
  /// Throws std::invalid_argument when the line holds a line end.
  [[nodiscard]] std::optional<PortTrouble> send_line(std::string_view line);

  /// The next line without its end (\n or \r\n), valid UTF-8 without NUL. What arrived before an exit is still given.
  [[nodiscard]] Received receive_line(Deadline deadline);
  /// The same with the timeout in force: start_timeout before the first line, request_timeout after it.
  [[nodiscard]] Received receive_line();

  /// send_line then receive_line: one request, one answer.
  [[nodiscard]] Received ask(std::string_view line);

  /// True when a whole line has already arrived: between requests that is a line nobody asked for.
  bool line_waiting();

  /// True once a line was received: before that, any trouble means that the port never became usable.
  bool has_spoken() const;

  /// Closes stdin, waits eof_grace, then SIGTERM, term_grace, SIGKILL, all to the group. Safe to call again.
  PortExit stop();

  /// The last bytes of stderr as valid UTF-8, and how many bytes there were in all.
  std::string stderr_tail() const;
  std::uint64_t stderr_bytes() const;

  /// Things that are accepted but worth a word, such as a byte order mark.
  const std::vector<std::string>& warnings() const;

  /// Process id, also that of its group and session; 0 if it was never started.
  int pid() const;

 private:
  struct Conversation;
  std::unique_ptr<Conversation> conversation_;
};

}  // namespace microstep

#pragma once
// The libuv side of a child process: a loop of its own, three pipes, and waiting with a deadline.

#include <uv.h>

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lines.hpp"
#include "microstep/port/process.hpp"

namespace microstep::port {

class Child {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Child(const ProcessOptions& options);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  /// Starts the file; 0 or the errno of what failed.
  int spawn(const std::string& file, const std::vector<std::string>& argv, const std::vector<std::string>& environment);

  /// Turns the loop until the condition holds (true) or the deadline has passed (false).
  bool wait(Clock::time_point deadline, const std::function<bool()>& done);
  /// Handles what has already arrived, without waiting.
  void poll();
  /// After an exit or the end of stdout: gives the other ends `drain` to arrive, once.
  void settle();

  void start_write(std::string bytes);
  /// 0 or errno of the last write once it is done, nullopt while it is under way.
  std::optional<int> write_result() const { return write_result_; }

  /// Lets more of stdout in again after lines were taken.
  void resume_reading();

  void close_stdin();
  void signal_group(int signal);

  bool running() const { return pid_ != 0 && !exited_; }
  bool exited() const { return exited_; }
  bool stdout_ended() const { return ended_[1]; }
  int pid() const { return pid_; }
  const PortExit& exit() const { return exit_; }

  LineBuffer lines;
  Tail errors;

 private:
  int open_pipes(std::array<int, 3>& theirs);
  int start_process(const std::string& file, const std::vector<std::string>& argv,
                    const std::vector<std::string>& environment, const std::array<int, 3>& theirs);
  void received(int which, ssize_t size, const char* bytes);
  void close_all();
  uv_handle_t* handle(int which) { return reinterpret_cast<uv_handle_t*>(&pipes_[which]); }

  static void on_exit(uv_process_t* process, std::int64_t code, int signal);
  static void on_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer);
  static void on_allocate(uv_handle_t* handle, std::size_t suggested, uv_buf_t* buffer);
  static void on_write(uv_write_t* request, int status);
  static void on_timer(uv_timer_t* timer);

  const ProcessOptions& options_;
  uv_loop_t loop_{};
  uv_timer_t timer_{};
  uv_process_t process_{};
  std::array<uv_pipe_t, 3> pipes_{};  // stdin, stdout, stderr
  uv_write_t write_{};
  std::string writing_;
  std::optional<int> write_result_;
  std::array<char, 65536> chunk_{};
  int loop_error_ = 0;
  int pid_ = 0;
  bool exited_ = false;
  bool settled_ = false;
  bool swept_ = false;
  bool paused_ = false;
  bool expired_ = false;
  std::array<bool, 3> ended_{};
  PortExit exit_;
};

}  // namespace microstep::port

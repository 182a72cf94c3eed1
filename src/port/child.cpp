#include "child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "groups.hpp"

namespace microstep::port {
namespace {

// A write to a child that closed its stdin must be an error value, not our death. libuv gives the child the default
// back.
void ignore_broken_pipes() {
  struct sigaction current {};
  if (sigaction(SIGPIPE, nullptr, &current) == 0 && current.sa_handler == SIG_DFL) signal(SIGPIPE, SIG_IGN);
}

void close_if_open(int fd) {
  if (fd >= 0) close(fd);
}

// libuv aborts where it cannot open what it needs once a process: ours are 6 for the pipes, its about 10.
bool lacks_descriptors() {
  std::array<int, 20> opened{};
  for (int& fd : opened) fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const bool lacks = std::ranges::find(opened, -1) != opened.end();
  for (int fd : opened) close_if_open(fd);
  return lacks;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Child::Child(const ProcessOptions& options) : errors(options.stderr_tail), options_(options) {
  ignore_broken_pipes();
  loop_error_ = lacks_descriptors() ? EMFILE : -uv_loop_init(&loop_);
  if (loop_error_ != 0) return;
  uv_timer_init(&loop_, &timer_);
  for (uv_pipe_t& pipe : pipes_) {
    uv_pipe_init(&loop_, &pipe, 0);
    pipe.data = this;
  }
  timer_.data = this;
  process_.data = this;
  write_.data = this;
}

Child::~Child() {
  if (loop_error_ != 0) return;
  signal_group(SIGKILL);
  if (running()) wait(Clock::now() + std::chrono::seconds(2), [this] { return exited_; });
  groups_to_end().remove(pid_);
  close_all();
  uv_run(&loop_, UV_RUN_DEFAULT);
  uv_loop_close(&loop_);
}

void Child::close_all() {
  const auto close_once = [](uv_handle_t* handle, void*) {
    if (!uv_is_closing(handle)) uv_close(handle, nullptr);
  };
  uv_walk(&loop_, close_once, nullptr);
}

int Child::spawn(const std::string& file, const std::vector<std::string>& argv,
                 const std::vector<std::string>& environment) {
  if (loop_error_ != 0) return loop_error_;
  std::array<int, 3> theirs{-1, -1, -1};
  int error = open_pipes(theirs);
  if (error == 0) error = start_process(file, argv, environment, theirs);
  for (int fd : theirs) close_if_open(fd);
  if (error != 0) return error;
  for (int which : {1, 2}) uv_read_start(reinterpret_cast<uv_stream_t*>(&pipes_[which]), on_allocate, on_read);
  return 0;
}

// Real pipes: libuv's own would be sockets, which a child cannot open again as /dev/stdin or /dev/stdout.
int Child::open_pipes(std::array<int, 3>& theirs) {
  for (int which : {0, 1, 2}) {
    const bool we_write = which == 0;
    uv_file ends[2];
    int error = uv_pipe(ends, we_write ? 0 : UV_NONBLOCK_PIPE, we_write ? UV_NONBLOCK_PIPE : 0);
    if (error != 0) return -error;
    theirs[which] = ends[we_write ? 0 : 1];
    const int ours = ends[we_write ? 1 : 0];
    error = uv_pipe_open(&pipes_[which], ours);
    if (error == 0) continue;
    close(ours);
    return -error;
  }
  return 0;
}

int Child::start_process(const std::string& file, const std::vector<std::string>& argv,
                         const std::vector<std::string>& environment, const std::array<int, 3>& theirs) {
  std::vector<char*> arguments = pointers_to(argv);
  std::vector<char*> variables = pointers_to(environment);
  std::array<uv_stdio_container_t, 3> stdio{};
  for (int which : {0, 1, 2}) {
    stdio[which].flags = UV_INHERIT_FD;
    stdio[which].data.fd = theirs[which];
  }
  uv_process_options_t request{};
  request.exit_cb = on_exit;
  request.file = file.c_str();
  request.args = arguments.data();
  request.env = variables.data();
  request.flags = UV_PROCESS_DETACHED;
  request.stdio_count = 3;
  request.stdio = stdio.data();
  const int error = uv_spawn(&loop_, &process_, &request);
  if (error != 0) return -error;
  pid_ = process_.pid;
  groups_to_end().add(pid_);
  return 0;
}

bool Child::wait(Clock::time_point deadline, const std::function<bool()>& done) {
  if (loop_error_ != 0) return done();
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  expired_ = false;
  uv_update_time(&loop_);
  uv_timer_start(&timer_, on_timer, static_cast<std::uint64_t>(std::max<std::int64_t>(left, 0)), 0);
  while (!done() && !expired_) uv_run(&loop_, UV_RUN_ONCE);
  uv_timer_stop(&timer_);
  return done();
}

void Child::poll() {
  if (loop_error_ == 0) uv_run(&loop_, UV_RUN_NOWAIT);
}

void Child::settle() {
  if (settled_ || pid_ == 0) return;
  resume_reading();
  wait(Clock::now() + options_.drain, [this] { return exited_ && ended_[1] && ended_[2]; });
  settled_ = exited_;
}

void Child::start_write(std::string bytes) {
  writing_ = std::move(bytes);
  write_result_.reset();
  const uv_buf_t buffer = uv_buf_init(writing_.data(), static_cast<unsigned>(writing_.size()));
  const int error =
      ended_[0] ? UV_EPIPE : uv_write(&write_, reinterpret_cast<uv_stream_t*>(&pipes_[0]), &buffer, 1, on_write);
  if (error != 0) write_result_ = -error;
}

void Child::resume_reading() {
  if (!paused_) return;
  paused_ = false;
  uv_read_start(reinterpret_cast<uv_stream_t*>(&pipes_[1]), on_allocate, on_read);
}

void Child::close_stdin() {
  if (loop_error_ != 0 || ended_[0]) return;
  ended_[0] = true;
  uv_close(handle(0), nullptr);
}

// The group outlives its leader for as long as a grandchild is in it, so it is killed once after an exit too; not
// again, since the number may then belong to somebody else.
void Child::signal_group(int signal) {
  if (pid_ == 0 || swept_) return;
  kill(-pid_, signal);
  swept_ = exited_;
  if (swept_) groups_to_end().remove(pid_);
}

void Child::received(int which, ssize_t size, const char* bytes) {
  if (size < 0) {
    ended_[which] = true;
    uv_read_stop(reinterpret_cast<uv_stream_t*>(&pipes_[which]));
    return;
  }
  const std::string_view text(bytes, static_cast<std::size_t>(size));
  if (which == 2) return errors.append(text);
  lines.append(text);
  if (lines.size() <= options_.max_line) return;
  paused_ = true;  // nobody takes the lines: let the pipe fill up in place of our memory
  uv_read_stop(reinterpret_cast<uv_stream_t*>(&pipes_[1]));
}

void Child::on_exit(uv_process_t* process, std::int64_t code, int signal) {
  Child& self = *static_cast<Child*>(process->data);
  self.exited_ = true;
  self.exit_.code = static_cast<int>(code);
  if (signal == 0) return;
  const char* name = sigabbrev_np(signal);
  self.exit_.signal = name != nullptr ? std::string("SIG") + name : "signal " + fmt::to_string(signal);
}

void Child::on_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
  Child& self = *static_cast<Child*>(stream->data);
  self.received(stream == reinterpret_cast<uv_stream_t*>(&self.pipes_[1]) ? 1 : 2, size, buffer->base);
}

void Child::on_allocate(uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
  Child& self = *static_cast<Child*>(handle->data);
  *buffer = uv_buf_init(self.chunk_.data(), static_cast<unsigned>(self.chunk_.size()));
}

void Child::on_write(uv_write_t* request, int status) { static_cast<Child*>(request->data)->write_result_ = -status; }

// Without the stop, a timer that fires before the poll of the same turn would leave the poll waiting for ever.
void Child::on_timer(uv_timer_t* timer) {
  static_cast<Child*>(timer->data)->expired_ = true;
  uv_stop(timer->loop);
}

}  // namespace microstep::port

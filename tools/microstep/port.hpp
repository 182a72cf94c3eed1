#pragma once
// The port named behind `--`.
#include <memory>

#include "command.hpp"
#include "microstep/port/session.hpp"

namespace microstep::cli {

inline std::unique_ptr<PortSession> start_port(const PortTimes& times) {
  ProcessOptions options;
  options.request_timeout = std::chrono::milliseconds(static_cast<std::int64_t>(times.request * 1000));
  options.start_timeout = std::chrono::milliseconds(static_cast<std::int64_t>(times.start * 1000));
  return std::make_unique<PortSession>(port_command(), options);
}

}  // namespace microstep::cli

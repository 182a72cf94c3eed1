#pragma once
// The port named behind `--`.
#include <cstdio>
#include <memory>

#include "command.hpp"
#include "microstep/port/session.hpp"

namespace microstep::cli {

inline ProcessOptions port_options(const PortTimes& times) {
  ProcessOptions options;
  options.request_timeout = std::chrono::milliseconds(static_cast<std::int64_t>(times.request * 1000));
  options.start_timeout = std::chrono::milliseconds(static_cast<std::int64_t>(times.start * 1000));
  return options;
}

inline std::unique_ptr<PortSession> start_port(const PortTimes& times) {
  return std::make_unique<PortSession>(port_command(), port_options(times));
}

/// Asks it to stop; what was odd about it goes to stderr and changes no verdict.
inline void finish(PortSession& port) {
  port.stop();
  for (const std::string& warning : port.warnings()) std::fprintf(stderr, "microstep: warning: %s\n", warning.c_str());
}

}  // namespace microstep::cli

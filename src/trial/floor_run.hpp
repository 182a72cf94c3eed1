#pragma once
// One setting of `floor` in a process of its own.
#include <memory>

#include "floor_case.hpp"
#include "microstep/port/session.hpp"

namespace microstep {

/// switches: for the port's request; environment: for its process.
struct FloorSetting {
  std::string name;
  std::map<std::string, std::string> switches = {};
  std::map<std::string, std::optional<std::string>> environment = {};
};

/// What one forward gave: outputs, or in `trouble` why none.
struct Ran {
  std::vector<double> values = {};
  std::map<std::string, std::string> kernels = {};
  std::string trouble = {};
};

class FloorProcess {
 public:
  /// Throws port.*.
  FloorProcess(const FloorRequest& request, FloorSetting setting);
  ~FloorProcess();
  FloorProcess(const FloorProcess&) = delete;
  FloorProcess& operator=(const FloorProcess&) = delete;

  const PortFacts& facts() const { return session_->facts(); }
  Ran batched(Forward forward);
  /// The first rows of forward, each in a batch of its own.
  Ran alone(const Forward& forward, std::int64_t rows);
  const std::string& name() const { return setting_.name; }

 private:
  FloorSetting setting_;
  std::unique_ptr<PortSession> session_;
};

/// The settings to try, one switch each, or all at once with combine; each checked. facts: of the port.
std::vector<FloorSetting> settings_of(const FloorRequest& request, const PortFacts& facts);
/// Without the fast paths, or none where nothing is known of them.
std::optional<FloorSetting> plain_setting(const FloorRequest& request, const std::vector<FloorSetting>& settings);

}  // namespace microstep

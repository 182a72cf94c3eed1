#pragma once
// The float paths as text: each switch has a name, the values that it takes and a default.
#include <map>
#include <string>
#include <vector>

#include "microstep/kernels/policy.hpp"

namespace microstep {

/// name, as in --switch name=value; values: how they are written; statement: what it switches.
struct Switch {
  std::string_view name;
  std::string_view values;
  std::string_view statement;
};

const std::vector<Switch>& all_switches();

/// Sets one switch. Throws kernel.unknown-switch (with the nearest name) and kernel.switch-value.
void set_switch(KernelPolicy& policy, std::string_view name, std::string_view value);
/// The value of a switch as set_switch reads it. Throws kernel.unknown-switch.
std::string switch_value(const KernelPolicy& policy, std::string_view name);
/// The default policy with the switches given. Throws as set_switch does.
KernelPolicy policy_of(const std::map<std::string, std::string>& switches);

/// `sequential`, `lanes(8)`, `lanes(8)+fma`; none for anything else.
std::optional<Reduction> reduction_from_name(std::string_view name);

}  // namespace microstep

#pragma once
// What a library does differently from the definition, by name: each is a policy of the spec, so that its traces can be
// judged as closely as any other.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "microstep/data/spec.hpp"

namespace microstep {

struct Behaviour {
  std::string_view id;
  std::string_view statement;
  std::string_view source;
  /// The spec with the policy written out; the same spec where it does not concern it.
  Spec (*apply)(const Spec&);
};

std::span<const Behaviour> behaviours();
/// All of the named ones applied. Throws behaviour.unknown.
Spec with_behaviours(Spec spec, std::span<const std::string> ids);

}  // namespace microstep

#pragma once
// Planted faults: programs that claim a spec and do something else, as the public reports describe it.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "microstep/bound/semantics.hpp"
#include "microstep/data/plan.hpp"
#include "microstep/data/trace.hpp"
#include "microstep/optim/transform.hpp"
#include "microstep/scalar/balls.hpp"
#include "microstep/scalar/plain.hpp"
#include "microstep/train/run.hpp"

namespace microstep::liars {

/// One maker for each arithmetic. spec: what is claimed. detail: the liar's own parameter, often the spec that it runs.
struct Makers {
  TransformationPointer<Plain<float>> (*in_float32)(const Spec& spec, const std::string& detail) = nullptr;
  TransformationPointer<Plain<double>> (*in_float64)(const Spec& spec, const std::string& detail) = nullptr;
  BallTransformation (*over_balls)(const Spec& spec, const std::string& detail) = nullptr;
};

/// What comes back for a saved state.
struct Restores {
  Restore<Plain<float>> in_float32;
  Restore<Plain<double>> in_float64;
  Restore<Balls<Wide>> over_balls;
};

struct Liar {
  std::string_view id;
  /// Public reports of the same kind; empty: our own.
  std::vector<std::string_view> reports;
  /// The class of public-bugs in lower case.
  std::string_view fault_class;
  /// The claim.
  std::string_view spec;
  std::string_view does;
  std::string detail = {};
  /// One of the three: a transformation, a restore, or a change of the trace that the honest run gave.
  Makers makers = {};
  Restores restores = {};
  void (*retouch)(Envelope& trace) = nullptr;
  /// Changes the usual plan, where the fault needs special gradients, leaves or a partial window.
  void (*arrange)(Plan& plan) = nullptr;
};

std::vector<Liar> accumulation_liars();
std::vector<Liar> window_liars();
std::vector<Liar> moment_liars();
std::vector<Liar> schedule_liars();
std::vector<Liar> decay_liars();
std::vector<Liar> clip_liars();
std::vector<Liar> skip_liars();
std::vector<Liar> leaf_liars();
std::vector<Liar> form_liars();
std::vector<Liar> persistence_liars();
std::vector<Liar> trace_liars();

/// All of them.
const std::vector<Liar>& liars();
const Liar& liar(std::string_view id);

}  // namespace microstep::liars

#pragma once
// One maker a problem; the table in problem.cpp maps the names of the language to them.
#include "microstep/train/problem.hpp"

namespace microstep {

/// The plan's given gradients; no model, loss 0.
template <class A>
std::unique_ptr<Problem<A>> make_replay(const A& arithmetic, const Plan& plan);

/// Dense layers, inputs and targets from the streams `data` and `noise`, exact in the params' narrowest dtype.
template <class A>
std::unique_ptr<Problem<A>> make_supervised(const A& arithmetic, const Plan& plan);

}  // namespace microstep

// Ends each problem's .cpp: its maker for every arithmetic the engine runs on.
#define MICROSTEP_INSTANTIATE_PROBLEM(maker)                                                                         \
  template std::unique_ptr<Problem<Plain<float>>> maker<Plain<float>>(const Plain<float>&, const Plan&);             \
  template std::unique_ptr<Problem<Plain<double>>> maker<Plain<double>>(const Plain<double>&, const Plan&);          \
  template std::unique_ptr<Problem<Plain<Wide>>> maker<Plain<Wide>>(const Plain<Wide>&, const Plan&);                \
  template std::unique_ptr<Problem<Emulated<double>>> maker<Emulated<double>>(const Emulated<double>&, const Plan&); \
  template std::unique_ptr<Problem<Balls<Wide>>> maker<Balls<Wide>>(const Balls<Wide>&, const Plan&);

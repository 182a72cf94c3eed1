#pragma once
// One maker a link; the table in build.cpp maps the names of the language to them.
#include "microstep/optim/transform.hpp"
#include "microstep/scalar/balls.hpp"
#include "microstep/scalar/emulated.hpp"
#include "microstep/scalar/plain.hpp"

namespace microstep {

/// u = -lr g; with momentum b <- g + m b, u = -lr b; Nesterov u = -lr (g + m b). State: trace where momentum > 0, count
/// where lr is a schedule. Source: optax.sgd.
template <class A>
TransformationPointer<A> make_sgd(const Spec& spec);
/// b <- g + m b, u = b, or g + m b with Nesterov. State: trace. Source: optax.trace.
template <class A>
TransformationPointer<A> make_trace(const Spec& spec);
/// u = factor g. Source: optax.scale.
template <class A>
TransformationPointer<A> make_scale(const Spec& spec);
/// mu <- b1 mu + (1-b1) g, nu <- b2 nu + (1-b2) g^2, u = (mu/(1-b1^t)) / (sqrt(nu/(1-b2^t) + eps_root) + eps); adam
/// times -lr; adamw -lr (that + wd w). State: count, mu, nu, and schedule_count where lr is a schedule. Source:
/// optax.adamw.
template <class A>
TransformationPointer<A> make_adam(const Spec& spec);
/// u = g + wd w on the leaves of the mask. Source: optax.add_decayed_weights.
template <class A>
TransformationPointer<A> make_add_decayed_weights(const Spec& spec);
/// Each element into [-max_delta, max_delta]. Source: optax.clip.
template <class A>
TransformationPointer<A> make_clip(const Spec& spec);
/// g where the global norm over all leaves is below max_norm, else g/norm*max_norm. Source: optax.clip_by_global_norm.
template <class A>
TransformationPointer<A> make_clip_by_global_norm(const Spec& spec);
/// u = schedule(count) g, then count + 1. State: count. Source: optax.scale_by_schedule.
template <class A>
TransformationPointer<A> make_scale_by_schedule(const Spec& spec);
/// ema <- b ema + (1-b) g, u = ema or, debiased, ema/(1-b^t). State: count, ema. Source: optax.ema.
template <class A>
TransformationPointer<A> make_ema(const Spec& spec);
/// The inner on the leaves of the mask; the others pass as they are. Source: optax.masked.
template <class A>
TransformationPointer<A> make_masked(const Spec& spec);
/// The links one after the other, all of them in every microstep. Source: optax.chain.
template <class A>
TransformationPointer<A> make_chain(const Spec& spec);
/// c = count mod k; acc = g if c = 0 else acc + g; emits the sum acc if c = k-1, else zeros. State: count, grad_acc,
/// which is not cleared on emission but overwritten at the next c = 0. Source: optax.apply_every.
template <class A>
TransformationPointer<A> make_apply_every(const Spec& spec);
/// Reduces the gradients of k microsteps and lets the inner run once on the result. State: mini_step, gradient_step,
/// acc_grads, of[0]; with reduce=weighted also acc_weight. Source: optax.MultiSteps.
template <class A>
TransformationPointer<A> make_multi_steps(const Spec& spec);

}  // namespace microstep

// Ends each link's .cpp: its maker for every arithmetic the engine runs on.
#define MICROSTEP_INSTANTIATE_LINK(maker)                                                \
  template TransformationPointer<Plain<float>> maker<Plain<float>>(const Spec&);         \
  template TransformationPointer<Plain<double>> maker<Plain<double>>(const Spec&);       \
  template TransformationPointer<Plain<Wide>> maker<Plain<Wide>>(const Spec&);           \
  template TransformationPointer<Emulated<double>> maker<Emulated<double>>(const Spec&); \
  template TransformationPointer<Balls<Wide>> maker<Balls<Wide>>(const Spec&);           \
  template TransformationPointer<Balls<double>> maker<Balls<double>>(const Spec&);

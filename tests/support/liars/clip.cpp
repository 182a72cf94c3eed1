// Clipping at the wrong point.
#include "support/liars/lying.hpp"

namespace microstep::liars {
namespace {

/// Each microbatch is clipped by the clip of the inner chain.
template <class A>
class ClipsFirst final : public Lying<A> {
 public:
  ClipsFirst(const Spec& spec, const std::string& detail)
      : Lying<A>(spec, detail), clip_(build<A>(*find_spec(spec, "clip"))) {}

 protected:
  void before(Step<A>& s) const override {
    auto state = clip_->init(s.arithmetic, s.params);
    clip_->update(s.arithmetic, s.updates, state, s.params, s.input);
  }

 private:
  TransformationPointer<A> clip_;
};

/// The running buffer is clipped after every microstep.
template <class A>
class ClipsBuffer final : public Lying<A> {
 public:
  ClipsBuffer(const Spec& spec, const std::string& detail)
      : Lying<A>(spec, detail), clip_(build<A>(*find_spec(spec, "clip"))) {}

 protected:
  void after(Step<A>& s) const override {
    auto state = clip_->init(s.arithmetic, s.params);
    if (s.held()) clip_->update(s.arithmetic, s.state.slot("acc_grads"), state, s.params, s.input);
  }

 private:
  TransformationPointer<A> clip_;
};

/// The norm is taken of each leaf alone, as if it were a shard.
template <class A>
class ClipsLeaves final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void instead(Step<A>& s) const override {
    for (std::size_t i = 0; i < s.updates.leaf_count(); ++i) {
      auto alone = s.updates;
      for (std::size_t other = 0; other < alone.leaf_count(); ++other)
        if (other != i) alone.mark(other, Presence::zero);
      this->honest_->update(s.arithmetic, alone, s.state, s.params, s.input);
      if (s.updates.is_dense(i)) std::ranges::copy(alone.values(i), s.updates.values(i).begin());
    }
  }
};

constexpr std::string_view clipped = "multi_steps(chain(clip_by_global_norm(1), sgd(1)), k=2)";

const std::vector<Liar> rows = {
    {"clip-before-accumulator",
     {"B035"},
     "clip-place",
     clipped,
     "every microbatch is clipped alone",
     "",
     makers<ClipsFirst>()},
    {"clip-of-buffer",
     {"B038"},
     "clip-place",
     "multi_steps(chain(clip(1), sgd(1)), k=2, reduce=sum)",
     "the running buffer is clipped in every microstep",
     "",
     makers<ClipsBuffer>()},
    {"clip-before-unscale",
     {"B039"},
     "clip-place",
     "chain(scale(0.0009765625), clip_by_global_norm(1))",
     "the norm of the scaled gradients, then the scale comes off once more",
     "chain(clip_by_global_norm(1), scale(0.0009765625))",
     makers<Substitute>()},
    {"unscaled-twice",
     {"B042"},
     "clip-place",
     "chain(scale(0.0009765625), adam(1))",
     "the loss scale comes off twice",
     "chain(scale(0.00000095367431640625), adam(1))",
     makers<Substitute>()},
    {"clip-by-shard",
     {"B043"},
     "clip-place",
     "clip_by_global_norm(1)",
     "the norm of each leaf alone",
     "",
     makers<ClipsLeaves>()},
    {"sum-clipped",
     {"B009"},
     "sum-mean",
     "multi_steps(chain(clip_by_global_norm(5), sgd(1)), k=2)",
     "the sum meets the clip",
     "multi_steps(chain(clip_by_global_norm(5), sgd(1)), k=2, reduce=sum)",
     makers<Substitute>()},
};

}  // namespace

std::vector<Liar> clip_liars() { return rows; }

}  // namespace microstep::liars

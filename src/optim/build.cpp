#include <fmt/format.h>

#include <array>

#include "microstep/optim/links.hpp"

namespace microstep {
namespace {

template <class A>
struct Maker {
  std::string_view op;
  TransformationPointer<A> (*make)(const Spec&);
};

template <class A>
constexpr std::array<Maker<A>, 15> makers = {{
    {"sgd", make_sgd<A>},
    {"trace", make_trace<A>},
    {"scale", make_scale<A>},
    {"scale_by_adam", make_adam<A>},
    {"adam", make_adam<A>},
    {"adamw", make_adam<A>},
    {"add_decayed_weights", make_add_decayed_weights<A>},
    {"clip", make_clip<A>},
    {"clip_by_global_norm", make_clip_by_global_norm<A>},
    {"scale_by_schedule", make_scale_by_schedule<A>},
    {"ema", make_ema<A>},
    {"masked", make_masked<A>},
    {"chain", make_chain<A>},
    {"apply_every", make_apply_every<A>},
    {"multi_steps", make_multi_steps<A>},
}};

}  // namespace

template <class A>
TransformationPointer<A> build(const Spec& spec) {
  for (const Maker<A>& maker : makers<A>)
    if (maker.op == spec.op) return maker.make(spec);
  throw Error("spec.unknown-op", fmt::format("there is no transformation '{}'", spec.op), to_string(spec),
              "docs/language.md lists them");
}
MICROSTEP_INSTANTIATE_LINK(build)

}  // namespace microstep

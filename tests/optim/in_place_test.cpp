// Links work in the buffers they are given: after the first windows, in which slots get theirs, an update makes no
// buffer of a leaf's size, and updates and slots have the buffers that they had before.
#include <cstdlib>
#include <new>
#include <set>

#include "optim/loop.hpp"

namespace {

constexpr std::size_t large = 64 * 1024;
bool counts = false;
int counted = 0;

void* taken(std::size_t size) {
  if (counts && size >= large) ++counted;
  void* found = std::malloc(size == 0 ? 1 : size);
  if (!found) std::abort();
  return found;
}

}  // namespace

void* operator new(std::size_t size) { return taken(size); }
void* operator new[](std::size_t size) { return taken(size); }
void operator delete(void* given) noexcept { std::free(given); }
void operator delete[](void* given) noexcept { std::free(given); }
void operator delete(void* given, std::size_t) noexcept { std::free(given); }
void operator delete[](void* given, std::size_t) noexcept { std::free(given); }

namespace microstep::testing_optim {
namespace {

enum class Way {
  /// The updates stand in the buffer in which the gradients came.
  same,
  /// multi_steps exchanges the gradients' buffer with its accumulator's instead of copying a mean or sum.
  exchanged,
};

struct Link {
  std::string spec;
  Way way = Way::same;
  /// Buffers that each update makes, and drops.
  int copies = 0;
};

const std::vector<Link> links = {
    {"sgd(0.5)"},
    {"sgd(0.5, momentum=0.5, nesterov=true)"},
    {"trace(0.5)"},
    {"scale(2)"},
    {"scale_by_adam"},
    {"adam(0.5)"},
    {"adamw(0.5, weight_decay=0.5)"},
    {"add_decayed_weights(0.5)"},
    {"clip(1)"},
    {"clip_by_global_norm(1)"},
    {"scale_by_schedule([[0, 1], [1, 2]])"},
    {"ema(0.5)"},
    {"chain(clip(1), trace(0.5), scale(2))"},
    {"apply_every(2)"},
    {"chain(adam(0.5), apply_every(2))"},
    {"multi_steps(adam(0.5), k=2)", Way::exchanged},
    {"multi_steps(sgd(1, momentum=0.5), k=2, reduce=sum)", Way::exchanged},
    {"multi_steps(sgd(1), k=2, reduce=weighted, skip=large(1000))", Way::exchanged},
    {"multi_steps(multi_steps(adam(0.5), k=2), k=2)", Way::exchanged},
};

using F = Plain<float>;

std::set<const float*> buffers_of(const State<float>& state) {
  std::set<const float*> all;
  for (const auto& [name, slot] : state.slots)
    if (slot.leaf_count() == 2) all.insert(slot.values(0).data());
  for (const State<float>& inner : state.of) all.merge(buffers_of(inner));
  return all;
}

class InPlace : public testing::TestWithParam<Link> {
 protected:
  InPlace() {
    for (std::size_t i : {0, 1}) std::ranges::fill(params.values(i), 1.0F);
    state = link->init({}, params);
    for (int t = 0; t < 8; ++t) step();
  }
  /// How many large buffers the update made.
  int step() {
    updates.mark_all(Presence::dense);
    for (std::size_t i : {0, 1}) std::ranges::fill(updates.values(i), 0.25F);
    counted = 0;
    counts = true;
    link->update({}, updates, state, params, {});
    counts = false;
    return counted;
  }

  LayoutPointer layout = make_layout({{"w", {100, 300}, Dtype::float32}, {"b", {20'000}, Dtype::float32}});
  TransformationPointer<F> link = build<F>(parse_spec(GetParam().spec));
  Tree<float> params{layout}, updates{layout};
  State<float> state;
};

TEST_P(InPlace, UpdatesAndSlotsKeepTheirBuffers) {
  for (int t = 0; t < 8; ++t) {
    const float* const given = updates.values(0).data();
    std::set<const float*> before = buffers_of(state), after;
    EXPECT_EQ(step(), GetParam().copies) << "microstep " << t;
    if (GetParam().way == Way::same) {
      EXPECT_EQ(updates.values(0).data(), given);
      EXPECT_EQ(buffers_of(state), before);
    }
    before.insert(given);
    after = buffers_of(state);
    after.insert(updates.values(0).data());
    EXPECT_EQ(after, before);
  }
}

INSTANTIATE_TEST_SUITE_P(Links, InPlace, testing::ValuesIn(links));

// What copies, and why: masked hides leaves of updates and params from its inner, which may exchange buffers, and so
// keeps a copy of both.
INSTANTIATE_TEST_SUITE_P(WithCopies, InPlace,
                         testing::Values(Link{"masked(adamw(0.5, weight_decay=0.5), mask=[w])", Way::same, 2},
                                         Link{"masked(chain(trace(0.5), apply_every(2)), mask=[b])", Way::same, 2},
                                         Link{"masked(multi_steps(adam(0.5), k=2), mask=[w])", Way::exchanged, 2}));

}  // namespace
}  // namespace microstep::testing_optim

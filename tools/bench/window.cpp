// A window of four microsteps on four million float32 params. Gradients are there before, on both sides; both move the
// params.
#include <cmath>
#include <memory>

#include "case.hpp"
#include "microstep/optim/transform.hpp"
#include "microstep/scalar/plain.hpp"
#include "microstep/train/run.hpp"

namespace microstep::bench {
namespace {

using A = Plain<float>;
using Buffer = std::vector<float>;

constexpr std::int64_t k = 4;

LayoutPointer four_million() {
  return make_layout(
      {{"w0", {1000, 3000}, Dtype::float32}, {"b0", {3000}, Dtype::float32}, {"w1", {997, 1000}, Dtype::float32}});
}

float number(std::size_t i, std::size_t t) { return static_cast<float>((i * 37 + t * 11) % 255) / 128.0F - 1.0F; }

std::vector<Buffer> gradients_of(std::size_t size) {
  std::vector<Buffer> gradients(k, Buffer(size));
  for (std::size_t t = 0; t < gradients.size(); ++t)
    for (std::size_t i = 0; i < size; ++i) gradients[t][i] = number(i, t);
  return gradients;
}

using Gradients = std::shared_ptr<const std::vector<Buffer>>;

// The engine's side: its gradients are consumed in place, so that each window gets new ones.
class Engine {
 public:
  Engine(const char* spec, Gradients gradients)
      : gradients_(std::move(gradients)),
        transformation_(build<A>(parse_spec(spec))),
        params_(filled(four_million(), 0.5F)),
        state_(transformation_->init(arithmetic_, params_)),
        updates_(k, params_) {}

  void prepare() {
    for (std::size_t t = 0; t < updates_.size(); ++t) fill(updates_[t], (*gradients_)[t]);
  }

  void window() {
    for (Tree<float>& updates : updates_) update_and_apply(arithmetic_, *transformation_, params_, updates, state_, {});
  }

 private:
  static void fill(Tree<float>& tree, const Buffer& from) {
    tree.mark_all(Presence::dense);
    for (std::size_t i = 0; i < tree.leaf_count(); ++i)
      std::copy_n(from.begin() + tree.leaf(i).offset, tree.leaf(i).size, tree.values(i).begin());
  }

  A arithmetic_;
  Gradients gradients_;
  TransformationPointer<A> transformation_;
  Tree<float> params_;
  State<float> state_;
  std::vector<Tree<float>> updates_;
};

// What both hand-fused windows share: the running mean of the first three gradients.
class Fused {
 public:
  explicit Fused(Gradients gradients)
      : gradients_(std::move(gradients)),
        params_(gradients_->front().size(), 0.5F),
        mean_(params_.size()),
        first_(params_.size()),
        second_(params_.size()) {}

 protected:
  void accumulate() {
    mean_ = (*gradients_)[0];
    for (std::size_t t = 1; t + 1 < gradients_->size(); ++t) {
      const float* g = (*gradients_)[t].data();
      float* mean = mean_.data();
      const auto n = static_cast<float>(t + 1);
      for (std::size_t i = 0; i < mean_.size(); ++i) mean[i] += (g[i] - mean[i]) / n;
    }
  }
  const float* last_gradient() const { return gradients_->back().data(); }

  Gradients gradients_;
  Buffer params_, mean_, first_, second_;
};

class FusedAdam : Fused {
 public:
  using Fused::Fused;

  void window() {
    accumulate();
    ++count_;
    const float b1 = 0.9F, b2 = 0.999F, c1 = 1 - std::pow(b1, count_), c2 = 1 - std::pow(b2, count_);
    const float* g = last_gradient();
    float *w = params_.data(), *mu = first_.data(), *nu = second_.data(), *mean = mean_.data();
    for (std::size_t i = 0; i < params_.size(); ++i) {
      const float x = mean[i] + (g[i] - mean[i]) / static_cast<float>(k);
      mu[i] = b1 * mu[i] + (1 - b1) * x;
      nu[i] = b2 * nu[i] + (1 - b2) * (x * x);
      w[i] += -0.001F * (mu[i] / c1 / (std::sqrt(nu[i] / c2) + 1e-8F));
    }
  }

 private:
  float count_ = 0;
};

class FusedChain : Fused {
 public:
  using Fused::Fused;

  void window() {
    accumulate();
    const float* g = last_gradient();
    float *w = params_.data(), *trace = first_.data(), *ema = second_.data(), *mean = mean_.data();
    for (std::size_t i = 0; i < params_.size(); ++i) {
      const float x = mean[i] + (g[i] - mean[i]) / static_cast<float>(k);
      const float clipped = x > 0.5F ? 0.5F : x < -0.5F ? -0.5F : x;
      trace[i] = (clipped + 1e-4F * w[i]) + 0.9F * trace[i];
      ema[i] = 0.9F * ema[i] + (1 - 0.9F) * (0.5F * trace[i]);
      w[i] += -0.01F * ema[i];
    }
  }
};

Gradients gradients() {
  static const Gradients made =
      std::make_shared<const std::vector<Buffer>>(gradients_of(static_cast<std::size_t>(four_million()->size())));
  return made;
}

// Buffers are made when a case is first prepared, so that a case that is not chosen costs nothing.
template <class Peer>
Case against(const std::string& name, const char* spec, double limit) {
  auto engine = std::make_shared<std::optional<Engine>>();
  auto peer = std::make_shared<std::optional<Peer>>();
  auto prepare_engine = [=] {
    if (!*engine) engine->emplace(spec, gradients());
    (*engine)->prepare();
  };
  auto prepare_peer = [=] {
    if (!*peer) peer->emplace(gradients());
  };
  return {name,
          Figure::ratio,
          limit,
          {name, prepare_engine, [=] { (*engine)->window(); }},
          Work{name + ", hand-fused", prepare_peer, [=] { (*peer)->window(); }}};
}

}  // namespace

std::vector<Case> window_cases() {
  return {
      against<FusedAdam>("window of multi_steps(adam), 4 million params", "multi_steps(adam(0.001), k=4)", 1.3),
      against<FusedChain>("window of multi_steps(six links), 4 million params",
                          "multi_steps(chain(clip(0.5), add_decayed_weights(0.0001), trace(0.9), scale(0.5), "
                          "ema(0.9, debias=false), scale(-0.01)), k=4)",
                          1.7),
  };
}

}  // namespace microstep::bench

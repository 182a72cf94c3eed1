#include "winograd.hpp"

#include "microstep/kernels/matmul.hpp"
#include "microstep/scalar/emulated.hpp"
#include "windows.hpp"
#include "winograd_transforms.hpp"

namespace microstep::kernels {
namespace {

// One number a place of the tile, in planes [tile^2][rows, columns], so that a plane is one side of a matrix product.
template <class V>
class Planes {
 public:
  Planes(std::int64_t places, std::int64_t rows, std::int64_t columns)
      : rows_(rows), columns_(columns), values_(static_cast<std::size_t>(places * rows * columns)) {}

  void put(std::int64_t row, std::int64_t column, const V* tile) {
    for (V* to = values_.data() + row * columns_ + column; to < values_.data() + values_.size(); to += plane())
      *to = *tile++;
  }
  void take(std::int64_t row, std::int64_t column, V* tile) const {
    for (const V* from = values_.data() + row * columns_ + column; from < values_.data() + values_.size();
         from += plane())
      *tile++ = *from;
  }
  V* at(std::int64_t place) { return values_.data() + place * plane(); }
  Matrix<V> matrix(std::int64_t place) const {
    return Matrix<V>::row_major(values_.data() + place * plane(), rows_, columns_);
  }

 private:
  std::int64_t plane() const { return rows_ * columns_; }

  std::int64_t rows_;
  std::int64_t columns_;
  std::vector<V> values_;
};

template <class A>
class Winograd {
 public:
  using V = typename A::Value;
  Winograd(const A& arithmetic, const KernelPolicy& policy, ConvPath path, const ConvShape& shape)
      : arithmetic_(arithmetic),
        policy_(policy),
        shape_(shape),
        matrices_(winograd_matrices(path)),
        down_((shape.out_height() + matrices_.m - 1) / matrices_.m),
        across_((shape.out_width() + matrices_.m - 1) / matrices_.m) {}

  void forward(const V* input, const V* weights, V* output) const {
    const Planes<V> kernels = kernel_planes(weights);
    for (std::int64_t n = 0; n < shape_.batch; ++n) {
      Planes<V> sums(places(), shape_.out_channels, tiles());
      const Planes<V> seen = input_planes(input + n * image_size(), 1);
      for (std::int64_t i = 0; i < places(); ++i)
        matmul(arithmetic_, policy_, kernels.matrix(i), seen.matrix(i), sums.at(i));
      put_tiles(sums, output + n * shape_.out_channels * shape_.out_height() * shape_.out_width());
    }
  }

  void weight_gradient(const V* cotangent, const V* input, V* gradient) const {
    const Planes<V> seen = input_planes(input, shape_.batch), given = cotangent_planes(cotangent);
    Planes<V> sums(places(), shape_.out_channels, shape_.in_channels);
    for (std::int64_t i = 0; i < places(); ++i)
      matmul(arithmetic_, policy_, given.matrix(i), seen.matrix(i).transposed(), sums.at(i));
    const Ratios back = matrices_.kernel.transposed();
    const Transform<A> transform(arithmetic_, back);
    Tile tile;
    for (std::int64_t o = 0; o < shape_.out_channels; ++o)
      for (std::int64_t c = 0; c < shape_.in_channels; ++c, gradient += shape_.window()) {
        sums.take(o, c, tile.data());
        transform(tile.data(), gradient);
      }
  }

 private:
  using Tile = std::array<V, Transform<A>::most>;

  std::int64_t places() const { return matrices_.tile() * matrices_.tile(); }
  std::int64_t tiles() const { return down_ * across_; }
  std::int64_t image_size() const { return shape_.in_channels * shape_.height * shape_.width; }

  Planes<V> kernel_planes(const V* weights) const {
    Planes<V> planes(places(), shape_.out_channels, shape_.in_channels);
    const Transform<A> transform(arithmetic_, matrices_.kernel);
    Tile tile;
    for (std::int64_t o = 0; o < shape_.out_channels; ++o)
      for (std::int64_t c = 0; c < shape_.in_channels; ++c, weights += shape_.window()) {
        transform(weights, tile.data());
        planes.put(o, c, tile.data());
      }
    return planes;
  }

  // [places][in_channels, images tiles]
  Planes<V> input_planes(const V* input, std::int64_t images) const {
    Planes<V> planes(places(), shape_.in_channels, images * tiles());
    const Transform<A> transform(arithmetic_, matrices_.input);
    const std::int64_t m = matrices_.m, t = matrices_.tile();
    Tile seen, tile;
    for (std::int64_t n = 0; n < images; ++n) {
      const Padded<A> padded(shape_, input + n * image_size(), down_ * m + 2, across_ * m + 2);
      for (std::int64_t c = 0; c < shape_.in_channels; ++c)
        for (std::int64_t at = 0; at < tiles(); ++at) {
          for (std::int64_t i = 0; i < t; ++i)
            std::copy_n(padded.row(c, at / across_ * m + i, at % across_ * m), t, seen.begin() + i * t);
          transform(seen.data(), tile.data());
          planes.put(c, n * tiles() + at, tile.data());
        }
    }
    return planes;
  }

  // Calls use(index of the pixel in its image, index in the tile) for the pixels of a tile that the image has.
  template <class Use>
  void each_pixel(std::int64_t at, const Use& use) const {
    const std::int64_t m = matrices_.m, top = at / across_ * m, left = at % across_ * m;
    for (std::int64_t y = 0; y < m && top + y < shape_.out_height(); ++y)
      for (std::int64_t x = 0; x < m && left + x < shape_.out_width(); ++x)
        use((top + y) * shape_.out_width() + left + x, static_cast<std::size_t>(y * m + x));
  }

  // [places][out_channels, batch tiles], pixels beyond the image are 0.
  Planes<V> cotangent_planes(const V* cotangent) const {
    Planes<V> planes(places(), shape_.out_channels, shape_.batch * tiles());
    const Ratios back = matrices_.output.transposed();
    const Transform<A> transform(arithmetic_, back);
    const std::int64_t pixels = shape_.out_height() * shape_.out_width();
    Tile given, tile;
    for (std::int64_t n = 0; n < shape_.batch; ++n)
      for (std::int64_t o = 0; o < shape_.out_channels; ++o, cotangent += pixels)
        for (std::int64_t at = 0; at < tiles(); ++at) {
          given.fill(A::constant(0));
          each_pixel(at, [&](std::int64_t pixel, std::size_t place) { given[place] = cotangent[pixel]; });
          transform(given.data(), tile.data());
          planes.put(o, n * tiles() + at, tile.data());
        }
    return planes;
  }

  void put_tiles(const Planes<V>& sums, V* image) const {
    const Transform<A> transform(arithmetic_, matrices_.output);
    Tile tile, made;
    for (std::int64_t o = 0; o < shape_.out_channels; ++o, image += shape_.out_height() * shape_.out_width())
      for (std::int64_t at = 0; at < tiles(); ++at) {
        sums.take(o, at, tile.data());
        transform(tile.data(), made.data());
        each_pixel(at, [&](std::int64_t pixel, std::size_t place) { image[pixel] = made[place]; });
      }
  }

  const A& arithmetic_;
  const KernelPolicy& policy_;
  const ConvShape& shape_;
  const WinogradMatrices& matrices_;
  std::int64_t down_;
  std::int64_t across_;
};

}  // namespace

template <class A>
void winograd(const A& arithmetic, const KernelPolicy& policy, ConvPath path, const ConvShape& shape,
              const typename A::Value* input, const typename A::Value* weights, typename A::Value* output) {
  Winograd<A>(arithmetic, policy, path, shape).forward(input, weights, output);
}

template <class A>
void winograd_weight_gradient(const A& arithmetic, const KernelPolicy& policy, ConvPath path, const ConvShape& shape,
                              const typename A::Value* cotangent, const typename A::Value* input,
                              typename A::Value* gradient) {
  Winograd<A>(arithmetic, policy, path, shape).weight_gradient(cotangent, input, gradient);
}

#define MICROSTEP_INSTANTIATE_WINOGRAD(A)                                                                             \
  template void winograd(const A&, const KernelPolicy&, ConvPath, const ConvShape&, const A::Value*, const A::Value*, \
                         A::Value*);                                                                                  \
  template void winograd_weight_gradient(const A&, const KernelPolicy&, ConvPath, const ConvShape&, const A::Value*,  \
                                         const A::Value*, A::Value*);
MICROSTEP_INSTANTIATE_WINOGRAD(Plain<float>)
MICROSTEP_INSTANTIATE_WINOGRAD(Plain<double>)
MICROSTEP_INSTANTIATE_WINOGRAD(Plain<Wide>)
MICROSTEP_INSTANTIATE_WINOGRAD(Emulated<double>)
MICROSTEP_INSTANTIATE_WINOGRAD(Balls<Wide>)
#undef MICROSTEP_INSTANTIATE_WINOGRAD

}  // namespace microstep::kernels

#pragma once
// Winograd's minimal filtering F(m x m, 3 x 3), m = 2 or 4: output tile = A^T [(G w G^T) * (B^T d B)] A, with d the
// input tile of (m+2) x (m+2) (Lavin and Gray, Fast algorithms for convolutional neural networks, CVPR 2016; points 0,
// 1, -1, infinity and for m = 4 also 2, -2). Sums over channels are matrix products by the policy's path.
#include "microstep/kernels/conv.hpp"

namespace microstep::kernels {

template <class A>
void winograd(const A& arithmetic, const KernelPolicy& policy, ConvPath path, const ConvShape& shape,
              const typename A::Value* input, const typename A::Value* weights, typename A::Value* output);

template <class A>
void winograd_weight_gradient(const A& arithmetic, const KernelPolicy& policy, ConvPath path, const ConvShape& shape,
                              const typename A::Value* cotangent, const typename A::Value* input,
                              typename A::Value* gradient);

}  // namespace microstep::kernels

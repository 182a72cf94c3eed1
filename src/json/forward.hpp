#pragma once
// What a port is asked to forward, and its outputs, as JSON.
#include "microstep/data/trace.hpp"
#include "microstep/json/document.hpp"
#include "microstep/json/writer.hpp"

namespace microstep {

/// The members model, params, inputs and switches of a request.
void write_forward(JsonWriter& out, const Forward& forward);
/// Throws json.*, spec.*, and json.shape-mismatch where the inputs are not [batch, ...].
Forward read_forward(const Document& request);

/// The members outputs and kernels of an answer.
void write_outputs(JsonWriter& out, const Outputs& outputs);
/// Throws json.shape-mismatch and json.dtype-mismatch unless the outputs are of that shape and dtype.
Outputs read_outputs(const Document& answer, Dtype dtype, const Shape& due);

}  // namespace microstep

#pragma once
// The tensors of other files, put where their names say: as if they stood in the text of the trace.
#include "microstep/json/trace.hpp"
#include "node.hpp"

namespace microstep {

/// Throws trace.unknown-tensor for a name that no path of the trace has, trace.duplicate-leaf for one whose place is
/// taken, trace.tensor-rank, trace.tensors-elsewhere where there is nothing to open files with, and what `open` throws.
void take_tensors(const Document& trace, const OpenTensors& open, Document::Root& root);

}  // namespace microstep

#pragma once
// One function a contract; the table is catalogue.cpp.
#include "microstep/judge/verdict.hpp"
#include "reading.hpp"

namespace microstep {

Verdict emission_every_k(const Reading& reading);
Verdict emission_silent_zero(const Reading& reading);
Verdict emission_silent_params(const Reading& reading);
Verdict emission_counters(const Reading& reading);

Verdict reduction_mean(const Reading& reading);
Verdict reduction_sum(const Reading& reading);
Verdict reduction_weighted(const Reading& reading);
Verdict reduction_large_batch(const Reading& reading);
Verdict reduction_order_free(const Reading& reading);

Verdict state_inner_asleep(const Reading& reading);
Verdict state_accumulator_empty(const Reading& reading);
Verdict state_large_batch(const Reading& reading);
Verdict state_count_once(const Reading& reading);
Verdict state_nonfinite_forgotten(const Reading& reading);
Verdict state_resume(const Reading& reading);

Verdict form_dtype(const Reading& reading);
Verdict form_shape(const Reading& reading);
Verdict form_keys(const Reading& reading);

Verdict identity_k1(const Reading& reading);

}  // namespace microstep

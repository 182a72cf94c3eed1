#pragma once
// Well-formed UTF-8 by the Unicode standard's table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
#include <cstddef>
#include <string_view>

namespace microstep::utf8 {

/// Bytes of the well-formed sequence at the start of the text, 0 if there is none.
std::size_t sequence_length(std::string_view text);
/// The place of the first byte that is not part of a well-formed sequence; npos if there is none.
std::size_t first_fault(std::string_view text);

}  // namespace microstep::utf8

#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::data {

/// Writes `count` bytes of English-like text: paragraphs of sentences from a small grammar, in
/// which subject and verb agree in number over the words between them and a paragraph keeps its
/// hero, so that a model with more context predicts better. Letters, blanks, `,.;"?` and line ends
/// only. The bytes are a function of `seed`; a longer text begins with the shorter one.
std::vector<uint8_t> MakeSyntheticText(uint64_t seed, int64_t count);

}  // namespace lockstep::data

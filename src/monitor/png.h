#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lockstep::monitor {

/// A PNG file of 8 bits a sample. Shapes: pixels [height, width, channels], 1 to 4 channels: gray,
/// gray with alpha, RGB, RGBA. Source: RFC 2083.
std::string EncodePng(std::span<const uint8_t> pixels, uint32_t height, uint32_t width,
                      int channels);

}  // namespace lockstep::monitor

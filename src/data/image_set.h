#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::data {

/// Labelled grey images: images uint8 [count, height, width], row-major; labels uint8 [count].
struct ImageSet {
  int64_t count = 0;
  int64_t height = 0;
  int64_t width = 0;
  std::vector<uint8_t> images;
  std::vector<uint8_t> labels;
};

/// What a model trains on and what it is tested on.
struct ImageData {
  ImageSet train;
  ImageSet test;
};

}  // namespace lockstep::data

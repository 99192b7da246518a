#pragma once

#include <string>

#include "data/image_set.h"
#include "lockstep/base/status.h"

namespace lockstep::data {

/// Reads MNIST (or a set of its form) from the four IDX files in `directory`:
/// train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte,
/// t10k-labels-idx1-ubyte, each also as train-images.idx3-ubyte and so on, each plain or gzip, with
/// or without ".gz". Shapes: images uint8 [n, 28, 28], labels uint8 [n] in 0 to 9, n at least 1.
/// Errors: those of ReadIdx; NotFound (names what was looked for); InvalidArgument (images and
/// labels
///   differ in number, images of another size, a label out of range: says which and where).
Result<ImageData> LoadMnist(const std::string& directory);

}  // namespace lockstep::data

#include <algorithm>
#include <cstring>

#include "data/dataset_node.h"
#include "data/digits.h"
#include "data/idx.h"
#include "data/mnist.h"
#include "data/text.h"
#include "tensor/buffer.h"

namespace lockstep::data {

namespace {

DType DTypeOf(IdxType type) {
  switch (type) {
    case IdxType::kUint8:
      return DType::kUInt8;
    case IdxType::kInt8:
      return DType::kInt8;
    case IdxType::kInt16:
      return DType::kInt16;
    case IdxType::kInt32:
      return DType::kInt32;
    case IdxType::kFloat32:
      return DType::kFloat32;
    case IdxType::kFloat64:
      return DType::kFloat64;
  }
  return DType::kInvalid;
}

Tensor TensorOf(const IdxArray& array) {
  const DType dtype = DTypeOf(array.header.type);
  const Shape shape(array.header.dims);
  auto buffer = tensor::Buffer::Allocate(dtype, shape.num_elements());
  if (!array.bytes.empty()) std::memcpy(buffer->data(), array.bytes.data(), array.bytes.size());
  return Tensor::FromBuffer(std::move(buffer), dtype, shape);
}

Tensor Bytes(std::span<const uint8_t> bytes) {
  return Tensor::FromVector(std::vector<int32_t>(bytes.begin(), bytes.end()),
                            Shape{static_cast<int64_t>(bytes.size())});
}

}  // namespace

NodePtr MakeIdx(const std::string& path) {
  const IdxArray array = ReadIdx(path).OrThrow();
  return MakeSlices({TensorOf(array)});
}

NodePtr MakeMnist(const std::string& directory, bool train) {
  const ImageData data = LoadMnist(directory).OrThrow();
  const ImageSet& set = train ? data.train : data.test;
  return MakeSlices({Tensor::FromVector(set.images, Shape{set.count, set.height, set.width}),
                     Tensor::FromVector(std::vector<int32_t>(set.labels.begin(), set.labels.end()),
                                        Shape{set.count})});
}

NodePtr MakeDigitSet(uint64_t seed, int64_t count, bool train) {
  if (count < 0) {
    Refuse("digits", "the number of examples must not be negative", std::to_string(count),
           "ask for 0 or more");
  }
  const auto draw = [seed, train](int64_t index) -> Element {
    auto image = tensor::Buffer::Allocate(DType::kUInt8, kDigitPixels);
    uint8_t label = 0;
    DrawDigits(seed, train ? DigitSplit::kTrain : DigitSplit::kTest, index,
               {static_cast<uint8_t*>(image->data()), static_cast<size_t>(kDigitPixels)},
               {&label, 1});
    return {Tensor::FromBuffer(std::move(image), DType::kUInt8, Shape{kDigitSide, kDigitSide}),
            Scalar<int32_t>(label)};
  };
  return MakeIndexed("digits(seed " + std::to_string(seed) + ")", count,
                     {{DType::kUInt8, Shape{kDigitSide, kDigitSide}}, {DType::kInt32, Shape{}}},
                     draw);
}

NodePtr MakeTextWindows(const std::string& path, int64_t tokens) {
  const auto corpus = std::make_shared<const TextCorpus>(TextCorpus::Open(path, tokens).OrThrow());
  return MakeIndexed("text_windows(" + std::to_string(tokens) + " tokens)", corpus->num_windows(),
                     {{DType::kInt32, Shape{tokens}}, {DType::kInt32, Shape{tokens}}},
                     [corpus](int64_t index) -> Element {
                       const auto window = corpus->Window(index);
                       return {Bytes(window.first(window.size() - 1)), Bytes(window.subspan(1))};
                     });
}

}  // namespace lockstep::data

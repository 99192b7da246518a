// StringLength, StringLower, StringUpper, StringStrip, StripPunctuation, Substr, StringJoin,
// StringToHashBucket.

#include <algorithm>
#include <string>

#include "base/text_hash.h"
#include "kernels/cpu/texts.h"
#include "kernels/kernel.h"
#include "lockstep/ops/strings.h"

namespace lockstep::kernels {
namespace {

using ops::Attributes;
using Tensors = std::span<const Tensor>;

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool Continues(char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; }
bool IsPunctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

std::vector<Tensor> Length(const Attributes& attributes, Tensors inputs) {
  (void)InferOf("StringLength", attributes, inputs);
  const bool bytes = attributes.Get<int64_t>("unit") == static_cast<int64_t>(TextUnit::kByte);
  return {EachText<int32_t>(DType::kInt32, inputs[0], [&](const std::string& text) {
    const auto all = static_cast<int32_t>(text.size());
    return bytes ? all
                 : all - static_cast<int32_t>(std::count_if(text.begin(), text.end(), Continues));
  })};
}
const RegisterValueFunction kLength("StringLength", Length);

template <typename Change>
std::vector<Tensor> Changed(const char* op, Tensors inputs, const Change& change) {
  (void)InferOf(op, {}, inputs);
  return {EachText<std::string>(DType::kString, inputs[0], [&](std::string text) {
    change(text);
    return text;
  })};
}

std::vector<Tensor> Lower(const Attributes&, Tensors inputs) {
  return Changed("StringLower", inputs, [](std::string& text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
}
const RegisterValueFunction kLower("StringLower", Lower);

std::vector<Tensor> Upper(const Attributes&, Tensors inputs) {
  return Changed("StringUpper", inputs, [](std::string& text) {
    for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
}
const RegisterValueFunction kUpper("StringUpper", Upper);

std::vector<Tensor> Strip(const Attributes&, Tensors inputs) {
  return Changed("StringStrip", inputs, [](std::string& text) {
    const auto end = std::find_if_not(text.rbegin(), text.rend(), IsSpace).base();
    text.erase(end, text.end());
    text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), IsSpace));
  });
}
const RegisterValueFunction kStrip("StringStrip", Strip);

std::vector<Tensor> Punctuation(const Attributes&, Tensors inputs) {
  return Changed("StripPunctuation", inputs,
                 [](std::string& text) { std::erase_if(text, IsPunctuation); });
}
const RegisterValueFunction kPunctuation("StripPunctuation", Punctuation);

// The integers of a tensor, or one for all places.
class IntegersAt {
 public:
  explicit IntegersAt(const Tensor& tensor) : step_(tensor.rank() == 0 ? 0 : 1) {
    if (tensor.dtype() == DType::kInt32)
      narrow_ = tensor.data<int32_t>().data();
    else
      wide_ = tensor.data<int64_t>().data();
  }
  int64_t operator[](int64_t i) const {
    return narrow_ != nullptr ? narrow_[i * step_] : wide_[i * step_];
  }

 private:
  int64_t step_;
  const int32_t* narrow_ = nullptr;
  const int64_t* wide_ = nullptr;
};

std::vector<Tensor> Substr(const Attributes& attributes, Tensors inputs) {
  const Shape shape = InferOf("Substr", attributes, inputs)[0].shape;
  const auto texts = inputs[0].data<std::string>();
  const IntegersAt positions(inputs[1]), lengths(inputs[2]);
  const int64_t step = inputs[0].rank() == 0 ? 0 : 1;
  const int64_t count = shape.num_elements();
  return {Filled<std::string>(DType::kString, shape, [&](std::string* out) {
    for (int64_t i = 0; i < count; ++i) {
      const std::string& text = texts[i * step];
      const auto size = static_cast<int64_t>(text.size());
      const int64_t position = positions[i];
      const int64_t length = lengths[i];
      if (position > size || position < -size) {
        throw Error(Code::kInvalidArgument, "[Substr] pos must be inside of the string; got pos " +
                                                std::to_string(position) + ", out of range for " +
                                                std::to_string(size) + " bytes (string " +
                                                std::to_string(i) + ")");
      }
      const int64_t begin = position < 0 ? position + size : position;
      out[i].assign(text, begin, std::clamp<int64_t>(length, 0, size - begin));
    }
  })};
}
const RegisterValueFunction kSubstr("Substr", Substr);

std::vector<Tensor> Join(const Attributes& attributes, Tensors inputs) {
  const Shape shape = InferOf("StringJoin", attributes, inputs)[0].shape;
  const auto& separator = attributes.Get<std::string>("separator");
  return {Filled<std::string>(DType::kString, shape, [&](std::string* out) {
    const int64_t count = shape.num_elements();
    for (size_t part = 0; part < inputs.size(); ++part) {
      const auto texts = inputs[part].data<std::string>();
      const int64_t step = inputs[part].rank() == 0 ? 0 : 1;
      for (int64_t i = 0; i < count; ++i) {
        if (part > 0) out[i] += separator;
        out[i] += texts[i * step];
      }
    }
  })};
}
const RegisterValueFunction kJoin("StringJoin", Join);

std::vector<Tensor> ToHashBucket(const Attributes& attributes, Tensors inputs) {
  (void)InferOf("StringToHashBucket", attributes, inputs);
  const auto hash = static_cast<TextHash>(attributes.Get<int64_t>("hash"));
  const auto buckets = static_cast<uint64_t>(attributes.Get<int64_t>("num_buckets"));
  const auto& key = attributes.Get<std::vector<int64_t>>("key");
  return {EachText<int64_t>(DType::kInt64, inputs[0], [&](const std::string& text) {
    const uint64_t value = hash == TextHash::kFast ? base::Fingerprint64(text)
                           : hash == TextHash::kStrong
                               ? base::SipHash(text, static_cast<uint64_t>(key.at(0)),
                                               static_cast<uint64_t>(key.at(1)))
                               : base::MurmurHash64(text);
    return static_cast<int64_t>(value % buckets);
  })};
}
const RegisterValueFunction kToHashBucket("StringToHashBucket", ToHashBucket);

}  // namespace
}  // namespace lockstep::kernels

// StringToNumber, AsString.

#include <charconv>
#include <cmath>
#include <string>

#include "kernels/cpu/texts.h"
#include "kernels/kernel.h"

namespace lockstep::kernels {
namespace {

[[noreturn]] void RefuseText(const std::string& text, DType dtype) {
  throw Error(Code::kInvalidArgument, "[StringToNumber] could not correctly convert string: " +
                                          text + " (to " + std::string(DTypeName(dtype)) + ")");
}

// Without the white space around, and a plus in front of what has no other sign.
std::string_view NumberIn(const std::string& text) {
  constexpr const char* kSpaces = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string::npos) return {};
  std::string_view number(text);
  number = number.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
  const bool plus = number.size() > 1 && number[0] == '+' && number[1] != '-' && number[1] != '+';
  return plus ? number.substr(1) : number;
}

// What is beyond the dtype's range is infinite or zero.
template <typename T>
T BeyondRange(std::string_view number, bool hex) {
  const size_t exponent = number.find_first_of(hex ? "pP" : "eE");
  const bool small =
      exponent != std::string_view::npos && number.substr(exponent + 1).starts_with('-');
  // Digits alone can be beyond, too: 0.000...1 and 1000...
  const size_t first = number.find_first_of(hex ? "123456789abcdefABCDEF." : "123456789.");
  const bool fraction =
      exponent == std::string_view::npos && first != std::string_view::npos && number[first] == '.';
  const T value = small || fraction ? T{0} : std::numeric_limits<T>::infinity();
  return number[0] == '-' ? -value : value;
}

template <typename T>
T Parse(const std::string& text, DType dtype) {
  std::string_view number = NumberIn(text);
  T value{};
  std::from_chars_result got{};
  bool negative = false, hex = false;
  if constexpr (std::is_floating_point_v<T>) {
    auto format = std::chars_format::general;
    negative = number.starts_with("-0x") || number.starts_with("-0X");
    hex = negative || number.starts_with("0x") || number.starts_with("0X");
    if (hex) {
      format = std::chars_format::hex;
      number.remove_prefix(negative ? 3 : 2);
    }
    got = std::from_chars(number.data(), number.data() + number.size(), value, format);
  } else {
    got = std::from_chars(number.data(), number.data() + number.size(), value);
  }
  if (number.empty() || got.ptr != number.data() + number.size()) RefuseText(text, dtype);
  if constexpr (std::is_floating_point_v<T>) {
    if (got.ec == std::errc::result_out_of_range)
      value = BeyondRange<T>(number, hex);
    else if (got.ec != std::errc())
      RefuseText(text, dtype);
    return negative ? -value : value;
  }
  if (got.ec != std::errc()) RefuseText(text, dtype);
  return value;
}

template <typename T>
std::vector<Tensor> NumbersOf(DType dtype, const Tensor& texts) {
  return {
      EachText<T>(dtype, texts, [&](const std::string& text) { return Parse<T>(text, dtype); })};
}

std::vector<Tensor> ToNumber(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  const DType dtype = InferOf("StringToNumber", attributes, inputs)[0].dtype;
  switch (dtype) {
    case DType::kFloat32:
      return NumbersOf<float>(dtype, inputs[0]);
    case DType::kFloat64:
      return NumbersOf<double>(dtype, inputs[0]);
    case DType::kInt32:
      return NumbersOf<int32_t>(dtype, inputs[0]);
    default:
      return NumbersOf<int64_t>(dtype, inputs[0]);
  }
}
const RegisterValueFunction kToNumber("StringToNumber", ToNumber);

template <typename T>
std::vector<Tensor> TextsOf(const Tensor& numbers) {
  const auto values = numbers.data<T>();
  return {Filled<std::string>(DType::kString, numbers.shape(), [&](std::string* out) {
    for (size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_same_v<T, bool>) {
        out[i] = values[i] ? "true" : "false";
      } else {
        char text[24];
        out[i].assign(text, std::to_chars(text, text + sizeof text, +values[i]).ptr);
      }
    }
  })};
}

std::vector<Tensor> ToText(const ops::Attributes&, std::span<const Tensor> inputs) {
  switch (inputs[0].dtype()) {
    case DType::kBool:
      return TextsOf<bool>(inputs[0]);
    case DType::kInt8:
      return TextsOf<int8_t>(inputs[0]);
    case DType::kInt16:
      return TextsOf<int16_t>(inputs[0]);
    case DType::kInt32:
      return TextsOf<int32_t>(inputs[0]);
    case DType::kInt64:
      return TextsOf<int64_t>(inputs[0]);
    case DType::kUInt8:
      return TextsOf<uint8_t>(inputs[0]);
    default:
      throw Error(Code::kUnimplemented, "[AsString] integers or bools are needed; got " +
                                            std::string(DTypeName(inputs[0].dtype())));
  }
}
const RegisterValueFunction kToText("AsString", ToText);

}  // namespace
}  // namespace lockstep::kernels

// StringSplit, StringSplitUnits, UnicodeDecode.

#include <algorithm>
#include <string>
#include <string_view>

#include "kernels/cpu/texts.h"
#include "kernels/kernel.h"
#include "lockstep/ops/strings.h"

namespace lockstep::kernels {
namespace {

constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

// Calls give(part) for each part between separators; at most `most` separations.
template <typename Give>
void PartsBetween(std::string_view text, std::string_view separator, int64_t most,
                  const Give& give) {
  while (most-- != 0) {
    const size_t found = text.find(separator);
    if (found == std::string_view::npos) break;
    give(text.substr(0, found));
    text.remove_prefix(found + separator.size());
  }
  give(text);
}

// The same between white space. After the last separation that is allowed comes what is left, even
// where that is nothing.
template <typename Give>
void Words(std::string_view text, int64_t most, const Give& give) {
  if (most == 0) return give(text);
  const auto skip = [&] {
    text.remove_prefix(std::min(text.find_first_not_of(kWhiteSpace), text.size()));
  };
  for (skip(); !text.empty();) {
    const std::string_view word = text.substr(0, text.find_first_of(kWhiteSpace));
    give(word);
    text.remove_prefix(word.size());
    skip();
    if (--most == 0) return give(text);
  }
}

// Values and lengths of what `divide(text, give)` gives for each text.
template <typename Divide>
std::vector<Tensor> PartsOf(const Tensor& input, const Divide& divide) {
  const auto texts = input.data<std::string>();
  std::vector<std::string_view> parts;
  const Tensor lengths =
      Filled<int64_t>(DType::kInt64, Shape{static_cast<int64_t>(texts.size())}, [&](int64_t* out) {
        for (const std::string& text : texts) {
          const size_t before = parts.size();
          divide(std::string_view(text), [&](std::string_view part) { parts.push_back(part); });
          *out++ = static_cast<int64_t>(parts.size() - before);
        }
      });
  const Tensor values =
      Filled<std::string>(DType::kString, Shape{static_cast<int64_t>(parts.size())},
                          [&](std::string* out) { std::copy(parts.begin(), parts.end(), out); });
  return {values, lengths};
}

std::vector<Tensor> Split(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  (void)InferOf("StringSplit", attributes, inputs);
  const auto& separator = attributes.Get<std::string>("separator");
  const auto most = std::max<int64_t>(attributes.Get<int64_t>("most"), -1);
  return PartsOf(inputs[0], [&](std::string_view text, const auto& give) {
    if (separator.empty()) return Words(text, most, give);
    PartsBetween(text, separator, most, give);
  });
}
const RegisterValueFunction kStringSplit("StringSplit", Split);

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr int32_t kReplacementNumber = 0xfffd;

// A character of UTF-8 at the beginning of a text: how many bytes it has, and its number. Of bytes
// that are none as many as begin one, as Unicode recommends; their number is -1.
struct Character {
  size_t bytes = 1;
  int32_t number = -1;
};
Character FirstCharacter(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = at(0);
  if (lead < 0x80) return {1, lead};
  if (lead < 0xc2 || lead > 0xf4) return {};
  const size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  int32_t number = lead & (0x7f >> size);
  for (size_t i = 1; i < size; ++i) {
    // Neither longer than needed, nor half of a pair, nor beyond the last character.
    const uint8_t least = i > 1 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const uint8_t most = i > 1 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (i >= text.size() || at(i) < least || at(i) > most) return {i, -1};
    number = number << 6 | (at(i) & 0x3f);
  }
  return {size, number};
}

std::vector<Tensor> SplitUnits(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  (void)InferOf("StringSplitUnits", attributes, inputs);
  const bool bytes = attributes.Get<int64_t>("unit") == static_cast<int64_t>(TextUnit::kByte);
  return PartsOf(inputs[0], [&](std::string_view text, const auto& give) {
    while (!text.empty()) {
      const Character first = bytes ? Character{1, 0} : FirstCharacter(text);
      give(first.number < 0 ? kReplacement : text.substr(0, first.bytes));
      text.remove_prefix(first.bytes);
    }
  });
}
const RegisterValueFunction kSplitUnits("StringSplitUnits", SplitUnits);

std::vector<Tensor> Decode(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  (void)InferOf("UnicodeDecode", attributes, inputs);
  const auto texts = inputs[0].data<std::string>();
  std::vector<int32_t> numbers;
  const Tensor lengths =
      Filled<int64_t>(DType::kInt64, Shape{static_cast<int64_t>(texts.size())}, [&](int64_t* out) {
        for (std::string_view text : texts) {
          const size_t before = numbers.size();
          while (!text.empty()) {
            const Character first = FirstCharacter(text);
            numbers.push_back(first.number < 0 ? kReplacementNumber : first.number);
            text.remove_prefix(first.bytes);
          }
          *out++ = static_cast<int64_t>(numbers.size() - before);
        }
      });
  return {Tensor::FromVector(numbers, Shape{static_cast<int64_t>(numbers.size())}), lengths};
}
const RegisterValueFunction kDecode("UnicodeDecode", Decode);

}  // namespace
}  // namespace lockstep::kernels

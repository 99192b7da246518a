// StringSplit, StringSplitUnits.

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
  const auto most = attributes.Get<int64_t>("most");
  return PartsOf(inputs[0], [&](std::string_view text, const auto& give) {
    if (separator.empty()) return Words(text, most, give);
    PartsBetween(text, separator, most, give);
  });
}
const RegisterValueFunction kSplit("StringSplit", Split);

// How many bytes the character has that begins here; one for bytes that are none.
size_t CharacterBytes(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const size_t wanted = at(0) < 0x80                     ? 1
                        : at(0) >= 0xc2 && at(0) <= 0xdf ? 2
                        : at(0) >= 0xe0 && at(0) <= 0xef ? 3
                        : at(0) >= 0xf0 && at(0) <= 0xf4 ? 4
                                                         : 1;
  if (wanted > text.size()) return 1;
  for (size_t i = 1; i < wanted; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 1;
  }
  return wanted;
}

std::vector<Tensor> SplitUnits(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  (void)InferOf("StringSplitUnits", attributes, inputs);
  const bool bytes = attributes.Get<int64_t>("unit") == static_cast<int64_t>(TextUnit::kByte);
  return PartsOf(inputs[0], [&](std::string_view text, const auto& give) {
    while (!text.empty()) {
      const size_t size = bytes ? 1 : CharacterBytes(text);
      give(text.substr(0, size));
      text.remove_prefix(size);
    }
  });
}
const RegisterValueFunction kSplitUnits("StringSplitUnits", SplitUnits);

}  // namespace
}  // namespace lockstep::kernels

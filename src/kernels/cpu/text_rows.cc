// StringReduceJoin, StringJoinRows, StringNGrams.

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/memory.h"
#include "kernels/cpu/texts.h"
#include "kernels/kernel.h"
#include "tensor/sizes.h"

namespace lockstep::kernels {
namespace {

using Texts = std::span<const std::string>;

// The texts at(0), at(1), ... at(count - 1) one after another, in room that is taken once.
template <typename At>
std::string JoinedTexts(int64_t count, const std::string& separator, const At& at) {
  std::string joined;
  if (count <= 0) return joined;
  size_t size = separator.size() * static_cast<size_t>(count - 1);
  for (int64_t i = 0; i < count; ++i) size += at(i).size();
  joined.reserve(size);
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) joined += separator;
    joined += at(i);
  }
  return joined;
}

std::string JoinedTexts(Texts texts, const std::string& separator) {
  return JoinedTexts(std::ssize(texts), separator,
                     [&](int64_t i) -> const std::string& { return texts[i]; });
}

std::vector<Tensor> ReduceJoin(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  const Shape shape = InferOf("StringReduceJoin", attributes, inputs)[0].shape;
  const Shape& own = inputs[0].shape();
  const auto width = static_cast<size_t>(own[own.rank() - 1]);
  const Texts texts = inputs[0].data<std::string>();
  const auto& separator = attributes.Get<std::string>("separator");
  return {Filled<std::string>(DType::kString, shape, [&](std::string* out) {
    for (int64_t i = 0; i < shape.num_elements(); ++i)
      out[i] = JoinedTexts(texts.subspan(static_cast<size_t>(i) * width, width), separator);
  })};
}
const RegisterValueFunction kReduceJoin("StringReduceJoin", ReduceJoin);

// Where rows begin and end; InvalidArgument unless they are one behind the other.
std::span<const int64_t> SplitsOf(const char* op, const Tensor& splits, size_t texts) {
  const auto all = splits.data<int64_t>();
  const bool whole = !all.empty() && all[0] == 0 && all.back() == static_cast<int64_t>(texts);
  if (whole && std::is_sorted(all.begin(), all.end())) return all;
  throw Error(
      Code::kInvalidArgument,
      std::string("[") + op + "] splits must rise from 0 to the number of texts; got from " +
          (all.empty() ? "none" : std::to_string(all[0])) + " to " +
          (all.empty() ? "none" : std::to_string(all.back())) + " of " + std::to_string(texts));
}

std::vector<Tensor> JoinRows(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  const Shape shape{std::max<int64_t>(inputs[1].num_elements() - 1, 0)};
  const Texts texts = inputs[0].data<std::string>();
  const auto splits = SplitsOf("StringJoinRows", inputs[1], texts.size());
  const auto& separator = attributes.Get<std::string>("separator");
  return {Filled<std::string>(DType::kString, shape, [&](std::string* out) {
    for (size_t row = 0; row + 1 < splits.size(); ++row)
      out[row] = JoinedTexts(texts.subspan(splits[row], splits[row + 1] - splits[row]), separator);
  })};
}
const RegisterValueFunction kJoinRows("StringJoinRows", JoinRows);

// The n-grams of one row after another.
class NGrams {
 public:
  explicit NGrams(const ops::Attributes& attributes)
      : widths_(attributes.Get<std::vector<int64_t>>("widths")),
        separator_(attributes.Get<std::string>("separator")),
        left_(attributes.Get<std::string>("left")),
        right_(attributes.Get<std::string>("right")),
        pad_(attributes.Get<int64_t>("pad_width")),
        preserve_(attributes.Get<bool>("preserve_short")) {}

  // Appends what a row gives. Every text of every n-gram counts as a byte at least.
  void Row(Texts row, std::vector<std::string>& out) const {
    const size_t before = out.size();
    for (const int64_t width : widths_) {
      const int64_t pad = PadOf(width);
      const int64_t padded = tensor::SumOfSizes({std::ssize(row), pad, pad}, "StringNGrams");
      const int64_t count = padded - width + 1;
      Require(count, width);
      for (int64_t i = 0; i < count; ++i) out.push_back(One(row, i - pad, width));
    }
    if (!preserve_ || out.size() > before || row.empty()) return;
    const int64_t pad = std::max<int64_t>(pad_, 0);
    const int64_t whole = tensor::SumOfSizes({std::ssize(row), pad, pad}, "StringNGrams");
    Require(1, whole);
    out.push_back(One(row, -pad, whole));
  }

 private:
  static void Require(int64_t count, int64_t width) {
    if (count <= 0) return;
    const int64_t texts = tensor::ProductOfSizes({count, width}, "StringNGrams");
    base::RequireMemory(static_cast<uint64_t>(texts), "StringNGrams");
  }
  int64_t PadOf(int64_t width) const { return pad_ < 0 ? width - 1 : std::min(pad_, width - 1); }

  const std::string& At(Texts row, int64_t place) const {
    if (place < 0) return left_;
    return place < static_cast<int64_t>(row.size()) ? row[place] : right_;
  }

  std::string One(Texts row, int64_t begin, int64_t width) const {
    return JoinedTexts(width, separator_,
                       [&](int64_t i) -> const std::string& { return At(row, begin + i); });
  }

  const std::vector<int64_t>& widths_;
  const std::string &separator_, &left_, &right_;
  int64_t pad_;  // -1: as many as the first and the last n-gram take
  bool preserve_;
};

std::vector<Tensor> NGramsOf(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  (void)InferOf("StringNGrams", attributes, inputs);
  const Texts texts = inputs[0].data<std::string>();
  const auto splits = SplitsOf("StringNGrams", inputs[1], texts.size());
  const NGrams grams(attributes);
  std::vector<std::string> made;
  std::vector<int64_t> ends{0};
  for (size_t row = 0; row + 1 < splits.size(); ++row) {
    grams.Row(texts.subspan(splits[row], splits[row + 1] - splits[row]), made);
    ends.push_back(static_cast<int64_t>(made.size()));
  }
  const Shape shape{static_cast<int64_t>(made.size())};
  const Tensor values = Filled<std::string>(
      DType::kString, shape, [&](std::string* out) { std::move(made.begin(), made.end(), out); });
  const Shape rows{static_cast<int64_t>(ends.size())};
  return {values, Tensor::FromVector(ends, rows)};
}
const RegisterValueFunction kNGrams("StringNGrams", NGramsOf);

}  // namespace
}  // namespace lockstep::kernels

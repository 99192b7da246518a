// Tensors as text, in the layout of NumPy 2: columns are aligned, numbers have as few digits as
// tell them apart (at most eight after the point), lines have at most 75 columns, and of more than
// 1000 elements the first and last three along each axis are shown.

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>

#include "lockstep/tensor/tensor.h"
#include "tensor/decimal.h"

namespace lockstep {

namespace {

using tensor::Decimal;
using tensor::NumberText;
using tensor::RoundedScientific;

constexpr int64_t kThreshold = 1000;
constexpr int64_t kEdge = 3;
constexpr size_t kLineWidth = 75;
constexpr int kFraction = 8;

double RealAt(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kFloat32:
      return tensor.data<float>()[i];
    case DType::kFloat64:
      return tensor.data<double>()[i];
    case DType::kBFloat16:
      return float(tensor.data<bfloat16>()[i]);
    default:
      return float(tensor.data<float16>()[i]);
  }
}

int64_t IntegerAt(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kInt8:
      return tensor.data<int8_t>()[i];
    case DType::kInt16:
      return tensor.data<int16_t>()[i];
    case DType::kInt32:
      return tensor.data<int32_t>()[i];
    case DType::kUInt8:
      return tensor.data<uint8_t>()[i];
    default:
      return tensor.data<int64_t>()[i];
  }
}

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      constexpr char kHex[] = "0123456789abcdef";
      quoted += c == '\n'   ? std::string("\\n")
                : c == '\t' ? std::string("\\t")
                            : std::string("\\x") + kHex[c >> 4 & 15] + kHex[c & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// Element `i` as a word of its own.
std::string ScalarText(const Tensor& tensor, int64_t i) {
  if (IsFloating(tensor.dtype())) return NumberText(RealAt(tensor, i), tensor.dtype());
  if (tensor.dtype() == DType::kBool) return tensor.data<bool>()[i] ? "True" : "False";
  if (tensor.dtype() == DType::kString) return Quoted(tensor.data<std::string>()[i]);
  return std::to_string(IntegerAt(tensor, i));
}

std::string PaddedLeft(std::string text, size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

// Writes numbers of one tensor in columns of equal width.
class RealFormat {
 public:
  RealFormat(const Tensor& tensor, const std::vector<int64_t>& shown) : tensor_(tensor) {
    double largest = 0, smallest = INFINITY;
    for (int64_t i : shown) {
      const double size = std::fabs(RealAt(tensor, i));
      if (!std::isfinite(size) || size == 0) continue;
      largest = std::max(largest, size);
      smallest = std::min(smallest, size);
    }
    scientific_ = largest > 0 &&
                  (largest >= LargestPositional() || smallest < 1e-4 || largest / smallest > 1000);
    for (int64_t i : shown) Measure(RealAt(tensor, i));
    size_t others = 0;  // the widest NaN or infinity
    for (int64_t i : shown) {
      const double value = RealAt(tensor, i);
      if (!std::isfinite(value)) others = std::max<size_t>(others, value < 0 ? 4 : 3);
    }
    const size_t tail = 1 + fraction_ + exponent_;
    if (others > whole_ + tail) whole_ = others - tail;
  }

  std::string operator()(int64_t i) const {
    const double value = RealAt(tensor_, i);
    const size_t width = whole_ + 1 + fraction_ + exponent_;
    if (!std::isfinite(value)) return PaddedLeft(NumberText(value, tensor_.dtype()), width);
    if (scientific_) {
      const Parts parts = Split(RoundedScientific(value, static_cast<int>(fraction_)));
      std::string exponent = parts.exponent;
      exponent.insert(2, exponent_ - exponent.size(), '0');
      return PaddedLeft(parts.whole, whole_) + "." + parts.fraction + exponent;
    }
    Parts parts = Split(ShortText(value));
    parts.fraction.resize(fraction_, ' ');
    return PaddedLeft(parts.whole, whole_) + "." + parts.fraction;
  }

 private:
  struct Parts {
    std::string whole, fraction, exponent;
  };

  // From here on NumPy prefers exponents: the digits that the dtype can hold, at most 8.
  double LargestPositional() const {
    switch (tensor_.dtype()) {
      case DType::kFloat64:
        return 1e8;
      case DType::kFloat32:
        return 1e6;
      default:
        return 1e3;
    }
  }

  std::string ShortText(double value) const {
    const Decimal decimal = Decimal::Shortest(value, tensor_.dtype());
    return scientific_ ? decimal.Scientific(value, kFraction)
                       : decimal.Positional(value, kFraction);
  }

  static Parts Split(const std::string& text) {
    const size_t point = text.find('.');
    const size_t mark = std::min(text.find('e'), text.size());
    return {text.substr(0, point), text.substr(point + 1, mark - point - 1), text.substr(mark)};
  }

  void Measure(double value) {
    if (!std::isfinite(value)) return;
    const Parts parts = Split(ShortText(value));
    whole_ = std::max(whole_, parts.whole.size());
    fraction_ = std::max(fraction_, parts.fraction.size());
    exponent_ = std::max(exponent_, parts.exponent.size());
  }

  const Tensor& tensor_;
  bool scientific_ = false;
  size_t whole_ = 0, fraction_ = 0, exponent_ = 0;
};

using Word = std::function<std::string(int64_t)>;

Word ChooseWord(const Tensor& tensor, const std::vector<int64_t>& shown) {
  if (IsFloating(tensor.dtype())) return RealFormat(tensor, shown);
  size_t width = tensor.dtype() == DType::kBool ? 5 : 0;
  if (IsInteger(tensor.dtype())) {
    for (int64_t i : shown) width = std::max(width, ScalarText(tensor, i).size());
  }
  return [&tensor, width](int64_t i) { return PaddedLeft(ScalarText(tensor, i), width); };
}

class Layout {
 public:
  explicit Layout(const Tensor& tensor)
      : shape_(tensor.shape()), abridged_(tensor.num_elements() > kThreshold) {
    std::vector<int64_t> shown;
    Collect(0, 0, shown);
    word_ = ChooseWord(tensor, shown);
  }

  // The brackets of axis `axis` from element `first` on.
  std::string Block(int axis, int64_t first) const {
    const std::string indent(axis + 1, ' ');
    if (axis == shape_.rank() - 1) return "[" + Line(first, indent).substr(indent.size()) + "]";
    const std::string separator(shape_.rank() - axis - 1, '\n');
    std::string text;
    for (int64_t i : Places(axis)) {
      if (!text.empty()) text += separator + indent;
      text += i < 0 ? "..." : Block(axis + 1, first + i * Stride(axis));
    }
    return "[" + text + "]";
  }

 private:
  int64_t Stride(int axis) const { return shape_.product(axis + 1, shape_.rank()); }

  // The places shown along an axis; -1 stands for those left out.
  std::vector<int64_t> Places(int axis) const {
    const int64_t size = shape_[axis];
    const bool cut = abridged_ && size > 2 * kEdge;
    std::vector<int64_t> places;
    for (int64_t i = 0; i < size; ++i) {
      if (cut && i == kEdge) {
        places.push_back(-1);
        i = size - kEdge;
      }
      places.push_back(i);
    }
    return places;
  }

  void Collect(int axis, int64_t first, std::vector<int64_t>& shown) const {
    if (axis == shape_.rank()) {
      shown.push_back(first);
      return;
    }
    for (int64_t i : Places(axis)) {
      if (i >= 0) Collect(axis + 1, first + i * Stride(axis), shown);
    }
  }

  // The words of the last axis, broken into lines.
  std::string Line(int64_t first, const std::string& indent) const {
    const size_t width = kLineWidth - static_cast<size_t>(shape_.rank());
    std::string text, line = indent;
    for (int64_t i : Places(shape_.rank() - 1)) {
      const std::string word = i < 0 ? "..." : word_(first + i);
      if (line.size() > indent.size()) line += ' ';
      if (line.size() + word.size() > width && line.size() > indent.size()) {
        while (line.back() == ' ') line.pop_back();
        text += line + "\n";
        line = indent;
      }
      line += word;
    }
    return text + line;
  }

  const Shape shape_;
  const bool abridged_;
  Word word_;
};

std::string Elements(const Tensor& tensor) {
  if (tensor.rank() == 0) return ScalarText(tensor, 0);
  if (tensor.num_elements() == 0) return "[]";
  return (tensor.rank() > 1 ? "\n" : "") + Layout(tensor).Block(0, 0);
}

}  // namespace

std::string Tensor::ToString() const {
  if (!defined()) return "Tensor(none)";
  const std::string elements = dtype() == DType::kResource ? "resource"
                               : is_symbolic()             ? "symbolic"
                                                           : Elements(*this);
  return "Tensor(" + elements + ", shape=" + shape().ToString() +
         ", dtype=" + std::string(DTypeName(dtype())) + ")";
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << tensor.ToString();
}

}  // namespace lockstep

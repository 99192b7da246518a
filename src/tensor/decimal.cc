#include "tensor/decimal.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace lockstep::tensor {

namespace {

// d.ddde[+-]xx with `fraction` digits, or as many as needed for a float or double.
template <typename T>
std::string ScientificText(T value, int fraction) {
  char text[64];
  const auto end =
      fraction < 0 ? std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific)
                   : std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific,
                                   fraction);
  return std::string(text, end.ptr);
}

double RoundTrip(double value, DType dtype) {
  const float narrow = static_cast<float>(value);
  return dtype == DType::kBFloat16 ? float(bfloat16(narrow)) : float(float16(narrow));
}

// The fewest digits of a half are found by trying.
std::string HalfText(double value, DType dtype) {
  for (int fraction = 0; fraction < 9; ++fraction) {
    std::string text = ScientificText(value, fraction);
    if (RoundTrip(std::strtod(text.c_str(), nullptr), dtype) == value) return text;
  }
  return ScientificText(value, -1);
}

std::string ShortestText(double value, DType dtype) {
  if (IsHalf(dtype)) return HalfText(value, dtype);
  return dtype == DType::kFloat32 ? ScientificText(static_cast<float>(value), -1)
                                  : ScientificText(value, -1);
}

void DropZeros(std::string& text) {
  while (!text.empty() && text.back() == '0') text.pop_back();
}

std::string ExponentText(int exponent) {
  std::string digits = std::to_string(std::abs(exponent));
  if (digits.size() < 2) digits.insert(0, "0");
  return (exponent < 0 ? "e-" : "e+") + digits;
}

}  // namespace

Decimal Decimal::Shortest(double value, DType dtype) {
  const std::string text = ShortestText(std::fabs(value), dtype);
  const size_t mark = text.find('e');
  Decimal decimal;
  decimal.negative = std::signbit(value);
  for (char c : text.substr(0, mark)) {
    if (c != '.') decimal.digits += c;
  }
  DropZeros(decimal.digits);
  decimal.point = std::atoi(text.c_str() + mark + 1) + 1;
  if (decimal.digits.empty()) decimal = {decimal.negative, "0", 1};
  return decimal;
}

std::string Decimal::Positional(double value, int most) const {
  std::string whole, fraction;
  if (static_cast<int>(digits.size()) - point > most) {
    char text[400];
    const auto end =
        std::to_chars(text, text + sizeof(text), std::fabs(value), std::chars_format::fixed, most);
    const std::string rounded(text, end.ptr);
    whole = rounded.substr(0, rounded.find('.'));
    fraction = rounded.substr(rounded.find('.') + 1);
    DropZeros(fraction);
  } else if (point <= 0) {
    whole = "0";
    if (digits != "0") fraction = std::string(-point, '0') + digits;
  } else {
    const size_t places = static_cast<size_t>(point);
    whole = digits.substr(0, places);
    whole.resize(places, '0');
    if (digits.size() > places) fraction = digits.substr(places);
  }
  return (negative ? "-" : "") + whole + "." + fraction;
}

std::string Decimal::Scientific(double value, int most) const {
  std::string shown = digits;
  int exponent = digits == "0" ? 0 : point - 1;
  if (static_cast<int>(shown.size()) - 1 > most) {
    const std::string text = ScientificText(std::fabs(value), most);
    const size_t mark = text.find('e');
    shown = text.substr(0, 1) + text.substr(2, mark - 2);
    DropZeros(shown);
    exponent = std::atoi(text.c_str() + mark + 1);
  }
  return (negative ? "-" : "") + shown.substr(0, 1) + "." + shown.substr(1) +
         ExponentText(exponent);
}

std::string RoundedScientific(double value, int fraction) {
  std::string text = ScientificText(value, fraction);
  if (fraction == 0) text.insert(text.find('e'), ".");
  return text;
}

std::string NumberText(double value, DType dtype) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const Decimal decimal = Decimal::Shortest(value, dtype);
  const double size = std::fabs(value);
  // From here on NumPy prefers an exponent.
  const double large = dtype == DType::kFloat64 ? 1e16 : dtype == DType::kFloat32 ? 1e6 : 1e3;
  if (size != 0 && (size < 1e-4 || size >= large)) {
    std::string text = decimal.Scientific(value, 17);
    const size_t bare = text.find(".e");
    if (bare != std::string::npos) text.erase(bare, 1);
    return text;
  }
  std::string text = decimal.Positional(value, 30);
  return text.back() == '.' ? text + "0" : text;
}

}  // namespace lockstep::tensor

#pragma once

#include <string>

#include "lockstep/tensor/dtype.h"

namespace lockstep::tensor {

/// A finite number in the fewest decimal digits that give it back: 0.d1d2d3... * 10^point.
struct Decimal {
  bool negative = false;
  std::string digits;  // without zeros at the end, at least one digit
  int point = 1;

  /// The decimals of an element of `dtype` with the value `value`.
  static Decimal Shortest(double value, DType dtype);

  /// "12.5", "3." : at most `most` digits after the point, no zeros at the end.
  std::string Positional(double value, int most) const;
  /// "1.25e+01": at most `most` digits after the point, no zeros at the end.
  std::string Scientific(double value, int most) const;
};

/// `value` rounded to `fraction` digits after the point: "1.250e+01", "3.e+00".
std::string RoundedScientific(double value, int fraction);

/// A number alone, as Python writes it: "3.0", "1e-05", "nan".
std::string NumberText(double value, DType dtype);

}  // namespace lockstep::tensor

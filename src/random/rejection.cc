#include "random/rejection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "random/elementary.h"
#include "random/unit_interval.h"

namespace lockstep::random {
namespace {

constexpr uint64_t kBlocksPerNumber = 256;
constexpr uint64_t kBlocksPerInversion = 42;  // of numbers that geometric ones add up to

// The part of a stream that one number reads: uniforms and normals of float64, two of each block.
// TensorFlow takes the second of a block first.
class Draws {
 public:
  explicit Draws(const Stream& stream) : stream_(stream) {}

  double Uniform() {
    if (uniforms_left_ == 0) {
      const auto words = NextBlock();
      uniforms_ = {UnitDouble(words[0], words[1]), UnitDouble(words[2], words[3])};
      uniforms_left_ = 2;
    }
    return uniforms_[--uniforms_left_];
  }

  double Normal() {
    if (normals_left_ == 0) {
      const auto words = NextBlock();
      const double uniform = std::max(UnitDouble(words[0], words[1]), 1.0e-7);
      const double radius = std::sqrt(-2.0 * Log(uniform));
      const SinCos turn = SineCosine(2 * std::numbers::pi * UnitDouble(words[2], words[3]));
      normals_ = {turn.sine * radius, turn.cosine * radius};
      normals_left_ = 2;
    }
    return normals_[--normals_left_];
  }

 private:
  std::array<uint32_t, 4> NextBlock() {
    const auto words = PhiloxBlock(stream_);
    stream_.Skip(1);
    return words;
  }

  Stream stream_;
  std::array<double, 2> uniforms_{}, normals_{};
  int uniforms_left_ = 0, normals_left_ = 0;
};

// `draw(parameter, draws)` for every number, of `blocks(parameter)` blocks each.
template <typename Blocks, typename Draw>
void FillEach(const Stream& stream, size_t parameters, std::span<double> out, const Blocks& blocks,
              const Draw& draw) {
  const size_t samples = parameters == 0 ? 0 : out.size() / parameters;
  for (size_t p = 0; p < parameters; ++p) {
    for (size_t s = 0; s < samples; ++s) {
      Draws draws(stream.After(blocks(p) * (p * samples + s)));
      out[s * parameters + p] = draw(p, draws);
    }
  }
}

// Log is for normal numbers; a uniform may be 0.
double LogOf(double x) { return x < std::numeric_limits<double>::min() ? std::log(x) : Log(x); }

double Gamma(double alpha, Draws& draws) {
  if (alpha == 1.0) return -std::log1p(-draws.Uniform());  // exponential
  const bool below_one = alpha < 1;
  const double d = alpha + (below_one ? 2.0 / 3 : -1.0 / 3);
  const double c = 1.0 / 3 / std::sqrt(d);
  while (true) {
    const double x = draws.Normal();
    double v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    const double u = draws.Uniform();
    if (!(u < 1 - 0.0331 * (x * x) * (x * x)) &&
        !(LogOf(u) < 0.5 * x * x + d * (1 - v + LogOf(v)))) {
      continue;
    }
    double result = d * v;
    if (below_one) result *= std::pow(draws.Uniform(), 1 / alpha);
    return result;
  }
}

// A product of uniforms falls below e^-rate.
double FewOfPoisson(double rate, double highest, Draws& draws) {
  const double limit = std::exp(-rate);
  double product = 1;
  for (double x = 0;; x += 1) {
    product *= draws.Uniform();
    if (product <= limit && x <= highest) return x;
  }
}

double Poisson(double rate, double highest, Draws& draws) {
  if (!(rate >= 0)) return std::numeric_limits<double>::quiet_NaN();
  if (rate < 10) return FewOfPoisson(rate, highest, draws);
  // Numbers up to `highest` would be drawn next to never: the loop below would go on for years.
  constexpr double kDeviations = 40;
  if (std::isinf(rate) || rate - kDeviations * std::sqrt(rate) > highest) return highest;
  const double log_rate = LogOf(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  while (true) {
    const double u = draws.Uniform() - 0.5;
    const double v = draws.Uniform();
    const double shifted = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / shifted + b) * u + rate + 0.43);
    if (k > highest) continue;
    if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (shifted < 0.013 && v > shifted)) continue;
    const double s = LogOf(v * inverse_alpha / (a / (shifted * shifted) + b));
    if (s <= -rate + k * log_rate - std::lgamma(k + 1)) return k;
  }
}

// Geometric numbers are added until they exceed the count.
double FewOfBinomial(double count, double probability, Draws& draws) {
  double sum = 0;
  for (int successes = 0;; ++successes) {
    sum += std::ceil(LogOf(draws.Uniform()) / std::log1p(-probability));
    if (sum > count) return successes;
  }
}

// ln k! without Stirling's leading terms.
double StirlingTail(double k) {
  static constexpr double kFirst[] = {
      0.0810614667953272,  0.0413406959554092,  0.0276779256849983, 0.02079067210376509,
      0.0166446911898211,  0.0138761288230707,  0.0118967099458917, 0.0104112652619720,
      0.00925546218271273, 0.00833056343336287,
  };
  if (k <= 9) return kFirst[static_cast<int>(k)];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

double ManyOfBinomial(double count, double probability, Draws& draws) {
  const double deviation = std::sqrt(count * probability * (1 - probability));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * probability;
  const double c = count * probability + 0.5;
  const double box = 0.92 - 4.2 / b;
  const double r = probability / (1 - probability);
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double m = std::floor((count + 1) * probability);
  while (true) {
    const double u = draws.Uniform() - 0.5;
    double v = draws.Uniform();
    const double shifted = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / shifted + b) * u + c);
    if (shifted >= 0.07 && v <= box) return k;
    if (k < 0 || k > count) continue;
    v = LogOf(v * alpha / (a / (shifted * shifted) + b));
    const double limit = (m + 0.5) * LogOf((m + 1) / (r * (count - m + 1))) +
                         (count + 1) * LogOf((count - m + 1) / (count - k + 1)) +
                         (k + 0.5) * LogOf(r * (count - k + 1) / (k + 1)) + StirlingTail(m) +
                         StirlingTail(count - m) - StirlingTail(k) - StirlingTail(count - k);
    if (v <= limit) return k;
  }
}

bool HasMany(double count, double probability) {
  return count * std::min(probability, 1 - probability) >= 10;
}

// At most one trial in two succeeds.
double HalfOfBinomial(double count, double probability, Draws& draws) {
  return HasMany(count, probability) ? ManyOfBinomial(count, probability, draws)
                                     : FewOfBinomial(count, probability, draws);
}

double Binomial(double count, double probability, Draws& draws) {
  if (std::isnan(probability)) return probability;
  if (std::isnan(count)) return count;
  if (count <= 0 || probability <= 0) return 0;
  if (probability >= 1) return count;
  if (probability <= 0.5) return HalfOfBinomial(count, probability, draws);
  return count - HalfOfBinomial(count, 1 - probability, draws);
}

}  // namespace

void FillGamma(const Stream& stream, std::span<const double> alphas, std::span<double> out) {
  FillEach(
      stream, alphas.size(), out, [](size_t) { return kBlocksPerNumber; },
      [&](size_t p, Draws& draws) { return Gamma(alphas[p], draws); });
}

void FillPoisson(const Stream& stream, std::span<const double> rates, double highest,
                 std::span<double> out) {
  FillEach(
      stream, rates.size(), out, [](size_t) { return kBlocksPerNumber; },
      [&](size_t p, Draws& draws) { return Poisson(rates[p], highest, draws); });
}

void FillBinomial(const Stream& stream, std::span<const double> counts,
                  std::span<const double> probabilities, std::span<double> out) {
  const auto blocks = [&](size_t p) {
    return HasMany(counts[p], probabilities[p]) ? kBlocksPerNumber : kBlocksPerInversion;
  };
  const auto draw = [&](size_t p, Draws& draws) {
    return Binomial(counts[p], probabilities[p], draws);
  };
  FillEach(stream, counts.size(), out, blocks, draw);
}

}  // namespace lockstep::random

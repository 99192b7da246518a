#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "ops/op.h"
#include "ops/signature.h"

/// Random calls of ops: what their signatures allow, with small shapes and extreme numbers.
namespace lockstep::runtime::testing {

/// A call of one op.
struct OpCall {
  const ops::OpSpec* spec = nullptr;
  std::vector<Tensor> inputs;
  ops::Attributes attributes;

  /// "Slice(float32[2,3]; begin=[-1,7,]; size=[...];)"
  std::string ToString() const;
};

/// Draws a call from a seed: equal seeds give equal calls. The shapes of inputs have 0 to 4 axes of
/// sizes 0, 1 and primes; a part of all numbers in index-like inputs and in attributes is extreme
/// (limits of int32 and int64, negative numbers, 0), and so are some reals (NaN, infinite).
class OpDraws {
 public:
  explicit OpDraws(uint64_t seed) : random_(seed) {}
  /// A call of one of `specs`; nothing for an op whose attributes cannot be drawn (a graph).
  std::optional<OpCall> Draw(const std::vector<const ops::OpSpec*>& specs);

 private:
  uint64_t Below(uint64_t bound) { return random_() % bound; }
  bool Chance(int percent) { return Below(100) < static_cast<uint64_t>(percent); }
  template <typename T>
  const T& One(const std::vector<T>& of) {
    return of[Below(of.size())];
  }
  int64_t Integer();
  double Real();
  std::string Text();
  DType ElementType();
  Shape SmallShape();
  Shape ShapeNear(const Shape& shape);
  Tensor Value(DType dtype, const Shape& shape);
  Tensor Input(char kind, size_t place);
  std::vector<int64_t> List(const std::string& name);
  std::optional<ops::AttributeValue> Attribute(const ops::AttributeRule& rule);

  std::mt19937_64 random_;
  DType dtype_ = DType::kFloat32;  // of most inputs of this call
  Shape shape_;                    // near which most of their shapes are
};

}  // namespace lockstep::runtime::testing

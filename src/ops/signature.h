#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/op.h"

namespace lockstep::ops {

/// One attribute that an op declares. `kind` is the place of its type in AttributeValue.
struct AttributeRule {
  std::string name;
  size_t kind = 0;
  bool required = false;
};

/// The inputs and attributes that an op declares. A graph that is read from a file or from the
/// network is checked against it before any rule or kernel of the op sees a node.
struct Signature {
  std::string inputs;  // a letter an input: v a value, r a resource, a either
  size_t least = 0;    // the first so many must be there
  char rest = 0;       // the kind of any number of further inputs; 0: there are none
  std::vector<AttributeRule> attributes;
};

/// nullptr for an op that has none (an op of a test).
const Signature* FindSignature(std::string_view op);

/// InvalidArgument, naming the op, for too few or too many inputs, or for a value in place of a
/// resource. Part of type inference, so every op passes it.
void CheckInputs(const OpSpec& spec, std::span<const TensorType> inputs);
/// InvalidArgument, naming the op, for an attribute that is missing or has another type.
void CheckAttributes(const OpSpec& spec, const Attributes& attributes);
/// Both, for a node of a graph that is read.
void CheckImported(const OpSpec& spec, const Attributes& attributes,
                   std::span<const TensorType> inputs);

}  // namespace lockstep::ops

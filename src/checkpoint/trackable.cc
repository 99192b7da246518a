#include <algorithm>

#include "lockstep/checkpoint/checkpoint.h"

namespace lockstep {

struct Trackable::Object {
  Variable variable;
  Parts parts;
  const void* identity = nullptr;
  std::vector<TrackedPart> own;
};

Trackable::Trackable() : object_(std::make_shared<Object>()) {}

Trackable::Trackable(const Variable& variable) : Trackable() { object_->variable = variable; }

Trackable::Trackable(Parts parts, const void* identity) : Trackable() {
  object_->parts = std::move(parts);
  object_->identity = identity;
}

Trackable& Trackable::Add(const std::string& name, const Trackable& part) {
  const bool there = std::any_of(object_->own.begin(), object_->own.end(),
                                 [&](const TrackedPart& other) { return other.name == name; });
  if (there || object_->variable.defined()) {
    throw Error(Code::kInvalidArgument,
                "[checkpoint] the parts of an object have different names, and variables none; got "
                "twice, or a variable (" +
                    name + ")");
  }
  object_->own.push_back({name, part});
  return *this;
}

std::vector<TrackedPart> Trackable::parts() const {
  std::vector<TrackedPart> all;
  if (object_->parts) all = object_->parts();
  all.insert(all.end(), object_->own.begin(), object_->own.end());
  return all;
}

const Variable& Trackable::variable() const { return object_->variable; }

const void* Trackable::identity() const {
  if (object_->variable.defined()) return &object_->variable.state();
  return object_->identity != nullptr ? object_->identity : object_.get();
}

}  // namespace lockstep

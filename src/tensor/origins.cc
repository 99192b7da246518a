#include "tensor/origins.h"

#include <algorithm>

#include "tensor/buffer.h"

namespace lockstep::tensor {

void Origins::Add(const Origin& origin) {
  const auto place =
      std::lower_bound(entries_.begin(), entries_.end(), origin,
                       [](const Origin& a, const Origin& b) { return a.variable < b.variable; });
  if (place != entries_.end() && place->variable == origin.variable) {
    place->version = std::max(place->version, origin.version);
  } else if (entries_.size() < kMost) {
    entries_.insert(place, origin);
  }
}

void Origins::Add(const Tensor& value) {
  const std::shared_ptr<Buffer>& buffer = value.buffer();
  if (buffer == nullptr) return;
  if (buffer->origin().variable != 0) {
    Add(buffer->origin());
  } else if (buffer->origins() != nullptr) {
    for (const Origin& origin : buffer->origins()->entries()) Add(origin);
  }
}

std::optional<uint64_t> Origins::VersionOf(uint64_t variable) const {
  for (const Origin& origin : entries_) {
    if (origin.variable == variable) return origin.version;
  }
  return {};
}

std::optional<uint64_t> VersionIn(const Tensor& value, uint64_t variable) {
  const std::shared_ptr<Buffer>& buffer = value.buffer();
  if (buffer == nullptr) return {};
  if (buffer->origin().variable != 0) {
    if (buffer->origin().variable != variable) return {};
    return buffer->origin().version;
  }
  if (buffer->origins() == nullptr) return {};
  return buffer->origins()->VersionOf(variable);
}

bool HasOrigin(const Tensor& value) {
  const std::shared_ptr<Buffer>& buffer = value.buffer();
  return buffer != nullptr && (buffer->origin().variable != 0 || buffer->origins() != nullptr);
}

namespace {

// Whether `origins` says all that is known of `value`.
bool Covers(const Origins& origins, const Tensor& value) {
  const Buffer& buffer = *value.buffer();
  if (buffer.origin().variable != 0) {
    return origins.VersionOf(buffer.origin().variable) >= buffer.origin().version;
  }
  if (buffer.origins() == nullptr || buffer.origins().get() == &origins) return true;
  const auto& entries = buffer.origins()->entries();
  return entries.size() <= origins.entries().size() &&
         std::all_of(entries.begin(), entries.end(), [&](const Origin& origin) {
           return origins.VersionOf(origin.variable) >= origin.version;
         });
}

// The origins of one of the inputs, if they are those of all; else nullptr.
std::shared_ptr<const Origins> Shared(const std::vector<Tensor>& inputs) {
  const std::shared_ptr<const Origins>* most = nullptr;
  for (const Tensor& input : inputs) {
    if (!input.defined() || input.buffer() == nullptr) continue;
    const auto& origins = input.buffer()->origins();
    if (origins == nullptr || input.buffer()->origin().variable != 0) continue;
    if (most == nullptr || origins->entries().size() > (*most)->entries().size()) most = &origins;
  }
  if (most == nullptr) return nullptr;
  for (const Tensor& input : inputs) {
    if (input.defined() && input.buffer() != nullptr && !Covers(**most, input)) return nullptr;
  }
  return *most;
}

}  // namespace

void PassOrigins(const std::vector<Tensor>& inputs, const std::vector<Origin>& more,
                 const std::vector<Tensor>& results) {
  const bool any = std::any_of(inputs.begin(), inputs.end(), [](const Tensor& input) {
    return input.defined() && HasOrigin(input);
  });
  if (!any && more.empty()) return;
  std::shared_ptr<const Origins> origins = more.empty() ? Shared(inputs) : nullptr;
  if (origins == nullptr) {
    auto joined = std::make_shared<Origins>();
    for (const Origin& origin : more) joined->Add(origin);
    for (const Tensor& input : inputs) {
      if (input.defined()) joined->Add(input);
    }
    origins = std::move(joined);
  }
  for (const Tensor& result : results) {
    if (!result.defined() || result.buffer() == nullptr) continue;
    // What others may see already is not changed.
    if (result.buffer().use_count() == 1) result.buffer()->set_origins(origins);
  }
}

}  // namespace lockstep::tensor

#include "cluster/key_value_store.h"

namespace lockstep::cluster {
namespace {

Status TooLong(const std::string& what, size_t got, size_t limit, const std::string& key) {
  return Status(Code::kResourceExhausted,
                "[key_value] " + what + " must be at most " + std::to_string(limit) +
                    " bytes; got " + std::to_string(got) + " (key " + key.substr(0, 80) + ")");
}

}  // namespace

Status KeyValueStore::Set(const std::string& key, const std::string& value) {
  if (key.size() > kLongestKey) return TooLong("a key", key.size(), kLongestKey, key);
  if (value.size() > kLongestValue) return TooLong("a value", value.size(), kLongestValue, key);
  const auto found = values_.find(key);
  const size_t before = found == values_.end() ? 0 : key.size() + found->second.size();
  const size_t bytes = bytes_ - before + key.size() + value.size();
  if (bytes > kMostBytes) return TooLong("all keys and values", bytes, kMostBytes, key);
  bytes_ = bytes;
  values_[key] = value;
  return Status::Ok();
}

void KeyValueStore::Delete(const std::string& key) {
  const auto found = values_.find(key);
  if (found == values_.end()) return;
  bytes_ -= key.size() + found->second.size();
  values_.erase(found);
}

Result<bool> KeyValueStore::CompareAndSet(const std::string& key,
                                          const std::optional<std::string>& expected,
                                          const std::string& value) {
  const std::string* held = Get(key);
  const bool is_equal = expected ? held != nullptr && *held == *expected : held == nullptr;
  if (!is_equal) return false;
  LOCKSTEP_RETURN_IF_ERROR(Set(key, value));
  return true;
}

const std::string* KeyValueStore::Get(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

void KeyValueStore::WriteTo(FieldWriter* writer) const {
  writer->Put(static_cast<uint32_t>(values_.size()));
  for (const auto& [key, value] : values_) writer->PutText(key).PutText(value);
}

KeyValueStore KeyValueStore::ReadFrom(FieldReader* reader) {
  KeyValueStore store;
  for (uint32_t left = reader->TakeCount(); left > 0 && reader->ok(); --left) {
    std::string key = reader->TakeText();
    std::string value = reader->TakeText();
    store.Delete(key);  // a key that comes twice counts once
    store.bytes_ += key.size() + value.size();
    store.values_[std::move(key)] = std::move(value);
  }
  return store;
}

}  // namespace lockstep::cluster

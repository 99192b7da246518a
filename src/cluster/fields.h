#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Fields of the control plane's messages: numbers least significant byte first, texts and lists
/// with their length (32 bits) before them.

namespace lockstep::cluster {

class FieldWriter {
 public:
  template <typename T>
  FieldWriter& Put(T value) {
    static_assert(std::is_integral_v<T>);
    text_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  FieldWriter& PutText(std::string_view text) {
    Put(static_cast<uint32_t>(text.size()));
    text_.append(text);
    return *this;
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

/// After the first field that does not fit, everything is zero or empty and `ok` is false.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : rest_(text) {}
  template <typename T>
  T Take() {
    static_assert(std::is_integral_v<T>);
    T value = 0;
    if (rest_.size() < sizeof(T)) Fail();
    if (!ok_) return value;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return value;
  }
  std::string TakeText() { return std::string(TakeView()); }
  /// The same without a copy: for as long as the message lasts.
  std::string_view TakeView() {
    const auto size = Take<uint32_t>();
    if (size > rest_.size()) Fail();
    if (!ok_) return {};
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }
  /// What has not been taken yet.
  std::string_view rest() const { return rest_; }
  /// The length of a list whose elements take a byte at least: no message can ask for more memory
  /// than it has.
  uint32_t TakeCount() {
    const auto count = Take<uint32_t>();
    if (count > rest_.size()) Fail();
    return ok_ ? count : 0;
  }
  /// The reader says that what it has given is not right.
  void Refuse() { Fail(); }
  bool ok() const { return ok_; }
  /// Whether everything was right and nothing is left.
  bool done() const { return ok_ && rest_.empty(); }

 private:
  void Fail() {
    ok_ = false;
    rest_ = {};
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace lockstep::cluster

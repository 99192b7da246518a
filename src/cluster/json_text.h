#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// JSON that people typed: read with its places, and read on behind mistakes, so that what was
/// meant can be printed in its right form.

namespace lockstep::cluster {

/// A place in a text, both counted from 1; the column counts bytes.
struct Spot {
  int line = 1;
  int column = 1;
  /// "line 1, column 17"
  std::string ToString() const;
  bool operator==(const Spot&) const = default;
};

struct JsonValue {
  enum class Kind { kNull, kBool, kNumber, kString, kList, kObject };
  struct Member;

  Kind kind = Kind::kNull;
  std::string text;  // a string's content; what was typed of a number, true, false or null
  std::vector<JsonValue> items;
  std::vector<Member> members;  // in the order of the text
  Spot spot;

  bool is(Kind wanted) const { return kind == wanted; }
  /// The last member of this name; null if there is none.
  const JsonValue* Find(std::string_view key) const;
  /// "a list", "a string", ...
  const char* KindName() const;
};

struct JsonValue::Member {
  std::string key;
  Spot spot;
  JsonValue value;
};

/// One broken rule of JSON, and where.
struct JsonFault {
  Spot spot;
  std::string rule;  // "a list must not end with a comma"
  std::string got;   // ",]"
};

/// What was read. `faults` is empty exactly if the text is JSON (RFC 8259) without duplicate keys.
struct JsonText {
  JsonValue value;
  std::vector<JsonFault> faults;
};

/// Reads any bytes; time and memory grow linearly with the text, depth is limited to 32.
JsonText ReadJson(std::string_view text);

/// The value on one line: {"a": [1, "b"]}.
std::string WriteJson(const JsonValue& value);

/// A JSON string in quotes.
std::string Quoted(std::string_view text);

}  // namespace lockstep::cluster

#include "cluster/json_text.h"

#include <algorithm>

#include "base/printf.h"

namespace lockstep::cluster {

namespace {

using Kind = JsonValue::Kind;

constexpr int kMaxDepth = 32;
constexpr size_t kMaxFaults = 64;
constexpr size_t kMaxExcerpt = 24;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Quotes that are not JSON's, as texts: typewriter's single ones and typographers'.
constexpr std::string_view kOtherQuotes[] = {
    "'", "`", "\xE2\x80\x9C", "\xE2\x80\x9D", "\xE2\x80\x98", "\xE2\x80\x99"};

std::string_view OtherQuoteAt(std::string_view text) {
  for (const std::string_view quote : kOtherQuotes) {
    if (text.starts_with(quote)) return quote;
  }
  return {};
}

bool IsNumber(std::string_view word) {
  size_t i = word.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const size_t begin = i;
    while (i < word.size() && IsDigit(word[i])) ++i;
    return i > begin;
  };
  const size_t begin = i;
  if (!digits() || (word[begin] == '0' && i > begin + 1)) return false;
  if (i < word.size() && word[i] == '.') {
    ++i;
    if (!digits()) return false;
  }
  if (i < word.size() && (word[i] == 'e' || word[i] == 'E')) {
    ++i;
    if (i < word.size() && (word[i] == '+' || word[i] == '-')) ++i;
    if (!digits()) return false;
  }
  return i == word.size();
}

void AppendUtf8(std::string& out, uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0 | point >> 6);
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0 | point >> 12);
    out += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | point >> 18);
    out += static_cast<char>(0x80 | (point >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  }
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  JsonText Read() {
    if (text_.starts_with("\xEF\xBB\xBF")) {
      Fault(here(), "the text must not begin with a byte order mark", "bytes EF BB BF");
      place_ = 3;
    }
    SkipSpace();
    const bool unwrapped = SkipQuotesAround();
    JsonText read;
    if (AtEnd()) {
      Fault(here(), "the text must hold a value", "nothing");
    } else if (BeginsWithMember()) {
      Fault(here(), "an object must begin with {", Excerpt());
      read.value = {.kind = Kind::kObject, .spot = here()};
      ReadMembers(0, read.value);
    } else {
      read.value = ReadValue(0);
    }
    SkipSpace();
    if (unwrapped && !AtEnd()) SkipQuote();
    SkipSpace();
    if (!AtEnd()) Fault(here(), "nothing may follow the value", Excerpt());
    read.faults = std::move(faults_);
    return read;
  }

 private:
  bool AtEnd() const { return place_ >= text_.size() || stopped_; }
  char Peek() const { return AtEnd() ? '\0' : text_[place_]; }
  std::string_view Rest() const { return text_.substr(place_); }

  // Counts on from where it was asked last, so that asking is cheap.
  Spot here() {
    for (; counted_ < place_ && counted_ < text_.size(); ++counted_) {
      if (text_[counted_] == '\n') {
        ++spot_.line;
        spot_.column = 1;
      } else {
        ++spot_.column;
      }
    }
    return spot_;
  }

  std::string Excerpt() const {
    if (AtEnd()) return "the end";
    const std::string_view rest = Rest();
    std::string text(rest.substr(0, std::min(rest.find('\n'), kMaxExcerpt)));
    return text.size() < rest.size() && text.size() == kMaxExcerpt ? text + "..." : text;
  }

  void Fault(Spot spot, std::string rule, std::string got) {
    faults_.push_back({spot, std::move(rule), std::move(got)});
    if (faults_.size() >= kMaxFaults) stopped_ = true;
  }

  void SkipSpace() {
    while (!AtEnd()) {
      if (IsSpace(Peek())) {
        ++place_;
      } else if (Rest().starts_with("//") || Peek() == '#') {
        Fault(here(), "JSON has no comments", Excerpt());
        place_ = std::min(text_.find('\n', place_), text_.size());
      } else if (Rest().starts_with("/*")) {
        Fault(here(), "JSON has no comments", Excerpt());
        const size_t end = text_.find("*/", place_ + 2);
        place_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }

  bool SkipQuote() {
    const std::string_view other = OtherQuoteAt(Rest());
    if (!other.empty()) {
      place_ += other.size();
    } else if (Peek() == '"') {
      ++place_;
    } else {
      return false;
    }
    return true;
  }

  // '{...}' and "{"...}": what was meant for the shell has become part of the value.
  bool SkipQuotesAround() {
    const size_t begin = place_;
    const Spot spot = here();
    if (!SkipQuote()) return false;
    const std::string quote(text_.substr(begin, place_ - begin));
    while (!AtEnd() && IsSpace(Peek())) ++place_;
    if (Peek() == '{' && !TwiceEncoded()) {
      Fault(spot, "the quotes around the value are the shell's and must not be part of it", quote);
      return true;
    }
    place_ = begin;
    return false;
  }
  bool TwiceEncoded() const {
    const size_t quote = text_.find_first_of("\"\\", place_);
    return quote != std::string_view::npos && text_[quote] == '\\';
  }

  // "cluster": ..., whose { is missing.
  bool BeginsWithMember() const {
    if (Peek() != '"') return false;
    size_t next = text_.find('"', place_ + 1);
    if (next == std::string_view::npos) return false;
    do {
      ++next;
    } while (next < text_.size() && IsSpace(text_[next]));
    return next < text_.size() && text_[next] == ':';
  }

  JsonValue ReadValue(int depth) {
    const Spot spot = here();
    const char c = Peek();
    JsonValue value;
    if (c == '{' || c == '[' || c == '(') {
      if (depth >= kMaxDepth) {
        Fault(spot,
              "lists and objects must not be nested deeper than " + std::to_string(kMaxDepth) +
                  " times",
              Excerpt());
        stopped_ = true;
      } else {
        if (c == '(') Fault(spot, "a list must stand in [ and ]", Excerpt());
        value = c == '{' ? ReadObject(depth) : ReadList(depth, c == '(' ? ')' : ']');
      }
    } else if (c == '"' || !OtherQuoteAt(Rest()).empty()) {
      value.kind = Kind::kString;
      value.text = ReadString();
    } else {
      value = ReadWord();
    }
    value.spot = spot;
    return value;
  }

  // Between two entries of a list or object, after a value. False: the entries have ended.
  bool ReadSeparator(char close, const char* what) {
    SkipSpace();
    const Spot spot = here();
    const char c = Peek();
    if (c == ',') {
      ++place_;
      SkipSpace();
      if (Peek() == ',') {
        Fault(here(), std::string(what) + " must have one comma between two entries", Excerpt());
        while (Peek() == ',') {
          ++place_;
          SkipSpace();
        }
      }
      if (!AtClose() && !AtEnd()) return true;
      if (!AtEnd())
        Fault(spot, std::string(what) + " must not end with a comma", "," + std::string(1, Peek()));
    }
    if (AtEnd()) {
      if (!stopped_) Fault(here(), std::string(what) + " must end with " + close, "the end");
      return false;
    }
    if (Peek() == close) {
      ++place_;
      return false;
    }
    if (AtClose()) {
      // Which of the two is too many is decided by who can use it.
      Fault(here(), std::string(what) + " must end with " + close, std::string(1, Peek()));
      if (open_.find(Peek()) == std::string::npos) ++place_;
      return false;
    }
    Fault(spot, std::string(what) + " must have a comma between two entries", Excerpt());
    if (Peek() == ';' || Peek() == ':' || Peek() == '=') ++place_;
    SkipSpace();
    return !AtEnd();
  }

  // `[`, `{` behind which nothing follows but the end; true: it is over.
  bool ReadOpening(char close, const char* what) {
    ++place_;
    SkipSpace();
    if (Peek() == close) {
      ++place_;
      return true;
    }
    while (Peek() == ',') {
      Fault(here(), std::string(what) + " must not begin with a comma", Excerpt());
      ++place_;
      SkipSpace();
    }
    if (!AtClose() && !AtEnd()) return false;
    open_ += close;
    ReadSeparator(close, what);
    open_.pop_back();
    return true;
  }

  // ] or }; and ) where it ends what ( has begun.
  bool AtClose() const {
    return Peek() == ']' || Peek() == '}' ||
           (Peek() == ')' && open_.find(')') != std::string::npos);
  }

  JsonValue ReadList(int depth, char close) {
    JsonValue list{.kind = Kind::kList};
    if (ReadOpening(close, "a list")) return list;
    open_ += close;
    do {
      list.items.push_back(ReadValue(depth + 1));
    } while (ReadSeparator(close, "a list"));
    open_.pop_back();
    return list;
  }

  JsonValue ReadObject(int depth) {
    JsonValue object{.kind = Kind::kObject};
    if (!ReadOpening('}', "an object")) ReadMembers(depth, object);
    return object;
  }

  void ReadMembers(int depth, JsonValue& object) {
    open_ += '}';
    do {
      JsonValue::Member member;
      member.spot = here();
      member.key = ReadKey();
      SkipSpace();
      if (Peek() == ':') {
        ++place_;
      } else {
        Fault(here(), "a name and its value must be divided by a colon", Excerpt());
        if (Peek() == '=' || Peek() == ';') ++place_;
      }
      SkipSpace();
      if (AtEnd() || Peek() == ',' || Peek() == '}' || Peek() == ']') {
        if (!stopped_) Fault(here(), "a name must have a value", Excerpt());
      } else {
        member.value = ReadValue(depth + 1);
      }
      if (object.Find(member.key) != nullptr) {
        Fault(member.spot, "a name must occur once in an object", Quoted(member.key));
      }
      object.members.push_back(std::move(member));
    } while (ReadSeparator('}', "an object"));
    open_.pop_back();
  }

  std::string ReadKey() {
    if (Peek() == '"' || !OtherQuoteAt(Rest()).empty()) return ReadString();
    const Spot spot = here();
    const size_t begin = place_;
    while (!AtEnd() && !IsSpace(Peek()) &&
           std::string_view(":=,;[]{}\"'").find(Peek()) == std::string_view::npos) {
      ++place_;
    }
    if (place_ == begin) ++place_;  // a stray sign
    std::string key(text_.substr(begin, place_ - begin));
    Fault(spot, "a name must stand in double quotes", key);
    return key;
  }

  JsonValue ReadWord() {
    const Spot spot = here();
    const size_t begin = place_;
    while (!AtEnd() && !IsSpace(Peek()) && !AtClose() &&
           std::string_view(",;[]{}\"'").find(Peek()) == std::string_view::npos) {
      ++place_;
    }
    if (place_ == begin) ++place_;  // a stray sign
    JsonValue value{.kind = Kind::kString,
                    .text = std::string(text_.substr(begin, place_ - begin))};
    std::string lower = value.text;
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    if (lower == "none") lower = "null";
    if (lower == "true" || lower == "false" || lower == "null") {
      value.kind = lower == "null" ? Kind::kNull : Kind::kBool;
      if (value.text != lower) Fault(spot, "JSON writes " + lower, value.text);
      value.text = lower;
    } else if (IsNumber(value.text)) {
      value.kind = Kind::kNumber;
    } else if (const size_t first = value.text.find_first_not_of("+0");
               first != std::string::npos && IsNumber(value.text.substr(first))) {
      Fault(spot, "a number must begin with its first digit, without + and 0", value.text);
      value.kind = Kind::kNumber;
      value.text.erase(0, first);
    } else {
      Fault(spot, "a text must stand in double quotes", value.text);
    }
    return value;
  }

  // How the string that begins here ends, and steps behind its beginning.
  std::vector<std::string_view> ReadQuote() {
    const std::string_view other = OtherQuoteAt(Rest());
    if (other.empty()) {
      ++place_;
      return {"\""};
    }
    place_ += other.size();
    if (other == "'" || other == "`") return {"'"};
    return {"\xE2\x80\x9D", "\xE2\x80\x9C", "\xE2\x80\x99", "\xE2\x80\x98", "\""};
  }

  std::string ReadString() {
    const Spot begin = here();
    const size_t first = place_;
    const auto ends = ReadQuote();
    std::string content;
    while (!AtEnd() && Peek() != '\n') {
      for (const std::string_view end : ends) {
        if (Rest().starts_with(end)) {
          place_ += end.size();
          if (CutRunaway(first, content)) {
            Fault(begin, "a text must end with a double quote", Quoted(content));
          } else if (text_[first] != '"') {
            Fault(begin, "a text must stand in double quotes",
                  std::string(text_.substr(first, place_ - first)));
          }
          return content;
        }
      }
      if (Peek() == '\\') {
        ReadEscape(content);
      } else {
        if (static_cast<unsigned char>(Peek()) < 0x20) {
          Fault(here(), "a text must write control characters as \\u00XX",
                "byte " + std::to_string(static_cast<int>(Peek())));
        }
        content += text_[place_++];
      }
    }
    if (!stopped_) Fault(begin, "a text must end with a double quote on its line", Excerpt());
    return content;
  }

  // A text whose own end is missing has run on to the beginning of the next one: steps back.
  bool CutRunaway(size_t first, std::string& content) {
    size_t next = place_;
    while (next < text_.size() && IsSpace(text_[next])) ++next;
    const size_t end = text_.find_first_of(",]}", first);
    if (next >= text_.size() || end >= place_ ||
        std::string_view(",:]}=;/#\"'").find(text_[next]) != std::string_view::npos) {
      return false;
    }
    place_ = end;
    content = std::string(text_.substr(first + 1, end - first - 1));
    return true;
  }

  void ReadEscape(std::string& content) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    const Spot spot = here();
    ++place_;
    const char name = Peek();
    const size_t which = kNames.find(name);
    if (!AtEnd() && which != std::string_view::npos) {
      content += kMeant[which];
      ++place_;
      return;
    }
    uint32_t unit = 0;
    if (name == 'u' && ReadHex(unit)) {
      uint32_t low = 0;
      if (unit >= 0xD800 && unit < 0xDC00 && Rest().starts_with("\\u")) {
        ++place_;
        if (ReadHex(low) && low >= 0xDC00 && low < 0xE000) {
          return AppendUtf8(content, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
        }
      }
      if (unit < 0xD800 || unit >= 0xE000) return AppendUtf8(content, unit);
    }
    Fault(spot, "a backslash must begin one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX",
          "\\" + std::string(AtEnd() ? 0 : 1, name));
  }
  // uXXXX
  bool ReadHex(uint32_t& unit) {
    if (Rest().size() < 5) return false;
    unit = 0;
    for (int i = 1; i <= 4; ++i) {
      const char c = text_[place_ + static_cast<size_t>(i)];
      const size_t digit = std::string_view("0123456789abcdef")
                               .find(c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c);
      if (digit == std::string_view::npos) return false;
      unit = unit * 16 + static_cast<uint32_t>(digit);
    }
    place_ += 5;
    return true;
  }

  std::string_view text_;
  size_t place_ = 0;
  bool stopped_ = false;  // too many faults, or too deep
  std::string open_;      // the signs that would close what is open
  Spot spot_;
  size_t counted_ = 0;
  std::vector<JsonFault> faults_;
};

}  // namespace

std::string Spot::ToString() const {
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

const JsonValue* JsonValue::Find(std::string_view key) const {
  const auto place = std::find_if(members.rbegin(), members.rend(),
                                  [&](const Member& member) { return member.key == key; });
  return place == members.rend() ? nullptr : &place->value;
}

const char* JsonValue::KindName() const {
  constexpr const char* kNames[] = {"null",   "a truth value", "a number",
                                    "a text", "a list",        "an object"};
  return kNames[static_cast<int>(kind)];
}

JsonText ReadJson(std::string_view text) {
  JsonText read = Reader(text).Read();
  // A text that holds the object.
  const std::string& content = read.value.text;
  const size_t first = content.find_first_not_of(" \t\r\n");
  if (read.value.is(Kind::kString) && first != std::string::npos && content[first] == '{') {
    JsonText inner = Reader(content).Read();
    inner.faults.insert(
        inner.faults.begin(),
        {read.value.spot, "the value must be an object, not a text that holds one (encoded twice)",
         std::string(text.substr(0, std::min(text.size(), kMaxExcerpt)))});
    return inner;
  }
  return read;
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += base::Printf("\\u%04x", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string WriteJson(const JsonValue& value) {
  std::string text;
  switch (value.kind) {
    case Kind::kString:
      return Quoted(value.text);
    case Kind::kList:
      for (const JsonValue& item : value.items)
        text += (text.empty() ? "" : ", ") + WriteJson(item);
      return "[" + text + "]";
    case Kind::kObject:
      for (const auto& member : value.members) {
        text += (text.empty() ? "" : ", ") + Quoted(member.key) + ": " + WriteJson(member.value);
      }
      return "{" + text + "}";
    case Kind::kNull:
      return "null";
    default:
      return value.text;
  }
}

}  // namespace lockstep::cluster

#include "data/synthetic_text.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "data/counter_hash.h"

namespace lockstep::data {
namespace {

using std::string_view;

constexpr uint64_t kTextStream = 0x747874;

struct Noun {
  string_view one;
  string_view many;
};
struct Verb {
  string_view one;   // she sees
  string_view many;  // they see
  string_view past;
};

constexpr string_view kNames[] = {"Anna",  "Boris", "Clara", "David", "Edith", "Felix",
                                  "Greta", "Henry", "Irene", "Jonas", "Karin", "Louis"};
constexpr Noun kBeings[] = {{"sailor", "sailors"},   {"child", "children"},
                            {"farmer", "farmers"},   {"old woman", "old women"},
                            {"fox", "foxes"},        {"horse", "horses"},
                            {"teacher", "teachers"}, {"king", "kings"},
                            {"baker", "bakers"},     {"dog", "dogs"},
                            {"doctor", "doctors"},   {"guest", "guests"}};
constexpr Noun kThings[] = {{"boat", "boats"},     {"letter", "letters"}, {"lamp", "lamps"},
                            {"apple", "apples"},   {"book", "books"},     {"knife", "knives"},
                            {"bridge", "bridges"}, {"window", "windows"}, {"song", "songs"},
                            {"stone", "stones"},   {"key", "keys"},       {"box", "boxes"}};
constexpr string_view kPlaces[] = {"in the garden",     "near the river",    "under the tower",
                                   "behind the mill",   "on the hill",       "at the market",
                                   "beside the church", "across the valley", "by the sea"};
constexpr string_view kAdjectives[] = {"small", "quiet",  "broken",  "golden", "heavy", "strange",
                                       "young", "bright", "careful", "empty",  "red",   "wooden"};
constexpr string_view kAdverbs[] = {"slowly", "often", "gladly", "quietly", "never", "again"};
constexpr string_view kTimes[] = {"In the morning", "At night",       "After the storm",
                                  "Every winter",   "On that day",    "Before dawn",
                                  "Some years ago", "When it rained", "At last"};
constexpr Verb kVerbs[] = {
    {"sees", "see", "saw"},         {"carries", "carry", "carried"}, {"finds", "find", "found"},
    {"wants", "want", "wanted"},    {"paints", "paint", "painted"},  {"loses", "lose", "lost"},
    {"brings", "bring", "brought"}, {"watches", "watch", "watched"}, {"hides", "hide", "hid"},
    {"mends", "mend", "mended"},    {"keeps", "keep", "kept"},       {"sells", "sell", "sold"}};
constexpr Verb kMotions[] = {{"walks", "walk", "walked"},  {"waits", "wait", "waited"},
                             {"sleeps", "sleep", "slept"}, {"sings", "sing", "sang"},
                             {"rests", "rest", "rested"},  {"works", "work", "worked"}};
constexpr string_view kSpeeches[] = {"Where is it", "Who was here", "What do you want",
                                     "Is it far",   "Can you help", "Why do they wait"};

// Writes one paragraph; every choice is the next word of its own stream.
class Paragraph {
 public:
  Paragraph(uint64_t seed, uint64_t number)
      : hash_(seed, kTextStream, number), past_(hash_.Chance(0.6f)), hero_(Pick(kNames)) {}

  std::string Write() {
    const uint32_t sentences = 3 + hash_.Below(6);
    for (uint32_t i = 0; i < sentences; ++i) {
      if (i > 0) text_ += ' ';
      Sentence();
    }
    text_ += "\n\n";
    return std::move(text_);
  }

 private:
  enum class Number { kOne, kMany };

  template <typename T, size_t n>
  const T& Pick(const T (&list)[n]) {
    return list[hash_.Below(n)];
  }

  void Say(string_view word) {
    const char last = text_.empty() ? ' ' : text_.back();
    if (last != ' ') text_ += ' ';
    text_ += word;
  }

  static string_view Form(const Noun& noun, Number number) {
    return number == Number::kOne ? noun.one : noun.many;
  }
  string_view Form(const Verb& verb, Number number) const {
    if (past_) return verb.past;
    return number == Number::kOne ? verb.one : verb.many;
  }

  void Object() {
    const Number number = hash_.Chance(0.6f) ? Number::kOne : Number::kMany;
    const bool described = hash_.Chance(0.5f);
    Say(number == Number::kOne && hash_.Chance(0.5f) ? "the"
        : number == Number::kOne                     ? "one"
                                                     : "some");
    if (described) Say(Pick(kAdjectives));
    Say(Form(Pick(kThings), number));
  }

  // The subject, with words between it and its verb now and then.
  Number Subject(bool begins) {
    if (hash_.Chance(0.45f)) {
      Say(hero_);
      return Number::kOne;
    }
    const Number number = hash_.Chance(0.5f) ? Number::kOne : Number::kMany;
    Say(begins ? "The" : "the");
    if (hash_.Chance(0.4f)) Say(Pick(kAdjectives));
    Say(Form(Pick(kBeings), number));
    if (hash_.Chance(0.3f)) {
      Say("with");
      Object();
    } else if (hash_.Chance(0.25f)) {
      Say("who");
      Say(Form(Pick(kMotions), number));
      Say(Pick(kPlaces));
    }
    return number;
  }

  void Clause(bool begins) {
    const Number number = Subject(begins);
    if (hash_.Chance(0.25f)) Say(Pick(kAdverbs));
    if (hash_.Chance(0.3f)) {
      Say(Form(Pick(kMotions), number));
    } else {
      Say(Form(Pick(kVerbs), number));
      Object();
    }
    if (hash_.Chance(0.4f)) Say(Pick(kPlaces));
  }

  void Sentence() {
    if (hash_.Chance(0.12f)) {
      Say("\"");
      text_ += Pick(kSpeeches);
      text_ += "?\"";
      Say(past_ ? "asked" : "asks");
      Say(hero_);
      text_ += '.';
      return;
    }
    const bool dated = hash_.Chance(0.3f);
    if (dated) {
      Say(Pick(kTimes));
      text_ += ',';
    }
    Clause(!dated);
    if (hash_.Chance(0.3f)) {
      if (hash_.Chance(0.3f)) {
        text_ += ';';
      } else {
        text_ += ',';
        Say(hash_.Chance(0.7f) ? "and" : "but");
      }
      Clause(false);
    }
    text_ += '.';
  }

  CounterHash hash_;
  std::string text_;
  bool past_;
  string_view hero_;
};

}  // namespace

std::vector<uint8_t> MakeSyntheticText(uint64_t seed, int64_t count) {
  LOCKSTEP_CHECK_GE(count, 0);
  std::vector<uint8_t> out;
  out.reserve(count + 4096);
  for (uint64_t number = 0; static_cast<int64_t>(out.size()) < count; ++number) {
    const std::string text = Paragraph(seed, number).Write();
    out.insert(out.end(), text.begin(), text.end());
  }
  out.resize(count);
  return out;
}

}  // namespace lockstep::data

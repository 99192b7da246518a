#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/tensor/tensor.h"

/// Ops on strings, which are bytes. Errors of values are raised when the op is carried out.

namespace lockstep {

struct DecodeRawOptions {
  bool little_endian = true;
  /// So many bytes of each string are taken; what is missing is zero.
  std::optional<int64_t> fixed_length = {};
};
/// The bytes of strings as the numbers that lie in them.
/// Shapes: string [...] to `dtype` [..., n]; strings of equal sizes, unless `fixed_length` is
/// given. Errors: InvalidArgument (sizes that differ, or no multiple of the dtype's; no number's
/// dtype). Source: tf.io.decode_raw.
Tensor DecodeRaw(const Tensor& input, DType dtype, const DecodeRawOptions& options = {});

enum class TextUnit { kByte, kUtf8Character };
/// How many bytes or characters strings have. Shapes: string [...] to int32 [...].
/// Source: tf.strings.length.
Tensor StringLength(const Tensor& input, TextUnit unit = TextUnit::kByte);

// Of ASCII's letters and white space; other bytes stay. Shapes: string [...] to string [...].
// Source: tf.strings.lower, upper, strip.
Tensor StringLower(const Tensor& input);
Tensor StringUpper(const Tensor& input);
Tensor StringStrip(const Tensor& input);
/// Strings without ASCII's punctuation: !"#$%&()*+,-./:;<=>?@[\\]^_`{|}~'
/// Source: TextVectorization of Keras.
Tensor StripPunctuation(const Tensor& input);

/// `length` bytes from `position` on, which counts from the end where it is negative; fewer where
/// the string ends.
/// Shapes: string [...]; position, length int32 or int64 [...] or []; to string [...].
/// Errors: InvalidArgument for a position outside of the string.  Source: tf.strings.substr.
Tensor Substring(const Tensor& input, const Tensor& position, const Tensor& length);

/// The numbers that strings stand for. Shapes: string [...] to `dtype` [...]: float32, float64,
/// int32, int64. Errors: InvalidArgument for a string that is no number, or too large an integer.
/// Source: tf.strings.to_number.
Tensor StringToNumber(const Tensor& input, DType dtype);
/// Integers and bools as decimal text, "true" and "false". Source: tf.strings.as_string.
Tensor AsString(const Tensor& input);

/// Strings one after another with `separator` between, element by element.
/// Shapes: string [...] of one shape, or []; to string [...].  Source: tf.strings.join.
Tensor StringJoin(const std::vector<Tensor>& inputs, const std::string& separator = {});

enum class TextHash {
  kFast,    // FarmHash's Fingerprint64
  kStrong,  // SipHash 2-4 with a key of 128 bits
  kLegacy,  // MurmurHash64A with TensorFlow's seed
};
/// Hashes of strings modulo `buckets`. Shapes: string [...] to int64 [...].
/// Errors: InvalidArgument (no buckets).
/// Source: tf.strings.to_hash_bucket_fast, _strong and to_hash_bucket.
Tensor StringToHashBucket(const Tensor& input, int64_t buckets, TextHash hash = TextHash::kFast,
                          std::pair<uint64_t, uint64_t> key = {});

/// The parts of strings between separators; without one, between runs of white space, where empty
/// parts are left out. At most `most` separations a string; negative: all.
struct SplitTexts {
  Tensor values;   // [parts], string after string
  Tensor lengths;  // int64 [strings]
};
/// Shapes: string [...], row-major.  Source: tf.strings.split.
SplitTexts StringSplit(const Tensor& input, const std::string& separator = {}, int64_t most = -1);
/// The same into bytes, or characters of UTF-8, where U+FFFD stands for bytes that are none.
/// Source: tf.strings.bytes_split, unicode_split.
SplitTexts StringSplitUnits(const Tensor& input, TextUnit unit = TextUnit::kByte);
/// The numbers of these characters: values int32. Source: tf.strings.unicode_decode.
SplitTexts UnicodeDecode(const Tensor& input);

/// The texts along the last axis, one after another. Shapes: string [..., k] to [...].
/// Source: tf.strings.reduce_join.
Tensor StringReduceJoin(const Tensor& input, const std::string& separator = {});
/// The texts of each row, one after another. Shapes: texts [n], splits int64 [m + 1], rising from 0
/// to n; result [m]. Errors: InvalidArgument for other splits.
Tensor StringJoinRows(const Tensor& texts, const Tensor& splits, const std::string& separator = {});

struct NGramOptions {
  std::vector<int64_t> widths = {};
  std::string separator = " ";
  /// What stands before and behind each row, `pad_width` times but less than a width; -1: as often
  /// as the first and the last n-gram take.
  std::string left = {}, right = {};
  int64_t pad_width = 0;
  /// A row that is too short for every width gives one n-gram of all that it has.
  bool preserve_short = false;
};
struct RowsOfTexts {
  Tensor values;  // [n], row after row
  Tensor splits;  // int64 [m + 1]
};
/// Neighbouring texts of each row joined, width after width. Shapes, errors: as StringJoinRows, and
/// for widths that are not positive. Source: tf.strings.ngrams.
RowsOfTexts StringNGrams(const Tensor& texts, const Tensor& splits, const NGramOptions& options);

/// Texts in which `rewrite`, where \1 stands for the first group, replaces what matches `pattern`:
/// everywhere, or the first time. Patterns are RE2's. Errors: InvalidArgument for a pattern that is
/// none, and a rewrite with groups that it has not. Source: tf.strings.regex_replace.
Tensor RegexReplace(const Tensor& input, const std::string& pattern, const std::string& rewrite,
                    bool replace_global = true);
/// Whether whole texts match. Shapes: string [...] to bool [...]. Source:
/// tf.strings.regex_full_match.
Tensor RegexFullMatch(const Tensor& input, const std::string& pattern);

}  // namespace lockstep

#include "lockstep/ops/strings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/text_hash.h"
#include "lockstep/ops/lookup.h"
#include "python/bind.h"
#include "python/convert.h"

namespace lockstep::python {

namespace {

std::pair<Tensor, Tensor> PairOf(const SplitTexts& parts) { return {parts.values, parts.lengths}; }

}  // namespace

void BindStringOps(nb::module_& m) {
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  m.def(
      "decode_raw",
      [](const Tensor& input, int dtype, bool little, std::optional<int64_t> bytes) {
        return DecodeRaw(input, static_cast<DType>(dtype), {little, bytes});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), unlocked);
  m.def(
      "string_length",
      [](const Tensor& input, bool bytes) {
        return StringLength(input, bytes ? TextUnit::kByte : TextUnit::kUtf8Character);
      },
      unlocked);
  m.def("string_lower", &StringLower, unlocked);
  m.def("string_upper", &StringUpper, unlocked);
  m.def("string_strip", &StringStrip, unlocked);
  m.def("strip_punctuation", &StripPunctuation, unlocked);
  m.def("substring", &Substring, unlocked);
  m.def(
      "string_to_number",
      [](const Tensor& input, int dtype) {
        return StringToNumber(input, static_cast<DType>(dtype));
      },
      unlocked);
  m.def("as_string", &AsString, unlocked);
  m.def("string_join", &StringJoin, unlocked);
  m.def(
      "hash_bucket",
      [](const Tensor& input, int64_t buckets, int hash, uint64_t key0, uint64_t key1) {
        return StringToHashBucket(input, buckets, static_cast<TextHash>(hash), {key0, key1});
      },
      unlocked);
  m.def("fingerprint64", [](nb::bytes text) {
    return base::Fingerprint64(std::string_view(text.c_str(), text.size()));
  });
  m.def(
      "string_split",
      [](const Tensor& input, const std::string& separator, int64_t most) {
        return PairOf(StringSplit(input, separator, most));
      },
      unlocked);
  m.def(
      "string_split_units",
      [](const Tensor& input, bool bytes) {
        return PairOf(StringSplitUnits(input, bytes ? TextUnit::kByte : TextUnit::kUtf8Character));
      },
      unlocked);
  m.def(
      "unicode_decode", [](const Tensor& input) { return PairOf(UnicodeDecode(input)); }, unlocked);
  m.def("string_reduce_join", &StringReduceJoin, unlocked);
  m.def("string_join_rows", &StringJoinRows, unlocked);
  m.def("string_ngrams",
        [](const Tensor& texts, const Tensor& splits, const std::vector<int64_t>& widths,
           const std::string& separator, const std::string& left, const std::string& right,
           int64_t pad_width, bool preserve_short) {
          const NGramOptions options{widths, separator, left, right, pad_width, preserve_short};
          const RowsOfTexts rows = Unlocked([&] { return StringNGrams(texts, splits, options); });
          return std::make_pair(rows.values, rows.splits);
        });
  m.def("regex_replace", &RegexReplace, unlocked);
  m.def("regex_full_match", &RegexFullMatch, unlocked);
  nb::class_<LookupTable>(m, "LookupTable")
      .def("__init__",
           [](LookupTable* self, const Tensor& keys, const Tensor& values, const Tensor& other) {
             new (self) LookupTable(keys, values, {.value = other});
           })
      .def("__init__",
           [](LookupTable* self, const Tensor& keys, const Tensor& values, int64_t buckets,
              int64_t first, bool hash) {
             new (self) LookupTable(keys, values,
                                    {.buckets = buckets, .first = first, .hash_integers = hash});
           })
      .def("find", &LookupTable::Find, unlocked);
}

}  // namespace lockstep::python

#include "lockstep/ops/lookup.h"

#include <bit>
#include <span>
#include <string>
#include <vector>

#include "base/text_hash.h"
#include "ops/array_rules.h"
#include "ops/builder.h"
#include "ops/lookup_values.h"

namespace lockstep {
namespace ops {
namespace {

[[noreturn]] void RefuseTable(const std::string& rule, const std::string& got) {
  throw Error(Code::kInvalidArgument, "[lookup_table] " + rule + "; got " + got);
}
std::string TypeOf(const Tensor& tensor) { return TensorType::Of(tensor).ToString(); }

uint64_t HashOf(const std::string& key) { return base::Fingerprint64(key); }
uint64_t HashOf(int64_t key) {
  const uint64_t product = static_cast<uint64_t>(key) * 0x9e3779b97f4a7c15;
  return product ^ product >> 32;
}

// The places of keys by their hashes: in slots of which half are free, each key in the first free
// one from its hash on.
class KeyPlaces {
 public:
  template <typename Key>
  int64_t Find(std::span<const Key> keys, const Key& key) const {
    const uint64_t hash = HashOf(key);
    for (size_t at = hash & mask(); slots_[at].place >= 0; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (slot.hash == hash && keys[slot.place] == key) return slot.place;
    }
    return -1;
  }
  /// Of as many keys as there will be.
  void Reserve(size_t keys) { slots_.resize(std::bit_ceil(2 * keys + 1)); }
  template <typename Key>
  void Put(const Key& key, int64_t place) {
    const uint64_t hash = HashOf(key);
    size_t at = hash & mask();
    while (slots_[at].place >= 0) at = (at + 1) & mask();
    slots_[at] = {hash, place};
  }

 private:
  struct Slot {
    uint64_t hash = 0;
    int64_t place = -1;
  };
  size_t mask() const { return slots_.size() - 1; }
  std::vector<Slot> slots_;
};

class Table : public TensorObject, public LookupValues {
 public:
  Table(const Tensor& keys, const Tensor& values, const UnknownKeys& unknown)
      : keys_(keys), values_(values), unknown_(unknown) {
    const bool texts = keys.dtype() == DType::kString;
    if ((!texts && keys.dtype() != DType::kInt64) || keys.rank() != 1)
      RefuseTable("keys must be strings or int64 [n]", TypeOf(keys));
    if (!(values.shape() == keys.shape()))
      RefuseTable("values must be [n] as the keys", TypeOf(values) + " for " + TypeOf(keys));
    const bool fits = unknown.buckets > 0 ? values.dtype() == DType::kInt64
                                          : unknown.value.defined() && unknown.value.rank() == 0 &&
                                                unknown.value.dtype() == values.dtype();
    if (!fits) {
      RefuseTable(
          "what unknown keys give must be of the values' dtype",
          (unknown.value.defined() ? TypeOf(unknown.value) : "none") + " for " + TypeOf(values));
    }
    places_.Reserve(keys.num_elements());
    texts ? Fill(keys.data<std::string>()) : Fill(keys.data<int64_t>());
  }

  DType key_dtype() const override { return keys_.dtype(); }
  DType value_dtype() const override { return values_.dtype(); }
  const Tensor& values() const override { return values_; }
  const UnknownKeys& unknown() const override { return unknown_; }
  void Find(std::span<const std::string> keys, int64_t* places) const override {
    FindEach(keys_.data<std::string>(), keys, places);
  }
  void Find(std::span<const int64_t> keys, int64_t* places) const override {
    FindEach(keys_.data<int64_t>(), keys, places);
  }
  int64_t Bucket(const std::string& key) const override {
    const uint64_t buckets = static_cast<uint64_t>(unknown_.buckets);
    return unknown_.first + static_cast<int64_t>(base::Fingerprint64(key) % buckets);
  }
  int64_t Bucket(int64_t key) const override {
    if (unknown_.hash_integers) return Bucket(std::to_string(key));
    const int64_t rest = key % unknown_.buckets;
    return unknown_.first + (rest < 0 ? rest + unknown_.buckets : rest);
  }

 private:
  template <typename Key>
  void Fill(std::span<const Key> keys) {
    for (size_t i = 0; i < keys.size(); ++i) {
      if (places_.Find(keys, keys[i]) >= 0)
        RefuseTable("keys must differ", "key " + std::to_string(i) + " a second time");
      places_.Put(keys[i], static_cast<int64_t>(i));
    }
  }
  template <typename Key>
  void FindEach(std::span<const Key> own, std::span<const Key> keys, int64_t* places) const {
    for (size_t i = 0; i < keys.size(); ++i) places[i] = places_.Find(own, keys[i]);
  }

  Tensor keys_, values_;
  UnknownKeys unknown_;
  KeyPlaces places_;
};

std::vector<TensorType> InferFind(const InferenceContext& context) {
  const LookupValues& table = LookupValues::Of(context.attributes);
  const TensorType& keys = context.inputs[0];
  if (keys.dtype != table.key_dtype()) {
    Reject(context.spec, "keys must be " + std::string(DTypeName(table.key_dtype())),
           keys.ToString());
  }
  return {{table.value_dtype(), keys.shape}};
}
const RegisterOp kFind({.name = "LookupTableFind", .infer = InferFind});

}  // namespace

const LookupValues& LookupValues::Of(const Attributes& attributes) {
  const auto& object = attributes.Get<std::shared_ptr<TensorObject>>("table");
  const auto* values = dynamic_cast<const LookupValues*>(object.get());
  if (values == nullptr) RefuseTable("the attribute must be a table", "another object");
  return *values;
}

}  // namespace ops

LookupTable::LookupTable(const Tensor& keys, const Tensor& values, const UnknownKeys& unknown)
    : table_(std::make_shared<ops::Table>(keys, values, unknown)) {}

Tensor LookupTable::Find(const Tensor& keys) const {
  return ops::Emit1("LookupTableFind", {keys}, {{"table", table_}});
}

}  // namespace lockstep

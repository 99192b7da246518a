#include "remote/wire_origins.h"

#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>

#include "runtime/actor.h"
#include "runtime/variable_cell.h"
#include "tensor/buffer.h"
#include "tensor/origins.h"

namespace lockstep::remote {

namespace {

// A variable, in all processes.
struct WideName {
  uint64_t process = 0;
  uint64_t number = 0;
  auto operator<=>(const WideName&) const = default;
};

// The variables of servers that this process has or knows of.
struct ToldVariables {
  std::shared_mutex mutex;
  std::unordered_map<uint64_t, WideName> names;  // by the number here
  std::map<WideName, uint64_t> numbers;          // of those of others
};
ToldVariables& Told() {
  static auto* told = new ToldVariables;
  return *told;
}

std::optional<WideName> WideNameOf(uint64_t number) {
  ToldVariables& told = Told();
  const std::shared_lock lock(told.mutex);
  const auto place = told.names.find(number);
  if (place == told.names.end()) return {};
  return place->second;
}

uint64_t NumberHere(const WideName& name) {
  if (name.process == runtime::ProcessNumber()) return name.number;
  ToldVariables& told = Told();
  {
    const std::shared_lock lock(told.mutex);
    const auto place = told.numbers.find(name);
    if (place != told.numbers.end()) return place->second;
  }
  const std::unique_lock lock(told.mutex);
  const auto [place, fresh] = told.numbers.try_emplace(name, 0);
  if (fresh) {
    place->second = runtime::NextCellNumber();
    told.names[place->second] = name;
  }
  return place->second;
}

struct WideOrigin {
  WideName variable;
  uint64_t version = 0;
};

std::vector<WideOrigin> WideOriginsOf(const Tensor& tensor) {
  std::vector<WideOrigin> all;
  const auto add = [&](const tensor::Origin& origin) {
    if (const auto name = WideNameOf(origin.variable)) all.push_back({*name, origin.version});
  };
  const auto& buffer = tensor.buffer();
  if (buffer == nullptr) return all;
  if (buffer->origin().variable != 0) {
    add(buffer->origin());
  } else if (buffer->origins() != nullptr) {
    for (const tensor::Origin& origin : buffer->origins()->entries()) add(origin);
  }
  return all;
}

}  // namespace

void TellOfVariable(uint64_t number) {
  const std::unique_lock lock(Told().mutex);
  Told().names[number] = {runtime::ProcessNumber(), number};
}

void PutOrigins(const std::vector<Tensor>& tensors, bool tells, cluster::FieldWriter* writer) {
  writer->Put(static_cast<uint8_t>(tells));
  if (!tells) return;
  for (const Tensor& tensor : tensors) {
    const std::vector<WideOrigin> origins = WideOriginsOf(tensor);
    // The value itself of a version, or one that was computed from it.
    const bool is_version = !origins.empty() && tensor.buffer()->origin().variable != 0;
    writer->Put(static_cast<uint8_t>(is_version)).Put(static_cast<uint32_t>(origins.size()));
    for (const WideOrigin& origin : origins) {
      writer->Put(origin.variable.process).Put(origin.variable.number).Put(origin.version);
    }
  }
}

void TakeOrigins(cluster::FieldReader* reader, const std::vector<Tensor>& tensors) {
  if (reader->Take<uint8_t>() == 0) return;
  for (const Tensor& tensor : tensors) {
    const bool is_version = reader->Take<uint8_t>() != 0;
    const auto origins = std::make_shared<tensor::Origins>();
    for (uint32_t i = reader->TakeCount(); reader->ok() && i > 0; --i) {
      WideName name;
      name.process = reader->Take<uint64_t>();
      name.number = reader->Take<uint64_t>();
      if (i > tensor::Origins::kMost) reader->Refuse();
      const auto version = reader->Take<uint64_t>();
      if (reader->ok()) origins->Add(tensor::Origin{NumberHere(name), version});
    }
    if (!reader->ok() || origins->entries().empty() || tensor.buffer() == nullptr) continue;
    if (is_version && origins->entries().size() == 1) {
      tensor.buffer()->set_origin(origins->entries()[0]);
    } else {
      tensor.buffer()->set_origins(origins);
    }
  }
}

}  // namespace lockstep::remote

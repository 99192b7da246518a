#include "distribute/workers/owners_values.h"

#include <algorithm>

#include "base/hash.h"
#include "cluster/fields.h"
#include "distribute/programs/divided_replicas.h"
#include "distribute/workers/communicator.h"
#include "distribute/workers/journal.h"

namespace lockstep::distribute {

namespace {

std::string DigestOf(const std::string& bytes) {
  base::Digest digest;
  digest.Add(bytes);
  return digest.Hex();
}

// Throws where `views`, each worker's place and what it has there, are of different places.
void RequireOnePlace(const std::vector<std::string>& views) {
  // Empty: that worker has come to its program's end.
  const auto place = [](const std::string& view) {
    return view.empty() ? "no more of them" : view.substr(0, view.find_first_of("\t\n"));
  };
  const auto with_line = [](std::string view) {
    view.resize(std::min(view.find('\n'), view.size()));
    const size_t line = view.find('\t');
    if (line != view.npos) view.replace(line, 1, line + 1 < view.size() ? ", " : "");
    return view.empty() ? "no more of them" : view;
  };
  for (size_t rank = 1; rank < views.size(); ++rank) {
    if (place(views[rank]) == place(views[0])) continue;
    throw Error(Code::kInvalidArgument,
                "[strategy.run] all workers must make the same calls in replicas; got " +
                    with_line(views[0]) + " on worker 0 and " + with_line(views[rank]) +
                    " on worker " + std::to_string(rank) +
                    "; let no call depend on the worker, only values");
  }
}

}  // namespace

bool SharesReplicas(const Strategy& strategy) {
  const Communicator* ranks = strategy.ranks();
  return ranks != nullptr && ranks->num_ranks() > 1 && strategy.num_replicas_in_sync() > 1 &&
         !strategy.ranks()->journal().entering();
}

void TakeOwnersValues(Strategy& strategy, const std::string& where,
                      std::vector<std::vector<Tensor>>* by_replica) {
  if (!SharesReplicas(strategy)) return;
  Journal& journal = strategy.ranks()->journal();
  std::vector<std::string> encoded;
  std::string view = where + "\n";
  for (const std::vector<Tensor>& own : *by_replica) {
    encoded.push_back(EncodeTensors(own, false));
    view += DigestOf(encoded.back());
  }
  const std::vector<std::string> views = journal.Exchange([&] { return view; });
  RequireOnePlace(views);
  if (std::all_of(views.begin(), views.end(), [&](const auto& one) { return one == view; })) return;
  const std::vector<std::string> shares = journal.Exchange([&] {
    const auto [first, last] = strategy.LocalReplicas();
    cluster::FieldWriter writer;
    writer.Put(static_cast<uint32_t>(last - first));
    for (int r = first; r < last; ++r) writer.Put(static_cast<uint32_t>(r)).PutText(encoded[r]);
    return writer.Take();
  });
  for (const std::string& share : shares) {
    cluster::FieldReader reader(share);
    for (uint32_t left = reader.TakeCount(); left > 0 && reader.ok(); --left) {
      const uint32_t r = reader.Take<uint32_t>();
      const std::string bytes = reader.TakeText();
      if (!reader.ok() || r >= encoded.size() || bytes == encoded[r]) continue;
      (*by_replica)[r] = DecodeTensors(bytes, (*by_replica)[r]);
    }
  }
}

}  // namespace lockstep::distribute

#include "distribute/servers/asynchronous_step.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/copy_between_cores.h"
#include "runtime/variable_hold.h"
#include "tensor/buffer.h"

namespace lockstep::distribute {

namespace {

constexpr size_t kLine = 64;
size_t Aligned(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

size_t BytesOf(DType dtype, const Shape& shape) {
  return static_cast<size_t>(shape.num_elements()) * DTypeSize(dtype);
}

Tensor HandleOf(const std::shared_ptr<runtime::VariableCell>& cell) {
  return Tensor::FromObject(cell, DType::kResource, cell->shape(), cell->dtype());
}

// The same bytes as a tensor, where they lie.
Tensor TensorAt(const net::Payload& payload, size_t offset, DType dtype, const Shape& shape) {
  return Tensor::FromBuffer(
      tensor::Buffer::Borrow(dtype, shape.num_elements(), payload.data() + offset, payload.owner()),
      dtype, shape);
}

void RequireBytes(const net::Payload& payload, size_t bytes) {
  if (payload.size() >= bytes) return;
  throw Error(Code::kDataLoss, "[parameter_server] a message must have " + std::to_string(bytes) +
                                   " bytes; got " + std::to_string(payload.size()));
}

// Values begin with their count, and which variables they are of.
size_t HeaderBytes(size_t count) { return Aligned(sizeof(uint32_t) * (1 + count)); }

}  // namespace

// A server's own variables, and its programs over them.
struct AsynchronousStep::Core {
  std::vector<std::shared_ptr<runtime::VariableCell>> cells;
  std::vector<std::unique_ptr<runtime::Compiled>> forms;
};

class StepShard final : public Shard {
 public:
  StepShard(AsynchronousStep& step, int server, std::shared_ptr<AsynchronousStep::Core> core,
            base::Team& team)
      : step_(step),
        server_(server),
        core_(std::move(core)),
        team_(team),
        changed_(step.variables_.size(), 0) {
    for (size_t i = 0; i < step_.variables_.size(); ++i) {
      const AsynchronousStep::Variable& variable = step_.variables_[i];
      const auto* from = static_cast<const std::byte*>(variable.first.raw_data());
      Write(i, from + variable.RowsOn(server_).offset);
    }
  }

  void Apply(const Commit& commit, const net::Payload& push) override {
    RequireBytes(push, kLine);
    uint64_t form = 0;
    std::memcpy(&form, push.data(), sizeof(form));
    const AsynchronousStep::FormParts& parts = step_.forms_.at(form);
    RequireBytes(push, parts.push_bytes[server_]);
    std::vector<Tensor> arguments;
    arguments.reserve(parts.regions[server_].size());
    for (size_t i = 0; i < parts.regions[server_].size(); ++i) {
      const PushProgram::Pushed& value = parts.program->pushed()[i];
      Shape shape = value.type.shape;
      if (!value.borders.empty())
        shape.set_dim(0, value.borders[server_ + 1] - value.borders[server_]);
      arguments.push_back(
          TensorAt(push, parts.regions[server_][i].offset, value.type.dtype, shape));
    }
    const std::optional<Tensor> rate = ScaleRate(commit.staleness);
    std::vector<uint64_t> before;
    before.reserve(core_->cells.size());
    for (const auto& cell : core_->cells) before.push_back(cell->version());
    core_->forms[form]->Run(arguments, team_);
    for (size_t i = 0; i < before.size(); ++i)
      if (core_->cells[i]->version() != before[i]) changed_[i] = commit.number;
    if (rate) RateCell()->Assign(*rate);
  }

  net::Payload Values(net::Transport& transport, uint64_t since) override {
    std::vector<uint32_t> list;
    list.reserve(step_.variables_.size());
    uint64_t newest = 0;
    for (size_t i = 0; i < step_.variables_.size(); ++i) {
      const AsynchronousStep::Variable& variable = step_.variables_[i];
      if (!variable.pulled || (variable.borders.empty() && server_ != 0)) continue;
      if (since > 0 && changed_[i] <= since) continue;
      list.push_back(static_cast<uint32_t>(i));
      newest = std::max(newest, changed_[i]);
    }
    if (list == packed_list_ && newest == packed_version_ && packed_.size() > 0) return packed_;
    size_t bytes = HeaderBytes(list.size());
    for (uint32_t i : list) bytes += Aligned(step_.variables_[i].RowsOn(server_).bytes);
    net::Block block = transport.Allocate(bytes);
    const auto count = static_cast<uint32_t>(list.size());
    std::memcpy(block.bytes.data(), &count, sizeof(count));
    if (count > 0)
      std::memcpy(block.bytes.data() + sizeof(count), list.data(), count * sizeof(uint32_t));
    size_t offset = HeaderBytes(list.size());
    for (uint32_t i : list) offset += Read(i, block.bytes.data() + offset);
    packed_ = net::Payload(std::move(block));
    packed_list_ = std::move(list);
    packed_version_ = newest;
    return packed_;
  }

  net::Payload State(net::Transport& transport) override {
    size_t bytes = 0;
    for (const AsynchronousStep::Variable& variable : step_.variables_)
      if (variable.written) bytes += Aligned(variable.RowsOn(server_).bytes);
    net::Block block = transport.Allocate(std::max(bytes, kLine));
    size_t offset = 0;
    for (size_t i = 0; i < step_.variables_.size(); ++i)
      if (step_.variables_[i].written) offset += Read(i, block.bytes.data() + offset);
    return net::Payload(std::move(block));
  }

  void Restore(const net::Payload& state) override {
    size_t offset = 0;
    for (size_t i = 0; i < step_.variables_.size(); ++i) {
      if (!step_.variables_[i].written) continue;
      const size_t bytes = step_.variables_[i].RowsOn(server_).bytes;
      RequireBytes(state, offset + bytes);
      Write(i, state.data() + offset);
      offset += Aligned(bytes);
      changed_[i] = 0;
    }
    packed_ = {};
  }

 private:
  void Write(size_t variable, const std::byte* from) {
    runtime::VariableCell& cell = *core_->cells[variable];
    std::memcpy(cell.PrepareWrite(), from, step_.variables_[variable].RowsOn(server_).bytes);
    cell.CommitWrite();
  }
  size_t Read(size_t variable, std::byte* to) const {
    const size_t bytes = step_.variables_[variable].RowsOn(server_).bytes;
    base::CopyPastCaches(to, core_->cells[variable]->data(), bytes);
    return Aligned(bytes);
  }

  runtime::VariableCell* RateCell() const {
    for (size_t i = 0; i < step_.variables_.size(); ++i)
      if (step_.variables_[i].cell == step_.options_.scaled_rate) return core_->cells[i].get();
    return nullptr;
  }
  // The rate as it was, if another one is to be taken.
  std::optional<Tensor> ScaleRate(int64_t staleness) const {
    runtime::VariableCell* cell =
        step_.options_.scaled_rate == nullptr || staleness == 0 ? nullptr : RateCell();
    if (cell == nullptr) return std::nullopt;
    const Tensor rate = cell->Read();
    cell->Assign(Scalar<float>(rate.scalar<float>() / static_cast<float>(1 + staleness)));
    return rate;
  }

  AsynchronousStep& step_;
  const int server_;
  const std::shared_ptr<AsynchronousStep::Core> core_;
  base::Team& team_;
  std::vector<uint64_t> changed_;  // by variable: the commit
  net::Payload packed_;            // the newest values that somebody has pulled
  std::vector<uint32_t> packed_list_;
  uint64_t packed_version_ = 0;
};

Shape AsynchronousStep::Variable::ShapeOn(int server) const {
  Shape shape = cell->shape();
  if (!borders.empty()) shape.set_dim(0, borders[server + 1] - borders[server]);
  return shape;
}

// Which bytes of the whole a server has.
Region AsynchronousStep::Variable::RowsOn(int server) const {
  const size_t whole = BytesOf(cell->dtype(), cell->shape());
  if (borders.empty()) return {0, whole};
  const size_t row = whole / static_cast<size_t>(cell->shape()[0]);
  return {borders[server] * row, (borders[server + 1] - borders[server]) * row};
}

AsynchronousStep::AsynchronousStep(const std::vector<Form>& forms, const Options& options)
    : options_(options) {
  for (const Form& form : forms) AddForm(form);
  for (Variable& variable : variables_) {
    cells_.push_back(variable.cell);
    variable.pulled |= variable.written && std::find(options_.shown.begin(), options_.shown.end(),
                                                     variable.cell) != options_.shown.end();
  }
}

AsynchronousStep::~AsynchronousStep() = default;

size_t AsynchronousStep::PlaceOf(const PushProgram::Kept& kept) {
  for (size_t i = 0; i < variables_.size(); ++i) {
    Variable& variable = variables_[i];
    if (variable.cell != kept.cell) continue;
    if (variable.borders != kept.borders) {
      throw Error(Code::kUnimplemented,
                  "[parameter_server] batches of all sizes must divide " + kept.cell->name() +
                      " among the servers alike; got different rows; use batches of one size, or "
                      "one server");
    }
    variable.written |= kept.written;
    variable.pulled |= kept.pulled;
    return i;
  }
  if (kept.cell->dtype() == DType::kString) {
    throw Error(Code::kUnimplemented,
                "[parameter_server] variables on servers must hold numbers; got " +
                    kept.cell->name() + " of " + std::string(DTypeName(kept.cell->dtype())));
  }
  variables_.push_back({kept.cell, kept.borders, kept.written, kept.pulled, {}});
  return variables_.size() - 1;
}

void AsynchronousStep::AddForm(const Form& form) {
  graphs_.push_back(*form.graph);
  FormParts parts{.program = std::make_unique<PushProgram>(
                      *form.graph, PushOptions{.examples = form.examples,
                                               .has_rows = form.has_rows,
                                               .servers = options_.servers})};
  parts.worker = std::make_unique<runtime::Compiled>(parts.program->Worker(), options_.execution);
  for (const PushProgram::Kept& kept : parts.program->kept())
    parts.variables.push_back(PlaceOf(kept));
  for (int server = 0; server < options_.servers; ++server) {
    size_t offset = kLine;
    std::vector<Region> regions;
    for (const PushProgram::Pushed& value : parts.program->pushed()) {
      size_t bytes = BytesOf(value.type.dtype, value.type.shape);
      if (!value.borders.empty())
        bytes = bytes / static_cast<size_t>(value.type.shape[0]) *
                static_cast<size_t>(value.borders[server + 1] - value.borders[server]);
      regions.push_back({offset, bytes});
      offset += Aligned(bytes);
    }
    parts.regions.push_back(std::move(regions));
    parts.push_bytes.push_back(offset);
  }
  forms_.push_back(std::move(parts));
}

void AsynchronousStep::KeepFirstValues() {
  for (Variable& variable : variables_) variable.first = variable.cell->Read();
}

std::unique_ptr<Shard> AsynchronousStep::MakeShard(int server, base::Team& team) {
  std::shared_ptr<Core>& core = cores_[server];
  if (core == nullptr || core.use_count() > 1) {
    core = std::make_shared<Core>();
    for (const Variable& variable : variables_)
      core->cells.push_back(std::make_shared<runtime::VariableCell>(
          variable.cell->name(), variable.cell->dtype(), variable.ShapeOn(server),
          variable.cell->trainable()));
    for (const FormParts& form : forms_) {
      core->forms.push_back(std::make_unique<runtime::Compiled>(
          form.program->Server(server,
                               [&](size_t i) { return HandleOf(core->cells[form.variables[i]]); }),
          options_.execution));
    }
  }
  return std::make_unique<StepShard>(*this, server, core, team);
}

void AsynchronousStep::AssignRows(Variable& variable, int server, const net::Payload& from,
                                  size_t offset) {
  const Region rows = variable.RowsOn(server);
  RequireBytes(from, offset + rows.bytes);
  runtime::VariableCell& cell = *variable.cell;
  const runtime::CellLock lock(cell, /*writes=*/true);
  std::memcpy(static_cast<std::byte*>(cell.PrepareWrite()) + rows.offset, from.data() + offset,
              rows.bytes);
  cell.CommitWrite();
}

void AsynchronousStep::Take(int server, const net::Payload& values) {
  RequireBytes(values, sizeof(uint32_t));
  uint32_t count = 0;
  std::memcpy(&count, values.data(), sizeof(count));
  size_t offset = HeaderBytes(count);
  RequireBytes(values, offset);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t place = 0;
    std::memcpy(&place, values.data() + sizeof(uint32_t) * (1 + i), sizeof(place));
    Variable& variable = variables_.at(place);
    const size_t bytes = variable.RowsOn(server).bytes;
    if (!variable.borders.empty()) {
      AssignRows(variable, server, values, offset);
    } else {
      // Read where it lies.
      RequireBytes(values, offset + bytes);
      runtime::VariableCell& cell = *variable.cell;
      const runtime::CellLock lock(cell, /*writes=*/true);
      cell.Restore(tensor::Buffer::Borrow(cell.dtype(), cell.shape().num_elements(),
                                          values.data() + offset, values.owner()),
                   cell.version());
      cell.CommitWrite();
    }
    offset += Aligned(bytes);
  }
}

std::vector<net::Payload> AsynchronousStep::Compute(net::Transport& transport, size_t form,
                                                    std::span<const Tensor> arguments,
                                                    base::Team& team) {
  FormParts& parts = forms_.at(form);
  const std::vector<Tensor> results = parts.worker->Run(arguments, team);
  std::vector<net::Payload> pushes;
  for (int server = 0; server < options_.servers; ++server) {
    net::Block block = transport.Allocate(parts.push_bytes[server]);
    const uint64_t number = form;
    std::memcpy(block.bytes.data(), &number, sizeof(number));
    for (size_t i = 0; i < results.size(); ++i) {
      const Region& region = parts.regions[server][i];
      const PushProgram::Pushed& value = parts.program->pushed()[i];
      size_t begin = 0;
      if (!value.borders.empty())
        begin = results[i].num_bytes() / static_cast<size_t>(value.type.shape[0]) *
                static_cast<size_t>(value.borders[server]);
      if (region.bytes > 0)
        base::CopyPastCaches(block.bytes.data() + region.offset,
                             static_cast<const std::byte*>(results[i].raw_data()) + begin,
                             region.bytes);
    }
    pushes.emplace_back(std::move(block));
  }
  return pushes;
}

void AsynchronousStep::AssignFinals(const std::map<int, net::Payload>& states) {
  for (const auto& [server, state] : states) {
    size_t offset = 0;
    for (Variable& variable : variables_) {
      if (!variable.written) continue;
      if (!variable.borders.empty() || server == 0) AssignRows(variable, server, state, offset);
      offset += Aligned(variable.RowsOn(server).bytes);
    }
  }
}

}  // namespace lockstep::distribute

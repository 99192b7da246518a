#include "graph/export_graph_def.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "graph/bodies.h"
#include "graph/effect_order.h"
#include "graph/graph_def.pb.h"

namespace lockstep::graph {

namespace {

using graph_def::AttrValue;
using graph_def::FunctionDef;
using graph_def::GraphDef;
using graph_def::NodeDef;

graph_def::DataType TypeOf(DType dtype) { return static_cast<graph_def::DataType>(dtype); }

void SetShape(const Shape& shape, graph_def::TensorShapeProto* proto) {
  if (!shape.ranked()) return proto->set_unknown_rank(true);
  for (int64_t size : shape.sizes()) proto->add_dim()->set_size(size);
}

void SetTensor(const Tensor& tensor, graph_def::TensorProto* proto) {
  proto->set_dtype(TypeOf(tensor.dtype()));
  SetShape(tensor.shape(), proto->mutable_tensor_shape());
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.data<std::string>()) proto->add_string_val(text);
    return;
  }
  proto->set_tensor_content(tensor.raw_data(), tensor.num_bytes());
}

// False for what a file cannot hold.
bool SetAttribute(const ops::AttributeValue& value, AttrValue* to) {
  if (const auto* flag = std::get_if<bool>(&value)) {
    to->set_b(*flag);
  } else if (const auto* number = std::get_if<int64_t>(&value)) {
    to->set_i(*number);
  } else if (const auto* real = std::get_if<double>(&value)) {
    to->set_f(static_cast<float>(*real));
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    to->set_s(*text);
  } else if (const auto* dtype = std::get_if<DType>(&value)) {
    to->set_type(TypeOf(*dtype));
  } else if (const auto* numbers = std::get_if<std::vector<int64_t>>(&value)) {
    for (int64_t one : *numbers) to->mutable_list()->add_i(one);
    to->mutable_list();
  } else if (const auto* reals = std::get_if<std::vector<double>>(&value)) {
    for (double one : *reals) to->mutable_list()->add_f(static_cast<float>(one));
    to->mutable_list();
  } else if (const auto* tensor = std::get_if<Tensor>(&value)) {
    if (!tensor->defined() || tensor->object() != nullptr || tensor->is_symbolic()) return false;
    SetTensor(*tensor, to->mutable_tensor());
  } else {
    return false;
  }
  return true;
}

// TensorFlow's names for our bodies.
std::string BodyName(const std::string& op, const std::string& attribute) {
  if (op == "If") return attribute == "then" ? "then_branch" : "else_branch";
  return attribute == "condition" ? "cond" : attribute;
}

class Exporter {
 public:
  explicit Exporter(const ExportOptions& options)
      : options_(options), file_(std::make_shared<GraphDef>()) {}

  std::shared_ptr<GraphDef> Run(const Graph& graph) {
    file_->mutable_versions()->set_producer(1);
    Body body(graph, false, "");
    Nodes(&body, [this] { return file_->add_node(); });
    for (size_t i = 0; i < graph.results().size(); ++i) {
      NodeDef* result = file_->add_node();
      result->set_name(Unique("result_" + std::to_string(i), &body.used));
      result->set_op("Identity");
      result->add_input(InputName(body, graph.results()[i]));
      (*result->mutable_attr())["T"].set_type(TypeOf(graph.type(graph.results()[i]).dtype));
    }
    return file_;
  }

 private:
  struct Body {
    Body(const Graph& graph, bool is_function, std::string function)
        : graph(graph), is_function(is_function), function(std::move(function)) {}
    const Graph& graph;
    const bool is_function;
    const std::string function;
    std::set<std::string> used;
    std::vector<std::string> names;  // by node
  };

  // Characters that TensorFlow's names may have.
  static std::string Clean(std::string name) {
    for (char& c : name) {
      const bool good = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' ||
                        c == '/' || c == '-' || c == '\\';
      if (!good) c = '_';
    }
    const bool begins = !name.empty() && (std::isalnum(static_cast<unsigned char>(name[0])) ||
                                          name[0] == '.' || name[0] == '_');
    return begins ? name : "n" + name;
  }

  static std::string Unique(const std::string& base, std::set<std::string>* used) {
    std::string name = base;
    for (int i = 1; !used->insert(name).second; ++i) name = base + "_" + std::to_string(i);
    return name;
  }

  // Variables of one name get different ones.
  std::string NameOfVariable(const Node& node, const Tensor& handle) {
    auto [place, fresh] = variables_.try_emplace(handle.object().get());
    if (fresh) {
      std::string name = options_.variable_name == nullptr ? "" : options_.variable_name(handle);
      place->second = Unique(Clean(name.empty() ? node.name : name), &used_variables_);
    }
    return place->second;
  }

  static const Tensor* Handle(const Graph& graph, const Node& node) {
    const Tensor* value = graph.constant({node.id, 0});
    return value != nullptr && value->object() != nullptr ? value : nullptr;
  }

  void NameNodes(Body* body) {
    const auto& parameters = body->graph.parameters();
    for (size_t i = 0; i < parameters.size() && body->is_function; ++i) {
      body->used.insert("arg_" + std::to_string(i));
    }
    for (const Node& node : body->graph.nodes()) {
      std::string name = node.name;
      if (const Tensor* handle = Handle(body->graph, node)) name = NameOfVariable(node, *handle);
      if (node.spec->name == "Arg") {
        name = "arg_" + std::to_string(node.attributes.Get<int64_t>("index"));
        body->used.erase(name);
      }
      body->names.push_back(Unique(Clean(name), &body->used));
    }
  }

  std::string InputName(const Body& body, Endpoint endpoint) const {
    const std::string& name = body.names[endpoint.node];
    if (body.is_function) {
      if (body.graph.node(endpoint.node).spec->name == "Arg") return name;
      return name + ":output:" + std::to_string(endpoint.index);
    }
    return endpoint.index == 0 ? name : name + ":" + std::to_string(endpoint.index);
  }

  template <typename AddNode>
  void Nodes(Body* body, AddNode add) {
    NameNodes(body);
    const Graph& graph = body->graph;
    std::vector<std::vector<int>> order(graph.num_nodes());
    if (options_.effects == EffectEdges::kAll) order = EffectOrder(graph);
    if (options_.effects == EffectEdges::kAssignedReads) order = AssignedReads(graph);
    std::vector<char> taken(graph.num_nodes());
    for (const Node& node : graph.nodes()) {
      for (Endpoint input : node.inputs) taken[input.node] = true;
    }
    for (Endpoint result : graph.results()) taken[result.node] = true;
    for (const Node& node : graph.nodes()) {
      if (body->is_function && node.spec->name == "Arg") continue;
      NodeDef* made = add();
      One(body, node, order[node.id], made);
      // A group gives a value only to who asks for it.
      if (made->op() == "Group" && !taken[node.id]) made->set_op("NoOp");
    }
  }

  void One(Body* body, const Node& node, const std::vector<int>& order, NodeDef* to) {
    const Graph& graph = body->graph;
    to->set_name(body->names[node.id]);
    to->set_device(node.device);
    Site(node, *body);
    if (!node.outputs.empty()) {
      auto* shapes = (*to->mutable_attr())["_output_shapes"].mutable_list();
      for (const auto& type : node.outputs) SetShape(type.shape, shapes->add_shape());
    }
    if (const Tensor* handle = Handle(graph, node)) {
      const std::string op = options_.handle_op == nullptr ? "" : options_.handle_op(*handle);
      to->set_op(op.empty() ? "VarHandleOp" : op);
      (*to->mutable_attr())["dtype"].set_type(TypeOf(handle->element_dtype()));
      SetShape(handle->shape(), (*to->mutable_attr())["shape"].mutable_shape());
      (*to->mutable_attr())["shared_name"].set_s(NameOfVariable(node, *handle));
      return;
    }
    to->set_op(node.spec->name == "Arg" ? "Placeholder" : node.spec->name);
    std::set<int> waits(node.control_inputs.begin(), node.control_inputs.end());
    waits.insert(order.begin(), order.end());
    for (Endpoint input : node.inputs) {
      to->add_input(InputName(*body, input));
      waits.erase(input.node);
    }
    for (int control : waits) {
      if (control < node.id) to->add_input("^" + body->names[control]);
    }
    Attributes(graph, node, to);
  }

  void Attributes(const Graph& graph, const Node& node, NodeDef* to) {
    auto& attributes = *to->mutable_attr();
    if (node.spec->name == "Arg" || node.spec->name == "Const") {
      attributes["dtype"].set_type(TypeOf(node.outputs[0].dtype));
    } else if (!node.inputs.empty()) {
      const ops::TensorType& type = graph.type(node.inputs[0]);
      const bool handle = type.dtype == DType::kResource;
      attributes[handle ? "dtype" : "T"].set_type(TypeOf(handle ? type.element : type.dtype));
    }
    if (node.spec->name == "Arg") return;
    for (const auto& [name, value] : node.attributes.entries()) {
      if (const Graph* inside = BodyIn(value)) {
        const std::string function = to->name() + "_" + name;
        attributes[BodyName(node.spec->name, name)].mutable_func()->set_name(
            Function(*inside, node, function));
      } else if (name == "shape" && to->op().starts_with("Placeholder")) {
        SetShape(Shape(node.attributes.Get<std::vector<int64_t>>(name)),
                 attributes[name].mutable_shape());
      } else if (AttrValue made; SetAttribute(value, &made)) {
        attributes[name] = std::move(made);
      }
    }
    if (node.spec->name == "If" || node.spec->name == "While") {
      auto* types = attributes[node.spec->name == "If" ? "Tin" : "T"].mutable_list();
      for (size_t i = node.spec->name == "If"; i < node.inputs.size(); ++i) {
        types->add_type(TypeOf(graph.type(node.inputs[i]).dtype));
      }
    }
    if (node.spec->name != "If") return;
    attributes["Tcond"].set_type(graph_def::DT_BOOL);
    for (const auto& type : node.outputs) {
      attributes["Tout"].mutable_list()->add_type(TypeOf(type.dtype));
    }
  }

  std::string Function(const Graph& graph, const Node& call, const std::string& base) {
    const std::string name = Unique(Clean(base), &functions_);
    FunctionDef* function = file_->mutable_library()->add_function();
    const int place = file_->library().function_size() - 1;
    function->mutable_signature()->set_name(name);
    Body body(graph, true, name);
    for (size_t i = 0; i < graph.parameters().size(); ++i) {
      auto* argument = function->mutable_signature()->add_input_arg();
      argument->set_name("arg_" + std::to_string(i));
      argument->set_type(TypeOf(graph.type(graph.parameters()[i]).dtype));
    }
    // The list of functions grows while bodies inside of this one are written.
    const auto own = [this, place] { return file_->mutable_library()->mutable_function(place); };
    Nodes(&body, [&] { return own()->add_node_def(); });
    Results(body, call, own());
    return name;
  }

  // What the body gives, behind all its effects; a loop's body gives what it does not change, too.
  void Results(const Body& body, const Node& call, FunctionDef* function) {
    const Graph& graph = body.graph;
    std::set<std::string> used = body.used;
    std::string effects;
    if (options_.effects == EffectEdges::kAll) {
      NodeDef wait;
      wait.set_name(Unique("effects", &used));
      wait.set_op("NoOp");
      for (const Node& node : graph.nodes()) {
        if (node.spec->effects.writes != 0 || node.spec->effects.external) {
          wait.add_input("^" + body.names[node.id]);
        }
      }
      if (wait.input_size() > 0) effects = wait.name();
      if (wait.input_size() > 0) *function->add_node_def() = wait;
    }
    std::vector<Endpoint> results = graph.results();
    const bool repeats =
        call.spec->name == "While" && BodyIn(*call.attributes.Find("body")) == &graph;
    if (repeats) {
      // What ops gave besides, for a gradient, is no variable of the loop.
      results.resize(static_cast<size_t>(call.attributes.Get<int64_t>("variables")));
      results.insert(results.end(), graph.parameters().begin() + results.size(),
                     graph.parameters().end());
    }
    for (size_t i = 0; i < results.size(); ++i) {
      auto* result = function->mutable_signature()->add_output_arg();
      result->set_name("result_" + std::to_string(i));
      result->set_type(TypeOf(graph.type(results[i]).dtype));
      std::string source = InputName(body, results[i]);
      if (!effects.empty()) {
        NodeDef* behind = function->add_node_def();
        behind->set_name(Unique("Identity_" + std::to_string(i), &used));
        behind->set_op("Identity");
        behind->add_input(source);
        behind->add_input("^" + effects);
        (*behind->mutable_attr())["T"].set_type(result->type());
        source = behind->name() + ":output:0";
      }
      (*function->mutable_ret())[result->name()] = source;
    }
    if (!effects.empty()) {
      function->mutable_signature()->add_control_output(effects);
      (*function->mutable_control_ret())[effects] = effects;
    }
  }

  void Site(const Node& node, const Body& body) {
    if (node.site.line == 0) return;
    auto* info = file_->mutable_debug_info();
    auto [place, fresh] = files_.try_emplace(node.site.file, info->files_size());
    if (fresh) info->add_files(node.site.file);
    std::string key = body.names[node.id];
    if (body.is_function) key += "@" + body.function;
    auto* frame = (*info->mutable_traces())[key].add_file_line_cols();
    frame->set_file_index(place->second);
    frame->set_line(static_cast<int32_t>(node.site.line));
  }

  const ExportOptions& options_;
  std::shared_ptr<GraphDef> file_;
  std::unordered_map<const TensorObject*, std::string> variables_;
  std::set<std::string> used_variables_, functions_;
  std::map<std::string, int> files_;
};

}  // namespace

std::shared_ptr<GraphDef> ExportGraphDef(const Graph& graph, const ExportOptions& options) {
  return Exporter(options).Run(graph);
}

}  // namespace lockstep::graph

// Which tensors of a model hold codes, so that no operator takes them for integers that does not know.
#include "ir/formats/onnx/importer.hpp"
#include "ir/formats/onnx/names.hpp"

namespace plumb::ir::from_onnx {

std::int64_t Importer::stored_type(const ::onnx::TensorProto& proto) { return proto.data_type(); }
std::int64_t Importer::stored_type(const ::onnx::SparseTensorProto& proto) { return proto.values().data_type(); }

void Importer::note_type(Ref ref, std::int64_t onnx_type) {
  if (const auto codes = code_type(onnx_type)) note_codes(ref, *codes);
}

void Importer::require_no_codes(Ref result, const std::string& name) const {
  if (const CodeType* const codes = codes_in(result))
    throw Unsupported(cat("its subgraph returns '", clean(name), "' of ", type_name(codes->onnx_type)));
}

void Importer::refuse_codes(const ::onnx::NodeProto& node, const NodeReader& reader) const {
  const CodeUse use = code_use(node.op_type());
  const CodeType* first = nullptr;
  for (std::size_t i = 0; i < reader.inputs(); ++i) {
    const CodeType* const codes = reader.has(i) ? codes_in(reader.in(i)) : nullptr;
    const bool is_alike = i == 0 || (first != nullptr ? codes != nullptr && *codes == *first : codes == nullptr);
    if (i == 0) first = codes;
    if (use == CodeUse::reads || (use == CodeUse::moves_all && is_alike)) continue;
    if (codes != nullptr && !(use == CodeUse::moves && i == 0))
      throw Unsupported(cat("its input ", i, " is of ", type_name(codes->onnx_type),
                            ", which quantisers, casts and what moves elements take alone"));
    if (use == CodeUse::moves_all) throw Unsupported("its inputs are of several types");
  }
}

void Importer::follow_codes(const ::onnx::NodeProto& node, const NodeReader& reader, const Scope& scope) {
  std::optional<CodeType> codes;
  const CodeUse use = code_use(node.op_type());
  const bool moves = use == CodeUse::moves || use == CodeUse::moves_all;
  if (moves && reader.has(0) && codes_in(reader.in(0)) != nullptr) codes = *codes_in(reader.in(0));
  if (node.op_type() == "Constant")
    for (const auto& attribute : node.attribute())
      if (attribute.name() == "value") codes = code_type(attribute.t().data_type());
  if (!codes) return;
  for (const std::string& name : node.output())
    if (const auto made = scope.values.find(name); made != scope.values.end() && made->second.ref)
      note_codes(*made->second.ref, *codes);
}

}  // namespace plumb::ir::from_onnx

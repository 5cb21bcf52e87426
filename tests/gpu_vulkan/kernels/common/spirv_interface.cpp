#include "tests/gpu_vulkan/kernels/common/spirv_interface.hpp"

#include <algorithm>
#include <stdexcept>

namespace plumb::gpu_vulkan::testing {
namespace {

using Id = std::uint32_t;

// Numbers of the SPIR-V specification: opcodes, decorations, storage classes.
constexpr std::uint32_t op_name = 5, op_type_int = 21, op_type_float = 22, op_type_vector = 23, op_type_array = 28,
                        op_type_struct = 30, op_type_pointer = 32, op_constant = 43, op_variable = 59, op_decorate = 71,
                        op_member_decorate = 72;
constexpr std::uint32_t spec_id = 1, array_stride = 6, non_writable = 24, non_readable = 25, binding = 33,
                        descriptor_set = 34, offset = 35;
constexpr std::uint32_t push_constant = 9, storage_buffer = 12;

struct Module {
  struct Type {
    std::uint32_t opcode;
    std::vector<std::uint32_t> operands;
  };

  std::map<Id, Type> types;
  std::map<Id, std::uint32_t> constants;
  std::map<Id, std::string> names;
  std::map<Id, std::map<std::uint32_t, std::uint32_t>> decorations;           // by id: decoration, value
  std::map<Id, std::vector<std::map<std::uint32_t, std::uint32_t>>> members;  // by struct
  struct Variable {
    Id id, pointer;
    std::uint32_t storage;
  };
  std::vector<Variable> variables;

  explicit Module(std::span<const std::uint32_t> words) {
    if (words.size() < 5 || words[0] != 0x07230203) throw std::runtime_error("not a SPIR-V module");
    for (std::size_t at = 5; at < words.size();) {
      const std::uint32_t length = words[at] >> 16;
      if (length == 0 || at + length > words.size()) throw std::runtime_error("an instruction is cut short");
      take(words[at] & 0xFFFF, words.subspan(at + 1, length - 1));
      at += length;
    }
  }

  void take(std::uint32_t opcode, std::span<const std::uint32_t> operand) {
    switch (opcode) {
      case op_type_int:
      case op_type_float:
      case op_type_vector:
      case op_type_array:
      case op_type_struct:
      case op_type_pointer:
        types[operand[0]] = {opcode, {operand.begin() + 1, operand.end()}};
        break;
      case op_name:
        names[operand[0]] = text(operand.subspan(1));
        break;
      case op_constant:
        constants[operand[1]] = operand[2];
        break;
      case op_variable:
        variables.push_back({operand[1], operand[0], operand[2]});
        break;
      case op_decorate:
        decorations[operand[0]][operand[1]] = operand.size() > 2 ? operand[2] : 0;
        break;
      case op_member_decorate: {
        auto& all = members[operand[0]];
        all.resize(std::max<std::size_t>(all.size(), operand[1] + 1));
        all[operand[1]][operand[2]] = operand.size() > 3 ? operand[3] : 0;
        break;
      }
      default:
        break;
    }
  }

  /// A literal string: four characters a word, the first in the lowest byte, ended by a zero.
  static std::string text(std::span<const std::uint32_t> words) {
    std::string characters;
    for (const std::uint32_t word : words)
      for (std::uint32_t shift = 0; shift < 32; shift += 8) {
        if ((word >> shift & 0xFF) == 0) return characters;
        characters += static_cast<char>(word >> shift & 0xFF);
      }
    return characters;
  }

  std::string name_of(Id id) const {
    const auto found = names.find(id);
    return found == names.end() ? "" : found->second;
  }

  std::uint32_t bytes(Id id) const {
    const Type& type = types.at(id);
    switch (type.opcode) {
      case op_type_int:
      case op_type_float:
        return type.operands[0] / 8;
      case op_type_vector:
        return bytes(type.operands[0]) * type.operands[1];
      case op_type_array:
        return decorations.at(id).at(array_stride) * constants.at(type.operands[1]);
      case op_type_struct:
        return type.operands.empty() ? 0 : end_of_last_member(id, type);
      default:
        throw std::runtime_error("a type without a size");
    }
  }

  std::uint32_t end_of_last_member(Id id, const Type& type) const {
    std::uint32_t end = 0;
    for (std::size_t m = 0; m < type.operands.size(); ++m)
      end = std::max(end, members.at(id).at(m).at(offset) + bytes(type.operands[m]));
    return end;
  }

  bool has(Id id, std::uint32_t decoration) const {
    const auto found = decorations.find(id);
    return found != decorations.end() && found->second.contains(decoration);
  }

  /// Whether the variable, or every member of its block, carries the decoration.
  bool is(const Variable& variable, std::uint32_t decoration) const {
    if (has(variable.id, decoration)) return true;
    const auto found = members.find(types.at(variable.pointer).operands[1]);
    return found != members.end() &&
           std::ranges::all_of(found->second, [&](const auto& one) { return one.contains(decoration); });
  }
};

}  // namespace

SpirvInterface read_interface(std::span<const std::uint32_t> words) {
  const Module module(words);
  SpirvInterface interface;
  for (const auto& variable : module.variables) {
    if (variable.storage == push_constant)
      interface.push_bytes = module.bytes(module.types.at(variable.pointer).operands[1]);
    if (variable.storage != storage_buffer) continue;
    const auto& decorations = module.decorations.at(variable.id);
    const auto set = decorations.at(descriptor_set);
    if (set != 0) interface.other_sets.push_back(set);
    // A binding with several views is written if one of them writes.
    const SpirvInterface::Binding found{module.is(variable, non_writable), module.is(variable, non_readable)};
    const auto [place, fresh] = interface.bindings.emplace(decorations.at(binding), found);
    if (fresh) continue;
    place->second.readonly = place->second.readonly && found.readonly;
    place->second.writeonly = place->second.writeonly && found.writeonly;
  }
  // A constant that is also the size of the workgroup is declared twice, once without a name.
  for (const auto& [id, decorations] : module.decorations)
    if (const auto found = decorations.find(spec_id); found != decorations.end())
      if (std::string& name = interface.constants[found->second]; name.empty()) name = module.name_of(id);
  return interface;
}

}  // namespace plumb::gpu_vulkan::testing

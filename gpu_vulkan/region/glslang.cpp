// GLSL to SPIR-V by the glslang library, with includes from memory; a build without the library makes no regions.
#include "gpu_vulkan/region/glslang.hpp"

#include "ir/error.hpp"

#ifdef PLUMB_HAS_GLSLANG
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <algorithm>

namespace plumb::gpu_vulkan::region {
namespace {

class Includer final : public glslang::TShader::Includer {
 public:
  IncludeResult* includeLocal(const char* name, const char*, size_t depth) override {
    const auto files = glsl_files();
    const auto file = std::ranges::find(files, std::string_view(name), &GlslFile::name);
    if (file == files.end() || depth > 16) return nullptr;
    return new IncludeResult(name, file->text.data(), file->text.size(), nullptr);
  }
  void releaseInclude(IncludeResult* result) override { delete result; }
};

/// The limits that the compiler holds compute shaders against.
TBuiltInResource resources() {
  TBuiltInResource limits{};
  limits.maxComputeWorkGroupCountX = limits.maxComputeWorkGroupCountY = limits.maxComputeWorkGroupCountZ = 65535;
  limits.maxComputeWorkGroupSizeX = limits.maxComputeWorkGroupSizeY = 1024;
  limits.maxComputeWorkGroupSizeZ = 64;
  auto& may = limits.limits;
  may.nonInductiveForLoops = may.whileLoops = may.doWhileLoops = may.generalUniformIndexing = true;
  may.generalAttributeMatrixVectorIndexing = may.generalVaryingIndexing = may.generalSamplerIndexing = true;
  may.generalVariableIndexing = may.generalConstantMatrixVectorIndexing = true;
  return limits;
}

/// The library's own tables live as long as the process.
void initialise() {
  static const bool done = glslang::InitializeProcess();
  ir::require(done, "glslang does not start");
}

}  // namespace

std::string glsl_compiler() {
  const auto version = glslang::GetVersion();
  return ir::cat("glslang ", version.major, '.', version.minor, '.', version.patch);
}

std::vector<std::uint32_t> compile_glsl(const std::string& source) {
  initialise();
  const char* text = source.c_str();
  glslang::TShader shader(EShLangCompute);
  shader.setStrings(&text, 1);
  shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 100);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_3);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_6);
  const auto messages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
  const TBuiltInResource limits = resources();
  Includer includer;
  if (!shader.parse(&limits, 450, false, messages, includer)) ir::fail("glslang: ", shader.getInfoLog());
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(messages)) ir::fail("glslang: ", program.getInfoLog());
  std::vector<unsigned> words;
  glslang::SpvOptions options;
  options.disableOptimizer = true;  // drivers have their own; this one is for files
  glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), words, &options);
  return {words.begin(), words.end()};
}

}  // namespace plumb::gpu_vulkan::region
#else
namespace plumb::gpu_vulkan::region {

std::string glsl_compiler() { return ""; }

std::vector<std::uint32_t> compile_glsl(const std::string&) {
  throw ir::Unsupported("this build has no compiler of shaders");
}

}  // namespace plumb::gpu_vulkan::region
#endif

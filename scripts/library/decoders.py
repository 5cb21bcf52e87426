"""Decoders of text of transformers, most with their language model's head."""
from library.encoders import SMALL
from library.model import HIDDEN, LOGITS, PADDED, TOKENS, normal, transformer


def decoder(name, configuration, settings, inputs=TOKENS, results=LOGITS, attention=None):
    return transformer(name, configuration, settings, inputs, results, attention, has_cache=True)


LLAMA = SMALL | {"num_key_value_heads": 2, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
HEADS_OF_16 = LLAMA | {"head_dim": 16}
GPT2 = {"vocab_size": 99, "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64}
BLOOM = {"vocab_size": 99, "hidden_size": 64, "n_layer": 2, "n_head": 4}
DECISION = {"hidden_size": 64, "n_layer": 2, "n_head": 4, "n_positions": 64}
FALCON = {"vocab_size": 99, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
GPT_NEO = {
    "vocab_size": 99, "hidden_size": 64, "num_layers": 2, "num_heads": 4,
    "attention_types": [[["global", "local"], 1]], "window_size": 8, "max_position_embeddings": 64,
}
MPT = {"vocab_size": 99, "d_model": 64, "n_heads": 4, "n_layers": 2, "max_seq_len": 64}
OPT = {
    "vocab_size": 99, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 96,
    "max_position_embeddings": 64, "word_embed_proj_dim": 64,
}
XGLM = {
    "vocab_size": 99, "d_model": 64, "num_layers": 2, "attention_heads": 4, "ffn_dim": 96,
    "max_position_embeddings": 64,
}

# Left out, as they could not be exported: Mixtral, Qwen2-MoE, OLMoE and GPT-OSS (no exporter of torch 2.11 has
# aten::diff or aten::histc, which choose their experts), DeepSeek-V3 (sizes 4 and 8 do not match).
MODELS = {
    "biogpt": decoder("BioGptModel", "BioGptConfig", SMALL, results=HIDDEN),
    "bloom": decoder("BloomForCausalLM", "BloomConfig", BLOOM),
    "codegen": decoder("CodeGenForCausalLM", "CodeGenConfig", GPT2 | {"rotary_dim": 8}),
    "cohere": decoder("CohereForCausalLM", "CohereConfig", LLAMA),
    "ctrl": decoder("CTRLModel", "CTRLConfig", GPT2 | {"dff": 96}, results=HIDDEN),
    "decision_transformer": decoder("DecisionTransformerGPT2Model", "DecisionTransformerConfig", DECISION,
                                    {"inputs_embeds": normal(2, 12, 64)}, HIDDEN),
    "falcon": decoder("FalconForCausalLM", "FalconConfig", FALCON),
    "gemma": decoder("GemmaForCausalLM", "GemmaConfig", HEADS_OF_16),
    "gemma2": decoder("Gemma2ForCausalLM", "Gemma2Config", HEADS_OF_16 | {"sliding_window": 8}, attention="eager"),
    "gemma3": decoder("Gemma3ForCausalLM", "Gemma3TextConfig", HEADS_OF_16 | {"sliding_window": 8}),
    "glm": decoder("GlmForCausalLM", "GlmConfig", HEADS_OF_16),
    "gpt2": decoder("GPT2LMHeadModel", "GPT2Config", GPT2),
    "gpt_bigcode": decoder("GPTBigCodeForCausalLM", "GPTBigCodeConfig", GPT2),
    "gpt_neo": decoder("GPTNeoForCausalLM", "GPTNeoConfig", GPT_NEO),
    "gpt_neox": decoder("GPTNeoXForCausalLM", "GPTNeoXConfig", SMALL),
    "gptj": decoder("GPTJForCausalLM", "GPTJConfig", GPT2 | {"rotary_dim": 8}),
    "granite": decoder("GraniteForCausalLM", "GraniteConfig", LLAMA),
    "helium": decoder("HeliumForCausalLM", "HeliumConfig", HEADS_OF_16),
    "llama": decoder("LlamaForCausalLM", "LlamaConfig", LLAMA),
    "llama_eager": decoder("LlamaForCausalLM", "LlamaConfig", LLAMA, PADDED, attention="eager"),
    "mistral": decoder("MistralForCausalLM", "MistralConfig", LLAMA | {"sliding_window": 8}),
    "mpt": decoder("MptForCausalLM", "MptConfig", MPT),
    "nemotron": decoder("NemotronForCausalLM", "NemotronConfig", HEADS_OF_16),
    "olmo2": decoder("Olmo2ForCausalLM", "Olmo2Config", LLAMA),
    "openai_gpt": transformer("OpenAIGPTModel", "OpenAIGPTConfig", GPT2, TOKENS),
    "opt": decoder("OPTForCausalLM", "OPTConfig", OPT),
    "persimmon": decoder("PersimmonForCausalLM", "PersimmonConfig", LLAMA | {"num_key_value_heads": 4}),
    "phi": decoder("PhiForCausalLM", "PhiConfig", LLAMA),
    "phi3": decoder("Phi3ForCausalLM", "Phi3Config", LLAMA),
    "qwen2": decoder("Qwen2ForCausalLM", "Qwen2Config", LLAMA),
    "qwen3": decoder("Qwen3ForCausalLM", "Qwen3Config", HEADS_OF_16),
    "smollm3": decoder("SmolLM3ForCausalLM", "SmolLM3Config", LLAMA),
    "stablelm": decoder("StableLmForCausalLM", "StableLmConfig", LLAMA),
    "starcoder2": decoder("Starcoder2ForCausalLM", "Starcoder2Config", LLAMA),
    "xglm": decoder("XGLMModel", "XGLMConfig", XGLM, results=HIDDEN),
}

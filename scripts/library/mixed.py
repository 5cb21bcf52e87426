"""Models of transformers that read text with images, time series, or any array."""
from library.encoders import SMALL
from library.model import normal, ones, tokens, transformer, uniform

LXMERT = {
    "vocab_size": 99, "hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 96, "l_layers": 1,
    "x_layers": 1, "r_layers": 1, "visual_feat_dim": 32,
}
PERCEIVER = {
    "d_model": 32, "d_latents": 32, "num_latents": 8, "num_blocks": 1, "num_self_attends_per_block": 2,
    "num_self_attention_heads": 4, "num_cross_attention_heads": 4,
}
PATCHES = {"num_input_channels": 2, "context_length": 32, "patch_length": 8, "patch_stride": 8}
PATCH_TST = PATCHES | {"d_model": 32, "num_attention_heads": 4, "ffn_dim": 48, "num_hidden_layers": 2}
PATCH_TSMIXER = PATCHES | {"d_model": 16, "num_layers": 2}

SERIES = {"past_values": normal(2, 32, 2)}
TEXT = {"input_ids": tokens(1, 8)}
REGIONS = TEXT | {"visual_feats": normal(1, 5, 32), "visual_pos": uniform(1, 5, 4)}
VISUAL = TEXT | {"visual_embeds": normal(1, 5, 32), "visual_attention_mask": ones(1, 5)}

# Left out, as no exporter of torch 2.11 took it: ViLT.
MODELS = {
    "lxmert": transformer("LxmertModel", "LxmertConfig", LXMERT, REGIONS, ("language_output",)),
    "patch_tsmixer": transformer("PatchTSMixerModel", "PatchTSMixerConfig", PATCH_TSMIXER, SERIES),
    "patch_tst": transformer("PatchTSTModel", "PatchTSTConfig", PATCH_TST, SERIES),
    "perceiver": transformer("PerceiverModel", "PerceiverConfig", PERCEIVER, {"inputs": normal(1, 20, 32)}),
    "visual_bert": transformer("VisualBertModel", "VisualBertConfig", SMALL | {"visual_embedding_dim": 32}, VISUAL),
}

"""Encoders of text of transformers."""
from library.model import LOGITS, PADDED, TOKENS, mask, tokens, transformer, uniform

SMALL = {
    "vocab_size": 99, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96,
    "max_position_embeddings": 64,
}
T5 = {"vocab_size": 99, "d_model": 64, "d_kv": 16, "d_ff": 96, "num_layers": 2, "num_heads": 4}
CLIP = SMALL | {"bos_token_id": 0, "eos_token_id": 2}
DEBERTA = SMALL | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}
DISTILBERT = {"vocab_size": 99, "dim": 64, "n_layers": 2, "n_heads": 4, "hidden_dim": 96, "max_position_embeddings": 64}
ESM = SMALL | {"pad_token_id": 1, "mask_token_id": 2, "position_embedding_type": "rotary"}
FLAUBERT = {"n_words": 99, "emb_dim": 64, "n_layers": 2, "n_heads": 4, "max_position_embeddings": 64}
FUNNEL = {"vocab_size": 99, "block_sizes": [1, 1], "d_model": 64, "n_head": 4, "d_head": 16, "d_inner": 96}
LUKE = SMALL | {"entity_vocab_size": 10, "entity_emb_size": 64}
MOBILEBERT = SMALL | {"embedding_size": 32, "intra_bottleneck_size": 32}
MODERNBERT = SMALL | {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "cls_token_id": 1, "sep_token_id": 2}
TAPAS = SMALL | {"type_vocab_sizes": [3, 8, 8, 2, 8, 8, 3]}
XLNET = {"vocab_size": 99, "d_model": 64, "n_layer": 2, "n_head": 4, "d_inner": 96}

UNPADDED = {"input_ids": tokens(2, 24), "attention_mask": mask(2, 24)}
BOXES = {"input_ids": tokens(1, 12), "bbox": uniform(1, 12, 8)}

# Left out, as it could not be exported: Nystromformer with a padding mask (sizes 8 and 24 do not match).
MODELS = {
    "albert": transformer("AlbertModel", "AlbertConfig", SMALL | {"embedding_size": 32}, PADDED),
    "bert": transformer("BertModel", "BertConfig", SMALL, PADDED),
    "bert_eager": transformer("BertModel", "BertConfig", SMALL, PADDED, attention="eager"),
    "big_bird": transformer("BigBirdModel", "BigBirdConfig", SMALL | {"attention_type": "original_full"}, PADDED),
    "bros": transformer("BrosModel", "BrosConfig", SMALL, BOXES),
    "camembert_lm": transformer("CamembertForMaskedLM", "CamembertConfig", SMALL, PADDED, LOGITS),
    "canine": transformer("CanineModel", "CanineConfig", SMALL | {"num_hash_buckets": 64},
                          {"input_ids": tokens(1, 32)}),
    "clip_text": transformer("CLIPTextModel", "CLIPTextConfig", CLIP, PADDED),
    "clip_text_projection": transformer("CLIPTextModelWithProjection", "CLIPTextConfig", CLIP | {"projection_dim": 32},
                                        PADDED, ("text_embeds",)),
    "convbert": transformer("ConvBertModel", "ConvBertConfig", SMALL | {"embedding_size": 64}, PADDED),
    "data2vec_text": transformer("Data2VecTextModel", "Data2VecTextConfig", SMALL, PADDED),
    "deberta": transformer("DebertaModel", "DebertaConfig", DEBERTA | {"max_relative_positions": 16}, PADDED),
    "deberta_v2": transformer("DebertaV2Model", "DebertaV2Config", DEBERTA | {"position_buckets": 8}, PADDED),
    "distilbert": transformer("DistilBertModel", "DistilBertConfig", DISTILBERT, PADDED),
    "electra": transformer("ElectraModel", "ElectraConfig", SMALL | {"embedding_size": 32}, PADDED),
    "esm": transformer("EsmModel", "EsmConfig", ESM, PADDED),
    "flaubert": transformer("FlaubertModel", "FlaubertConfig", FLAUBERT, PADDED),
    "flava_text": transformer("FlavaTextModel", "FlavaTextConfig", SMALL, PADDED),
    "fnet": transformer("FNetModel", "FNetConfig", SMALL, TOKENS),
    "funnel": transformer("FunnelModel", "FunnelConfig", FUNNEL, PADDED),
    "ibert": transformer("IBertModel", "IBertConfig", SMALL, PADDED),
    "layoutlm": transformer("LayoutLMModel", "LayoutLMConfig", SMALL, PADDED),
    "longformer": transformer("LongformerModel", "LongformerConfig", SMALL | {"attention_window": 8}, UNPADDED),
    "longt5_encoder": transformer("LongT5EncoderModel", "LongT5Config", T5 | {"local_radius": 7}, PADDED),
    "luke": transformer("LukeModel", "LukeConfig", LUKE, PADDED),
    "megatron_bert": transformer("MegatronBertModel", "MegatronBertConfig", SMALL, PADDED),
    "mobilebert": transformer("MobileBertModel", "MobileBertConfig", MOBILEBERT, PADDED),
    "modernbert": transformer("ModernBertModel", "ModernBertConfig", MODERNBERT, PADDED),
    "mpnet": transformer("MPNetModel", "MPNetConfig", SMALL, PADDED),
    "mra": transformer("MraModel", "MraConfig", SMALL, PADDED),
    "mt5_encoder": transformer("MT5EncoderModel", "MT5Config", T5, PADDED),
    "rembert": transformer("RemBertModel", "RemBertConfig", SMALL | {"input_embedding_size": 64}, PADDED),
    "roberta": transformer("RobertaModel", "RobertaConfig", SMALL, PADDED),
    "roformer": transformer("RoFormerModel", "RoFormerConfig", SMALL | {"embedding_size": 64}, PADDED),
    "siglip_text": transformer("SiglipTextModel", "SiglipTextConfig", SMALL, PADDED),
    "splinter": transformer("SplinterModel", "SplinterConfig", SMALL, PADDED),
    "squeezebert": transformer("SqueezeBertModel", "SqueezeBertConfig", SMALL | {"embedding_size": 64}, PADDED),
    "switch_transformers_encoder": transformer("SwitchTransformersEncoderModel", "SwitchTransformersConfig",
                                               T5 | {"num_experts": 4}, PADDED),
    "t5_encoder": transformer("T5EncoderModel", "T5Config", T5, PADDED),
    "tapas": transformer("TapasModel", "TapasConfig", TAPAS, PADDED),
    "xlm_roberta_xl": transformer("XLMRobertaXLModel", "XLMRobertaXLConfig", SMALL, PADDED),
    "xlnet": transformer("XLNetModel", "XLNetConfig", XLNET, TOKENS),
    "yoso": transformer("YosoModel", "YosoConfig", SMALL | {"use_expectation": True}, PADDED),
}

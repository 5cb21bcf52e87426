"""Encoders with decoders of transformers: from text to text."""
from library.encoders import T5
from library.model import PADDED, tokens, transformer


def sequence(name, configuration, settings):
    inputs = PADDED | {"decoder_input_ids": tokens(2, 9)}
    return transformer(name, configuration, settings, inputs, has_cache=True)


BART = {
    "vocab_size": 99, "d_model": 64, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "encoder_ffn_dim": 96, "decoder_ffn_dim": 96, "max_position_embeddings": 64,
}
# Whose configuration has other tokens by default, beyond this vocabulary.
MARIAN = BART | {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
LED = MARIAN | {"attention_window": 8, "max_encoder_position_embeddings": 64, "max_decoder_position_embeddings": 64}
PROPHETNET = {
    "vocab_size": 99, "hidden_size": 64, "encoder_ffn_dim": 96, "num_encoder_layers": 1,
    "num_encoder_attention_heads": 4, "decoder_ffn_dim": 96, "num_decoder_layers": 1,
    "num_decoder_attention_heads": 4, "max_position_embeddings": 64, "ngram": 2,
}

MODELS = {
    "bart": sequence("BartModel", "BartConfig", BART),
    "blenderbot": sequence("BlenderbotModel", "BlenderbotConfig", MARIAN),
    "led": sequence("LEDModel", "LEDConfig", LED),
    "m2m100": sequence("M2M100Model", "M2M100Config", MARIAN),
    "marian": sequence("MarianModel", "MarianConfig", MARIAN),
    "mbart": sequence("MBartModel", "MBartConfig", MARIAN),
    "pegasus": sequence("PegasusModel", "PegasusConfig", MARIAN),
    "prophetnet": sequence("ProphetNetModel", "ProphetNetConfig", PROPHETNET),
    "t5": sequence("T5Model", "T5Config", T5),
}

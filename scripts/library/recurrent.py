"""Recurrences and transformers of torch.nn, state spaces of transformers."""
from library.model import Model, normal, tokens, transformer


def layer(kind, *inputs, **options):
    """A layer of torch.nn; the first of what it gives."""
    def make():
        from torch import nn
        from library.wrappers import First
        return First(getattr(nn, kind)(**options))
    return Model("torch", make, inputs)


def make_encoder():
    from torch import nn
    one = nn.TransformerEncoderLayer(32, 4, 64, activation="gelu", norm_first=True, batch_first=True)
    return nn.TransformerEncoder(one, 2)


def state_space(name, configuration, length, **settings):
    inputs = {"input_ids": tokens(2, length)}
    return transformer(name, configuration, {"vocab_size": 99} | settings, inputs, has_cache=True)


SIZES = {"input_size": 16, "hidden_size": 32}
TRANSFORMER = {"d_model": 32, "nhead": 4, "num_encoder_layers": 1, "num_decoder_layers": 1, "dim_feedforward": 64}

# Left out: RWKV of one layer, which divides by zero before it is exported.
MODELS = {
    "gru": layer("GRU", normal(2, 12, 16), num_layers=2, batch_first=True, **SIZES),
    "lstm": layer("LSTM", normal(2, 12, 16), num_layers=2, batch_first=True, bidirectional=True, **SIZES),
    "rnn": layer("RNN", normal(12, 2, 16), num_layers=1, **SIZES),
    "torch_encoder": Model("torch", make_encoder, (normal(2, 10, 32),)),
    "torch_transformer": layer("Transformer", normal(2, 10, 32), normal(2, 7, 32), batch_first=True, **TRANSFORMER),
    "mamba": state_space("MambaModel", "MambaConfig", 8, hidden_size=32, num_hidden_layers=1, state_size=8),
    "mamba2": state_space("Mamba2Model", "Mamba2Config", 16, hidden_size=32, num_hidden_layers=1, state_size=8,
                          num_heads=4, head_dim=16, n_groups=1, chunk_size=8),
    "recurrent_gemma": state_space("RecurrentGemmaModel", "RecurrentGemmaConfig", 8, hidden_size=64,
                                   num_hidden_layers=3, num_attention_heads=4, intermediate_size=96, lru_width=64),
}

"""Models of sound: of torchaudio and of transformers."""
from library.encoders import SMALL
from library.model import WHOLE, Model, given, normal, tokens, transformer
from library.sequences import MARIAN


def torchaudio_model(name, settings, *inputs):
    """The first of what the model gives."""
    def make():
        import torchaudio
        from library.wrappers import First
        return First(getattr(torchaudio.models, name)(**settings))
    return Model("torchaudio", make, inputs)


CONFORMER = {"input_dim": 32, "num_heads": 4, "ffn_dim": 64, "num_layers": 2, "depthwise_conv_kernel_size": 7}
CONV_TASNET = {
    "num_sources": 2, "enc_kernel_size": 16, "enc_num_feats": 32, "msk_kernel_size": 3, "msk_num_feats": 16,
    "msk_num_hidden_feats": 32, "msk_num_layers": 3, "msk_num_stacks": 2,
}
WAVERNN = {
    "upsample_scales": [2, 2], "n_classes": 16, "hop_length": 4, "n_res_block": 2, "n_rnn": 32, "n_fc": 32,
    "n_freq": 16, "n_hidden": 16, "n_output": 16,
}
POSITIONS = SMALL | {"num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4}
SPEECH = POSITIONS | {"conv_dim": (32, 32), "conv_stride": (5, 2), "conv_kernel": (10, 3)}
SPEECH_OF_3 = POSITIONS | {"conv_dim": (32, 32, 32), "conv_stride": (5, 2, 2), "conv_kernel": (10, 3, 3)}
AST = SMALL | {"max_length": 64, "num_mel_bins": 32}
CLAP = {
    "image_size": 64, "spec_size": 64, "num_mel_bins": 16, "window_size": 4, "patch_size": 4, "patch_stride": [4, 4],
    "depths": [1, 1], "num_attention_heads": [2, 2], "patch_embeds_hidden_size": 16, "hidden_size": 32,
}
ENCODEC = {
    "num_filters": 4, "hidden_size": 16, "codebook_size": 16, "codebook_dim": 16, "upsampling_ratios": [4, 2],
    "num_lstm_layers": 1,
}
HIFIGAN = {
    "model_in_dim": 16, "upsample_initial_channel": 32, "upsample_rates": [2, 2], "upsample_kernel_sizes": [4, 4],
    "resblock_kernel_sizes": [3], "resblock_dilation_sizes": [[1, 3]],
}
SPEECH_TO_TEXT = MARIAN | {
    "input_feat_per_channel": 16, "input_channels": 1, "conv_channels": 32, "max_source_positions": 64,
    "max_target_positions": 32,
}
WHISPER = {
    "vocab_size": 99, "d_model": 64, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "encoder_ffn_dim": 96, "decoder_ffn_dim": 96, "max_source_positions": 40,
    "max_target_positions": 32, "num_mel_bins": 16, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    "decoder_start_token_id": 1,
}


def wave(length):
    return {"input_values": normal(1, length)}


def spoken(features, length):
    return {"input_features": features, "decoder_input_ids": tokens(1, length)}


MODELS = {
    "conformer": torchaudio_model("Conformer", CONFORMER, normal(2, 20, 32), given([20, 20])),
    "conv_tasnet": torchaudio_model("ConvTasNet", CONV_TASNET, normal(1, 1, 800)),
    "deepspeech": torchaudio_model("DeepSpeech", {"n_feature": 26, "n_hidden": 64, "n_class": 20},
                                   normal(1, 1, 30, 26)),
    "wav2letter": torchaudio_model("Wav2Letter", {"num_classes": 20, "input_type": "mfcc", "num_features": 13},
                                   normal(1, 13, 200)),
    "wavernn": torchaudio_model("WaveRNN", WAVERNN, normal(1, 1, 24), normal(1, 1, 16, 10)),
    "ast": transformer("ASTModel", "ASTConfig", AST, {"input_values": normal(1, 64, 32)}),
    "clap_audio": transformer("ClapAudioModel", "ClapAudioConfig", CLAP,
                              {"input_features": normal(1, 1, 64, 16), "is_longer": given([[False]])}),
    "encodec": transformer("EncodecModel", "EncodecConfig", ENCODEC, {"input_values": normal(1, 1, 320)},
                           ("audio_values",)),
    "hubert": transformer("HubertModel", "HubertConfig", SPEECH_OF_3, wave(1600)),
    "sew": transformer("SEWModel", "SEWConfig", SPEECH, wave(800)),
    "speech_to_text": transformer("Speech2TextModel", "Speech2TextConfig", SPEECH_TO_TEXT,
                                  spoken(normal(1, 40, 16), 7), has_cache=True),
    "speecht5_hifigan": transformer("SpeechT5HifiGan", "SpeechT5HifiGanConfig", HIFIGAN,
                                    {"spectrogram": normal(20, 16)}, WHOLE),
    "unispeech": transformer("UniSpeechModel", "UniSpeechConfig", SPEECH, wave(800)),
    "wav2vec2": transformer("Wav2Vec2Model", "Wav2Vec2Config", SPEECH_OF_3, wave(1600)),
    "wav2vec2_conformer": transformer("Wav2Vec2ConformerModel", "Wav2Vec2ConformerConfig", SPEECH, wave(800)),
    "wavlm": transformer("WavLMModel", "WavLMConfig", SPEECH, wave(800)),
    "whisper": transformer("WhisperModel", "WhisperConfig", WHISPER, spoken(normal(1, 16, 80), 9), has_cache=True),
}

"""Vision models of transformers: backbones, classifiers, segmentation, depth, super-resolution, video."""
from library.encoders import SMALL
from library.model import LOGITS, normal, pixels, transformer

DINOV2 = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": 32, "patch_size": 8}
VIT = DINOV2 | {"intermediate_size": 96}
DEPTHS = {"depths": [1, 1, 1, 1]}
STAGES = {"embedding_size": 16, "hidden_sizes": [16, 32], "depths": [1, 1]}
SWIN = {"image_size": 64, "embed_dim": 16, "depths": [2, 2], "num_heads": [2, 4]}

BIT = {"embedding_size": 16, "hidden_sizes": [16, 32, 48, 64], "num_groups": 4} | DEPTHS
CONVNEXT = {"hidden_sizes": [16, 32], "depths": [1, 1], "num_stages": 2}
DPT = SMALL | {"image_size": 32, "patch_size": 8, "backbone_out_indices": [0, 1, 1, 1]}
FOCALNET = {"image_size": 64, "embed_dim": 32, "depths": [1, 1]}
GLPN = {"hidden_sizes": [16, 24, 32, 48], "num_attention_heads": [1, 1, 2, 3], "decoder_hidden_size": 16} | DEPTHS
GROUPVIT = {
    "hidden_size": 32, "intermediate_size": 48, "depths": [1, 1, 1], "num_group_tokens": [8, 4, 0],
    "num_output_groups": [8, 4, 0], "num_attention_heads": 4, "image_size": 32, "patch_size": 8,
}
HIERA = {"image_size": [64, 64], "embed_dim": 16, "num_heads": [1, 2, 4, 8]} | DEPTHS
LEVIT = {
    "image_size": 64, "hidden_sizes": [32, 48, 64], "num_attention_heads": [2, 3, 4], "depths": [1, 1, 1],
    "key_dim": [8, 8, 8],
}
SAM = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": 64, "patch_size": 8,
    "window_size": 4, "global_attn_indexes": [1], "output_channels": 16, "mlp_dim": 48,
}
SEGFORMER = {
    "hidden_sizes": [16, 32], "depths": [1, 1], "num_encoder_blocks": 2, "sr_ratios": [4, 2], "patch_sizes": [7, 3],
    "strides": [4, 2], "num_attention_heads": [1, 2], "mlp_ratios": [4, 4],
}
SWIFTFORMER = {"image_size": 64, "embed_dims": [16, 24, 32, 48]} | DEPTHS
SWIN2SR = {
    "image_size": 16, "embed_dim": 24, "depths": [1, 1], "num_heads": [2, 2], "window_size": 4, "upscale": 2,
}
SWIN_OF_32 = {
    "image_size": 64, "patch_size": 4, "embed_dim": 32, "depths": [2, 2], "num_heads": [2, 4], "window_size": 4,
}
YOLOS = VIT | {"image_size": [32, 32], "num_detection_tokens": 5}

AT_64 = {"image_size": 64}
P64 = pixels(64)


def frames(count):
    return {"pixel_values": normal(1, count, 3, 32, 32)}


# Left out, as they could not be exported: CvT (list index out of range), the ResNet of RT-DETR (gives a tuple of maps,
# no tensor), DETR (wants to download its backbone).
MODELS = {
    "beit": transformer("BeitModel", "BeitConfig", VIT | {"use_relative_position_bias": True}, pixels()),
    "bit": transformer("BitModel", "BitConfig", BIT, P64),
    "blip_vision": transformer("BlipVisionModel", "BlipVisionConfig", VIT, pixels()),
    "clip_vision": transformer("CLIPVisionModel", "CLIPVisionConfig", VIT, pixels()),
    "convnextv2": transformer("ConvNextV2Model", "ConvNextV2Config", CONVNEXT, P64),
    "deit": transformer("DeiTModel", "DeiTConfig", VIT, pixels()),
    "depth_anything": transformer("DepthAnythingForDepthEstimation", "DepthAnythingConfig", {}, pixels(28, batch=1),
                                  ("predicted_depth",)),
    "dinov2": transformer("Dinov2Model", "Dinov2Config", DINOV2, pixels()),
    "dinov2_registers": transformer("Dinov2WithRegistersModel", "Dinov2WithRegistersConfig", DINOV2, pixels()),
    "dinov3": transformer("DINOv3ViTModel", "DINOv3ViTConfig", VIT, pixels()),
    "donut_swin": transformer("DonutSwinModel", "DonutSwinConfig", SWIN | {"window_size": 4}, P64),
    "dpt": transformer("DPTModel", "DPTConfig", DPT, pixels()),
    "efficientnet_hf": transformer("EfficientNetModel", "EfficientNetConfig", AT_64, P64),
    "focalnet": transformer("FocalNetModel", "FocalNetConfig", FOCALNET, P64),
    "glpn": transformer("GLPNForDepthEstimation", "GLPNConfig", GLPN, P64, ("predicted_depth",)),
    "groupvit": transformer("GroupViTVisionModel", "GroupViTVisionConfig", GROUPVIT, pixels(batch=1)),
    "hiera": transformer("HieraModel", "HieraConfig", HIERA, P64),
    "ijepa": transformer("IJepaModel", "IJepaConfig", VIT, pixels()),
    "levit": transformer("LevitModel", "LevitConfig", LEVIT, P64),
    "mobilenet_v1": transformer("MobileNetV1Model", "MobileNetV1Config", AT_64, P64),
    "mobilenet_v2_hf": transformer("MobileNetV2Model", "MobileNetV2Config", AT_64, P64),
    "mobilevit": transformer("MobileViTModel", "MobileViTConfig", AT_64, P64),
    "mobilevitv2": transformer("MobileViTV2Model", "MobileViTV2Config", AT_64 | {"width_multiplier": 0.25}, P64),
    "poolformer": transformer("PoolFormerModel", "PoolFormerConfig", {}, P64),
    "pvt_v2": transformer("PvtV2Model", "PvtV2Config", AT_64, P64),
    "regnet_hf": transformer("RegNetModel", "RegNetConfig", STAGES | {"groups_width": 8}, P64),
    "resnet_hf": transformer("ResNetModel", "ResNetConfig", STAGES, P64),
    "sam_vision": transformer("SamVisionModel", "SamVisionConfig", SAM, pixels(64, batch=1)),
    "segformer": transformer("SegformerModel", "SegformerConfig", SEGFORMER, P64),
    "segformer_segmentation": transformer("SegformerForSemanticSegmentation", "SegformerConfig", SEGFORMER, P64,
                                          LOGITS),
    "siglip_vision": transformer("SiglipVisionModel", "SiglipVisionConfig", VIT, pixels()),
    "swiftformer": transformer("SwiftFormerModel", "SwiftFormerConfig", SWIFTFORMER, P64),
    "swin2sr": transformer("Swin2SRForImageSuperResolution", "Swin2SRConfig", SWIN2SR, pixels(16, batch=1),
                           ("reconstruction",)),
    "swin_classifier": transformer("SwinForImageClassification", "SwinConfig", SWIN | {"window_size": 8}, P64, LOGITS),
    "swin_hf": transformer("SwinModel", "SwinConfig", SWIN_OF_32, P64),
    "swinv2_hf": transformer("Swinv2Model", "Swinv2Config", SWIN | {"patch_size": 4, "window_size": 4}, P64),
    "textnet": transformer("TextNetModel", "TextNetConfig", {}, pixels(64, batch=1)),
    "timesformer": transformer("TimesformerModel", "TimesformerConfig", VIT | {"num_frames": 2}, frames(2)),
    "upernet": transformer("UperNetForSemanticSegmentation", "UperNetConfig", {}, pixels(64, batch=1), LOGITS),
    "videomae": transformer("VideoMAEModel", "VideoMAEConfig", VIT | {"num_frames": 4, "tubelet_size": 2}, frames(4)),
    "vit": transformer("ViTModel", "ViTConfig", VIT, pixels()),
    "vit_msn": transformer("ViTMSNModel", "ViTMSNConfig", VIT, pixels()),
    "vivit": transformer("VivitModel", "VivitConfig", VIT | {"num_frames": 4, "tubelet_size": [2, 8, 8]}, frames(4)),
    "yolos": transformer("YolosModel", "YolosConfig", YOLOS, pixels()),
}

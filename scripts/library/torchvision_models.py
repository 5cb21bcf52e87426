"""Models of torchvision: classifiers, segmentation, video; small Swin transformers made of its parts."""
from library.model import Model, normal


def classifier(name, size=64, **options):
    """A registered model at a width and height of `size`."""
    def make():
        import torchvision
        return torchvision.models.get_model(name, weights=None, **options)
    return Model("torchvision", make, (normal(2, 3, size, size),))


def segmentation(name, size=64):
    def make():
        import torchvision
        from library.wrappers import Entry
        return Entry(torchvision.models.get_model(name, weights=None, weights_backbone=None, num_classes=5), "out")
    return Model("torchvision", make, (normal(1, 3, size, size),))


def video(name):
    def make():
        import torchvision
        return getattr(torchvision.models.video, name)()
    return Model("torchvision", make, (normal(1, 3, 4, 32, 32),))


def small_swin(version=1, size=64, window=7):
    """Two stages of a Swin transformer; a window that does not divide the map is padded."""
    def make():
        from torchvision.models import swin_transformer as swin
        parts = {}
        if version == 2:
            parts = {"block": swin.SwinTransformerBlockV2, "downsample_layer": swin.PatchMergingV2}
        return swin.SwinTransformer(patch_size=[4, 4], embed_dim=16, depths=[2, 2], num_heads=[2, 4],
                                    window_size=[window, window], num_classes=10, **parts)
    return Model("torchvision", make, (normal(2, 3, size, size),))


# Without their second output, which only training uses, and without an initialisation that takes minutes.
INCEPTION = {"init_weights": False, "aux_logits": False}

MODELS = {
    "alexnet": classifier("alexnet", 96),
    "convnext_tiny": classifier("convnext_tiny"),
    "densenet121": classifier("densenet121"),
    "densenet121_75": classifier("densenet121", 75),
    "efficientnet_b0": classifier("efficientnet_b0"),
    "efficientnet_b3": classifier("efficientnet_b3", 75),
    "efficientnet_v2_s": classifier("efficientnet_v2_s"),
    "googlenet": classifier("googlenet", 96, **INCEPTION),
    "inception_v3": classifier("inception_v3", 139, **INCEPTION),
    "maxvit_t": classifier("maxvit_t", 224),
    "mnasnet0_5": classifier("mnasnet0_5", 96),
    "mnasnet1_0": classifier("mnasnet1_0"),
    "mobilenet_v2": classifier("mobilenet_v2"),
    "mobilenet_v3_large": classifier("mobilenet_v3_large"),
    "mobilenet_v3_small": classifier("mobilenet_v3_small"),
    "regnet_x_400mf": classifier("regnet_x_400mf"),
    "regnet_y_400mf": classifier("regnet_y_400mf"),
    "regnet_y_400mf_75": classifier("regnet_y_400mf", 75),
    "resnet18": classifier("resnet18", 224),
    "resnet50": classifier("resnet50"),
    "resnext50": classifier("resnext50_32x4d"),
    "shufflenet_v2_x0_5": classifier("shufflenet_v2_x0_5"),
    "shufflenet_v2_x1_0": classifier("shufflenet_v2_x1_0"),
    "squeezenet": classifier("squeezenet1_1"),
    "swin_t": classifier("swin_t"),
    "swin_v2_t": classifier("swin_v2_t"),
    "vgg11_bn": classifier("vgg11_bn"),
    "vgg16": classifier("vgg16", 32),
    "vit_b_16": classifier("vit_b_16", 224),
    "wide_resnet50": classifier("wide_resnet50_2", 32),
    "swin_small": small_swin(),
    "swin_small_112": small_swin(size=112),
    "swin_small_v2": small_swin(version=2),
    "swin_small_window4": small_swin(window=4),
    "deeplabv3_mobilenet": segmentation("deeplabv3_mobilenet_v3_large"),
    "fcn_resnet50": segmentation("fcn_resnet50"),
    "lraspp_mobilenet": segmentation("lraspp_mobilenet_v3_large"),
    "mc3_18": video("mc3_18"),
    "r2plus1d_18": video("r2plus1d_18"),
    "r3d_18": video("r3d_18"),
}

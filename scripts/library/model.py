"""How the tables of this package describe a model: what makes it, and what it is fed.

Nothing here imports torch or a library before a model is made: the tables can be read where there is none.
"""
import dataclasses
from collections.abc import Callable

VOCABULARY = 99  # of every model that reads tokens; those below 3 mean padding, beginning and end
HIDDEN = ("last_hidden_state",)
LOGITS = ("logits",)
WHOLE = (slice(None),)  # of a model that gives a tensor, not results by name


@dataclasses.dataclass(frozen=True)
class Model:
    library: str  # the package that it comes from
    make: Callable  # gives the module, with random weights
    inputs: tuple  # in the order of its arguments, each a function of torch that draws the tensor


def normal(*shape):
    return lambda torch: torch.randn(*shape)


def uniform(*shape):
    return lambda torch: torch.rand(*shape)


def ones(*shape):
    return lambda torch: torch.ones(*shape)


def tokens(batch, length):
    return lambda torch: torch.randint(3, VOCABULARY, (batch, length))


def given(values):
    return lambda torch: torch.tensor(values)


def mask(*shape, padding=0):
    """Ones of int64; the last `padding` places of the last row are 0."""
    def draw(torch):
        drawn = torch.ones(*shape, dtype=torch.int64)
        drawn[-1, shape[1] - padding:] = 0
        return drawn
    return draw


TOKENS = {"input_ids": tokens(2, 24)}
PADDED = {"input_ids": tokens(2, 24), "attention_mask": mask(2, 24, padding=7)}


def pixels(size=32, batch=2):
    return {"pixel_values": normal(batch, 3, size, size)}


def transformer(name, configuration, settings, inputs, results=HIDDEN, attention=None, has_cache=False):
    """A model of transformers, made of its configuration, that is fed `inputs` by name and gives `results` of it.

    attention: "eager" for products and a softmax; what PyTorch gives in one function (SDPA) where left out
    has_cache: it would give its keys and values, too, and is told not to
    """
    def make():
        import transformers
        from library.wrappers import Named
        config = getattr(transformers, configuration)(**settings)
        if attention:
            config._attn_implementation = attention
        return Named(getattr(transformers, name)(config), list(inputs), results, has_cache)
    return Model("transformers", make, tuple(inputs.values()))

"""Architectures of torchvision, torchaudio, torch.nn and transformers, small and with random weights.

Each module with a table MODELS says in a line a model what makes it and what it is fed; scripts/library_models.py
exports and verifies them. They were tried with torch 2.11, torchvision 0.26, torchaudio 2.11 and transformers 5.17.
"""
from library import audio, decoders, encoders, mixed, recurrent, sequences, torchvision_models, vision

TABLES = (torchvision_models, encoders, decoders, sequences, recurrent, vision, audio, mixed)


def all_models():
    """Every table's models by name."""
    models = {}
    for table in TABLES:
        for name, model in table.MODELS.items():
            if name in models:
                raise ValueError(f"two models are called {name}; one is in {table.__name__}")
            models[name] = model
    return models

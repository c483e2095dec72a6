"""The scripted model: small, deterministic, without a network. It answers where there is no provider, in `--dev` and in demos."""

from handgriff.models.scripted.model import ScriptedModel
from handgriff.models.scripted.script import Say, Step, Use

__all__ = ["Say", "ScriptedModel", "Step", "Use"]

"""A parcel depot's assistant: codes are scanned over many turns into the scratch pad, and relabeled in one confirmed step."""

from examples.relabeling.application import assistant

__all__ = ["assistant"]

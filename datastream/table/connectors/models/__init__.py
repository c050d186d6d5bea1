"""What runs models: the providers that the option ``provider`` names."""

from .providers import RunnableModel, runnable

__all__ = ["RunnableModel", "runnable"]

"""Services that speak the OpenAI chat protocol, by name: where they are, and which key is theirs. One table.

A key of this table goes to the address beside it and nowhere else (ADR 0016).
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Provider:
    """One service. `structured` says how it takes a JSON Schema: as a field of the request, or in words."""

    name: str
    address: str
    key_names: tuple[str, ...] = ()
    structured: Literal["native", "prompted"] = "native"
    model: str | None = None


PROVIDERS: tuple[Provider, ...] = (
    Provider("ollama", "http://127.0.0.1:11434/v1"),
    Provider("llamacpp", "http://127.0.0.1:8080/v1", model="default"),
    Provider("lmstudio", "http://127.0.0.1:1234/v1"),
    Provider("vllm", "http://127.0.0.1:8000/v1"),
    Provider("openai", "https://api.openai.com/v1", ("OPENAI_API_KEY",)),
    Provider("gemini", "https://generativelanguage.googleapis.com/v1beta/openai", ("GEMINI_API_KEY", "GOOGLE_API_KEY")),
    Provider("anthropic", "https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",), "prompted"),
    Provider("mistral", "https://api.mistral.ai/v1", ("MISTRAL_API_KEY",)),
    Provider("groq", "https://api.groq.com/openai/v1", ("GROQ_API_KEY",), "prompted"),
    Provider("deepseek", "https://api.deepseek.com/v1", ("DEEPSEEK_API_KEY",), "prompted"),
    Provider("openrouter", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",), "prompted"),
)
ENDPOINT = Provider("endpoint", "", structured="prompted")
"""Any other server: nothing is known of it but the address that the settings name."""
NOT_SERVED = ("rules", "command", "recorded")
BACKENDS = (*NOT_SERVED, ENDPOINT.name, *(provider.name for provider in PROVIDERS))


def provider_named(name: str) -> Provider | None:
    """Returns the service of a name, None when it names none."""
    return next((provider for provider in (*PROVIDERS, ENDPOINT) if provider.name == name), None)


def is_loopback(address: str) -> bool:
    """Tells whether an address stays on this machine."""
    try:
        host = urlsplit(address.strip()).hostname or ""
        return host == "localhost" or host.endswith(".localhost") or ip_address(host).is_loopback
    except ValueError:
        return False

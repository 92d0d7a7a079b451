"""One request to a chat endpoint through pydantic-ai: typed answer, validation retry, usage limits.

Imported at the first request only, since its libraries take over a second to load. Each request has its own
client and its own event loop in a thread, so that it can be made from code that runs in a loop already.
"""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any, cast

import httpx2
from openai import AsyncOpenAI, OpenAIError
from pydantic_ai import Agent, NativeOutput, PromptedOutput
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelHTTPError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
    UserError,
)
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

from brain.core.asking import Cost, Failure, FailureKind, Reply, Request, estimated_cost
from brain.judging import UNLIMITED
from brain.models.chat.endpoint import Place
from brain.models.chat.shown import shown
from brain.models.chat.transport import Guarded

NO_KEY = "none"
BYTES_PER_CHARACTER_MAX = 8  # JSON may write a character as \\uXXXX, and wraps the reply in its own fields
TOKENS_BELIEVED_MAX = 100_000_000
BUSY_RETRIES = 2
_ONLY_OPENAI = "openai"
_CURE = "check that it runs, and provider, endpoint and model under [judge] in brain.toml"
_UNUSABLE = (UnexpectedModelBehavior, UserError, ValueError, TypeError, KeyError, AttributeError, IndexError)


def ask_served(place: Place, request: Request) -> Reply | Failure:
    """Asks once, within the time limit of the request; what the server counted is the cost."""
    started = time.monotonic()
    call = _Call(place, request)
    thread = threading.Thread(target=call.run, daemon=True, name="chat")
    thread.start()
    thread.join()
    if call.broken is not None:
        raise call.broken
    assert call.outcome is not None
    text, failure = call.outcome
    cost = _cost(request, text, call.usage, time.monotonic() - started)
    return Reply(text, cost) if failure is None else Failure(failure[0], failure[1], failure[2], cost)


class _Call:
    """One call and what came of it: a text, or why there is none."""

    def __init__(self, place: Place, request: Request) -> None:
        self._place = place
        self._request = request
        self.usage = RunUsage()
        self.outcome: tuple[str, tuple[FailureKind, str, str] | None] | None = None
        self.broken: BaseException | None = None
        """What nobody expected: it is raised where the call was made, not lost in its thread."""

    def run(self) -> None:
        """Fills `outcome`, or `broken`."""
        try:
            self._run()
        except BaseException as error:  # noqa: BLE001 - handed on to the thread that waits
            self.broken = error

    def _run(self) -> None:
        guard = Guarded(self._place, answer_bytes_max=BYTES_PER_CHARACTER_MAX * self._request.reply_chars_max)
        try:
            text = asyncio.run(self._answer(guard))
        except TimeoutError:
            self._fail("timeout", f"gave no answer within {self._request.timeout_s:g} s", "raise [judge] timeout_s, or use a faster model")
        except UsageLimitExceeded as error:
            self._fail("over_limit", f"was stopped: {self._shown(error)}", "raise the token limits of [judge] in brain.toml")
        except (AgentRunError, OpenAIError, httpx2.HTTPError, OSError, *_UNUSABLE) as error:
            self._fail(*(guard.trouble or self._trouble(error)), _CURE)
        else:
            self.outcome = (text, None)

    async def _answer(self, guard: Guarded) -> str:
        place, request = self._place, self._request
        async with asyncio.timeout(request.timeout_s), httpx2.AsyncClient(transport=guard, follow_redirects=False, trust_env=False) as http:
            client = AsyncOpenAI(
                api_key=place.api_key or NO_KEY, base_url=place.address, timeout=request.timeout_s, max_retries=BUSY_RETRIES, http_client=http,
            )  # fmt: skip
            model = _model(place, client)
            output = NativeOutput(request.shape) if place.provider.structured == "native" else PromptedOutput(request.shape)
            retries = self._retries()
            agent = Agent(model, output_type=output, instructions=request.instructions, retries=retries)
            limits = UsageLimits(request_limit=1 + retries)
            result = await agent.run(request.data, usage=self.usage, usage_limits=limits, model_settings=_settings(model, request))
            return result.output.model_dump_json()

    def _retries(self) -> int:
        """As many as the settings allow and the tokens suffice for: a retry sends everything again, and the reply with it."""
        once = estimated_cost(self._request).tokens + _reply_tokens(self._request)
        return max(0, min(self._place.retries_max, self._request.tokens_max // once - 1))

    def _trouble(self, error: Exception) -> tuple[FailureKind, str]:
        if isinstance(error, ModelHTTPError):
            return "refused", f"refused (HTTP {error.status_code}: {self._shown(error.body or 'no reason given')})"
        if isinstance(error, _UNUSABLE):
            return "malformed", f"gave no usable answer ({self._shown(error)})"
        if isinstance(error, ModelAPIError) and "Error code: 3" in str(error):
            return "refused", "redirects, and redirects are not followed"
        return "unreachable", f"could not be reached ({self._shown(error)})"

    def _shown(self, said: object) -> str:
        return shown(str(said) or type(said).__name__, self._place.api_key)

    def _fail(self, kind: FailureKind, what: str, cure: str) -> None:
        self.outcome = ("", (kind, f"The language model at {self._place.host} {what}.", cure))


def _model(place: Place, client: AsyncOpenAI) -> OpenAIChatModel:
    """Only OpenAI itself is asked with the newer name of the reply limit; what we ask for is taken for supported."""
    profile = OpenAIModelProfile(supports_json_schema_output=True, openai_chat_supports_max_completion_tokens=place.provider.name == _ONLY_OPENAI)
    provider = OpenAICompatibleProvider(place.provider.name, openai_client=client, profile=profile)
    return OpenAIChatModel(place.model, provider=provider)


def _settings(model: OpenAIChatModel, request: Request) -> ModelSettings:
    """The same question should get the same answer; models that reason take no temperature."""
    settings = ModelSettings(timeout=request.timeout_s)
    if _reply_tokens(request):
        settings["max_tokens"] = _reply_tokens(request)
    if not cast(dict[str, Any], model.profile).get("openai_supports_reasoning"):
        settings["temperature"] = 0.0
    return settings


def _reply_tokens(request: Request) -> int:
    """How long a reply may be, 0 when it may be of any length: no server takes a number that large."""
    return request.reply_tokens_max if request.reply_tokens_max < UNLIMITED else 0


def _cost(request: Request, text: str, usage: RunUsage, seconds: float) -> Cost:
    """What the server counted; an estimate where it counted nothing, or what nobody can believe."""
    counted = usage.input_tokens + usage.output_tokens
    estimate = estimated_cost(request, text, seconds=seconds)
    if not 0 < counted <= TOKENS_BELIEVED_MAX:
        return estimate
    return Cost(counted, False, estimate.characters, seconds)

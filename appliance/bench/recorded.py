"""A whole call with a recorded caller on a freshly opened box: for the demo and for ``bench turn``."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from appliance.adapters.voice.agent import TurnMarks
from appliance.adapters.voice.caller_folder import CallerFolder
from appliance.adapters.voice.line import RATE
from appliance.adapters.voice.recorded_call import HeldCall, Senses, hold_call
from appliance.adapters.voice.recorded_caller import first_audible
from appliance.adapters.voice.report import CallReport, as_json, turn_reports
from appliance.adapters.voice.report_page import render_page
from appliance.config import CHECKOUT, load_paths
from appliance.conversation.events import SomethingFailed, TurnTimed
from appliance.errors import EngineError
from appliance.speech.answers import load_answers
from appliance.speech.vad import VoiceModel
from appliance.wiring import Appliance, Business, Call, greeting, moment, open_appliance

ENGINES = ("stt", "language_model", "tts")
Tell = Callable[[str], None]
Show = Callable[[TurnMarks], None]


async def hold_recorded_call(
    caller: CallerFolder,
    *,
    tenant: str,
    language: str,
    now: datetime | None,
    records: Path,
    tell: Tell,
    show: Show,
) -> tuple[CallReport, HeldCall, Path]:
    """Open the box, hold the call, close the box. Returns report, sound and the path of the JSONL."""
    async with open_appliance(
        load_paths(), tenant, engines=ENGINES, languages=(language,), records=records, now=now, tell=tell
    ) as (appliance, business):
        senses = await make_senses(appliance, business, (language,))
        return await one_call(appliance, business, senses, caller, language, show)


async def make_senses(appliance: Appliance, business: Business, languages: tuple[str, ...]) -> Senses:
    """The engines' clients, with greeting and bridge sentences prepared."""
    voice = appliance.voice(languages)
    for language in languages:
        await voice.prepare((greeting(business, language), moment(business, language)), language)
    return Senses(
        appliance.hearing,
        voice,
        VoiceModel(),
        {one: load_answers(appliance.paths.knowledge / "answers", one) for one in languages},
        business.profile.vocabulary.categories,
        lambda one: moment(business, one),
        appliance.recovered,
        lambda _engine, _error: None,
    )


async def one_call(
    appliance: Appliance, business: Business, senses: Senses, caller: CallerFolder, language: str, show: Show
) -> tuple[CallReport, HeldCall, Path]:
    """One call on an open box."""
    call = appliance.call(business, "voice", language, caller.card.caller)
    began = business.clock.now()

    def failed(engine: str, error: EngineError) -> None:
        call.journal.write(SomethingFailed(business.clock.now(), engine, error.code, type(error).__name__))

    def timed(marks: TurnMarks) -> None:
        call.journal.write(TurnTimed(business.clock.now(), marks.parts()))
        show(marks)

    held = await hold_call(call.session, replace(senses, failed=failed), caller, timed)
    await call.close()
    return _report(appliance, business, call, held, began), held, call.journal.path


def _report(
    appliance: Appliance, business: Business, call: Call, held: HeldCall, began: datetime
) -> CallReport:
    heard = first_audible(held.recording.assistant, 0)
    return CallReport(
        tenant=business.profile.id,
        language=call.session.language,
        outcome=call.session.outcome.value,
        started=began.isoformat(timespec="seconds"),
        duration_s=len(held.recording.caller) / RATE,
        greeting=greeting(business, call.session.language),
        greeting_s=heard / RATE if heard is not None else None,
        turns=turn_reports(held.spoken, held.marks, held.recording, held.opened),
        records=appliance.written(call.id),
        unheard=tuple(f"{one.text} ({one.judgement.verdict}: {one.judgement.reason})" for one in held.noises),
        late_frames=held.late_frames,
        versions=appliance.versions,
    )


def write_call(out: Path, report: CallReport, held: HeldCall, journal: Path) -> None:
    """``call.wav``, ``call.jsonl``, ``report.json`` and ``report.html`` in ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    held.recording.write(str(out / "call.wav"))
    shutil.copyfile(journal, out / "call.jsonl")
    data = json.dumps(as_json(report), ensure_ascii=False, indent=1)
    (out / "report.json").write_text(data + "\n", encoding="utf-8")
    page = render_page(report, held.recording, CHECKOUT / "web" / "templates")
    (out / "report.html").write_text(page, encoding="utf-8")

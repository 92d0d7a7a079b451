"""Which names a model may give to a durable thing. Pure: a reason to refuse, or none.

Refused are what is no name (paths, markup, control characters), what names no one thing ("the meeting",
"mein Chef"), and what names a time ("March 2026", "Q3"). Words of several languages; more come from `vague_names`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from brain.core.ids import fold
from brain.models.judge.words import is_hidden

NAME_CHARS_MAX = 80
WORDS_MAX = 10
_FORBIDDEN = re.compile(r"[\[\]{}<>|#^\\/`\r\n]")
_ASIDE = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ELISION = re.compile(r"\b(?:[dlmnst]|qu|un|dell|all|nell|sull)['’]|['’]s\b")
_NUMERAL = re.compile(r"\d+|q[1-4]|h[12]|kw\d+|w\d+|cw\d+|\d+(?:st|nd|rd|th|er|e|º|ª)|\d+[年月日]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SMALL = _words("""
a an the this that these those my your our his her their its some any of in on at for with and or to from about new old other another next last der
die das den dem des ein eine einen einem eines mein meine meinem meinen unser unsere dieser diese dieses jener und oder mit von vom zum zur im am neue
neuer neues le la les l un une mon ma mes notre nos votre ce cet cette ces et ou de du d au aux avec sur nouveau nouvelle el los las una unos unas mi
mis tu su sus nuestro nuestra este esta estos y o del con por para il lo gli i uno mio mia miei nostro nostra questo questa e ed di della dei nel per
os as um uma meu minha nosso nossa do da no na em het een mijn onze dit dat van en met
""")
_VAGUE = _words("""
meeting meetings call calls project projects thing things stuff team teams company person people man woman guy friend friends colleague colleagues
boss manager client clients customer customers user users someone somebody everyone everybody anyone nobody something anything everything nothing idea
ideas plan plans problem problems issue issues task tasks decision decisions question questions answer answers document documents file files note
notes email emails message messages place office city country conversation discussion talk article book paper link website page app tool system
product feature it he she they we you me us him them who what here there speaker author owner assistant agent treffen besprechung termin anruf
gespräch projekt projekte sache sachen ding dinge leute mann frau freund freundin kollege kollegin kollegen chef chefin firma unternehmen kunde kundin
kunden idee aufgabe frage antwort dokument datei notiz jemand niemand etwas alles nichts er sie es wir ihr ihnen ort stadt büro seite buch nutzer
réunion appel projet projets chose choses équipe entreprise société personne gens homme femme ami amie collègue patron cliente idée problème tâche
réponse fichier quelqu'un quelque rien tout il elle ils elles nous vous on lieu ville bureau livre reunión llamada proyecto cosa cosas equipo empresa
persona gente hombre mujer amigo amiga colega jefe jefa problema tarea pregunta respuesta documento archivo alguien algo nada todo él ella ellos
riunione chiamata progetto squadra azienda uomo donna amico amica collega capo compito domanda risposta qualcuno qualcosa niente tutto lui lei loro
noi reunião chamada projeto coisa equipe pessoa homem mulher chefe ideia tarefa alguém tudo ele ela 会议 项目 公司 团队 东西 事情 问题 朋友 同事 老板 客户 他 她 它 我 我们 他们 某人
大家 会議 会社 彼 彼女 私 誰か 何か 友達 問題 회의 회사 그 그녀 친구 문제
""")
_MONTHS = _words("""
january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec januar februar
märz mai juni juli oktober dezember jänner janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo abril
mayo junio julio agosto septiembre octubre noviembre diciembre gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre monday tuesday
wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi
dimanche lunes martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica spring summer autumn fall
winter frühling sommer herbst printemps été automne hiver primavera verano otoño invierno estate autunno inverno
""")
_PERIODS = _words("""
week weeks weekend month months year years quarter day days today tomorrow yesterday morning afternoon evening night now later soon half season
semester term woche wochenende monat jahr quartal tag heute morgen gestern abend nacht jetzt semaine mois année an trimestre jour aujourd'hui demain
hier matin soir semana mes año día hoy mañana ayer noche settimana mese anno giorno oggi domani ieri sera 今天 明天 昨天 今年 去年 明年 本周 下周 今日 明日 昨日 来週 今週 来月 오늘
내일 어제
""")


def clean_name(written: str) -> str:
    """Returns a name in the form it is kept: NFC, single spaces."""
    return re.sub(" +", " ", unicodedata.normalize("NFC", written)).strip(" ")


def why_no_name(name: str, *, is_person: bool = False, vague: Collection[str] = ()) -> str | None:
    """Returns why a text cannot name a durable thing, None when it can. `vague` are more words of a person's own."""
    if not name or len(name) > NAME_CHARS_MAX or len(name.split()) > WORDS_MAX:
        return "name-length"
    if any(is_hidden(c) for c in name) or name != clean_name(name):
        return "name-characters"
    if _FORBIDDEN.search(name) or ".." in name or fold(name).endswith(".md") or "::" in name:
        return "name-path-or-markup"
    if not any(c.isalnum() for c in name):
        return "name-characters"
    return _why_vague(name, is_person=is_person, vague=vague)


def _why_vague(name: str, *, is_person: bool, vague: Collection[str]) -> str | None:
    own = {fold(word) for word in vague}
    bare = fold(_ASIDE.sub("", name)) or fold(name)
    if fold(name) in own or bare in own:
        return "name-vague"
    words = [word for word in _WORD.findall(_ELISION.sub(" ", bare)) if word not in _SMALL]
    is_first_name = is_person and len(words) == 1  # April, May, Summer
    if all(_NUMERAL.fullmatch(word) or word in _PERIODS or (word in _MONTHS and not is_first_name) for word in words):
        return "name-period" if words else "name-vague"
    return "name-vague" if all(word in _VAGUE or word in own or _NUMERAL.fullmatch(word) for word in words) else None

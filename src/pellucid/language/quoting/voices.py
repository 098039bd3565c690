"""The text of a turn in, whose words its parts are out: the speaker's own, or somebody's quoted or pasted words."""

import re

from pellucid.language.quoting.pasted import own_words, pasted_words
from pellucid.language.words import words
from pellucid.text_cache import text_cache

_KINDS = (
    "page|article|readme|issue|ticket|e-?mail|docs|document|documentation|logs?|output|blog|post|thread|message|letter|"
    "comment|website|site|wiki|changelog|pdf|snippet|newsletter|invoice|seite|artikel|dokument|doku|ausgabe|nachricht|"
    "página|artículo|correo|documento|salida|mensaje|mensagem|artigo|saída|courriel|message|courrier|sortie|"
    "письм\\w*|сообщени\\w*|стать\\w*|страниц\\w*|документ\\w*|вывод\\w*|메일\\w*|메시지\\w*|문서\\w*|페이지\\w*|기사\\w*|"
    "رسالة|بريد|صفحة|مقال|وثيقة|البريد|الرسالة|الصفحة"
)
_LEAD_IN = re.compile(
    rf"^(?=.{{3,160}}$)(?:.*\b(?:{_KINDS})\b(?:(?![.!?]\s).){{0,60}}"
    r"|.*(?:ページ|記事|メール|文書|資料|ログ|出力|网页|文章|邮件|文档|日志|输出|页面).{0,30})[:：]\s*$",
    re.IGNORECASE,
)
_PASTED = re.compile(
    r"^\W{0,6}(?:pasted?|copied|quot(?:e|ed|ing)|forwarded|begin|eingefügt|kopiert|pegado|copiado|colado|collé|copié|"
    r"encaminhada|transféré|вставлено|скопировано|переслан\w*|붙여넣\w*|전달|貼り付け|粘贴|转发)\b.{0,80}$",
    re.IGNORECASE,
)
_MAIL_FIELD = re.compile(
    r"^\W{0,3}(?P<name>from|to|cc|date|sent|subject|reply-to|von|an|gesendet|betreff|datum|"
    r"de|para|asunto|enviado|assunto|fecha|data|"
    r"à|objet|envoyé|от|кому|тема|дата|отправлено|보낸 사람|받는 사람|제목|날짜|من|إلى|الموضوع|التاريخ|"
    r"差出人|宛先|件名|送信日時|日時|发件人|收件人|主题|日期)"
    r"\s{0,2}[:：]\s?\S",
    re.IGNORECASE,
)
_WROTE = re.compile(r"^.{3,120}\b(?:wrote|schrieb|escribió|escreveu|a écrit|написал\w*)\s?:\s*$", re.IGNORECASE)
_SAID = re.compile(
    '“([^”]{24,800})”|"([^"\n]{24,800})"|«([^»]{24,800})»|「([^」]{10,800})」|『([^』]{10,800})』|„([^“”]{24,800})[“”]'
    "|(?<!\\w)'([^'\n]{24,800})'(?![a-z0-9])|‘([^‘’]{24,800})’"
)


@text_cache(256)
def foreign_and_own(text: str, *, of_agent: bool = False) -> tuple[str, str]:
    """Return two texts: the lines of a turn that are pasted or quoted, and the speaker's own lines.

    Either can be empty. They are told apart by form (`pasted.spans`; with `of_agent`, an agent wrote the turn), and all
    lines are foreign after a lead-in: `the log says:`, `pasted from …`, `Ada wrote:`, or the second field of a mail's
    header in a row. The lead-in itself is in neither text.
    """
    foreign, own = [pasted_words(text, of_agent=of_agent)], list[str]()
    is_led_in, fields = False, 0
    for line in own_words(text, of_agent=of_agent).splitlines():
        fields = fields + 1 if _MAIL_FIELD.match(line) else 0
        if is_led_in:
            foreign.append(line)
        elif _LEAD_IN.match(line) or _PASTED.match(line) or _WROTE.match(line) or fields > 1:
            is_led_in = True
        else:
            own.append(line)
    return "\n".join(part for part in foreign if part), "\n".join(own)


def is_mostly_foreign(text: str) -> bool:
    """Whether at least half of a person's turn's words are in lines that are pasted or quoted; false if none is."""
    foreign, own = foreign_and_own(text)
    return bool(foreign.strip()) and len(words(foreign)) >= len(words(own))


def quoted(text: str) -> list[str]:
    """Return the parts of a text between quotation marks, without the marks, in order: those of 24 to 800 characters,
    of 10 to 800 between Japanese marks.
    """
    return [next(part for part in found.groups() if part) for found in _SAID.finditer(text)]

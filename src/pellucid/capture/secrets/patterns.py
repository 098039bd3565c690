"""Nothing in, the table of credentials with a form of their own out: a mark to search for and the shape after it.

Each rule is tried only at its mark, and every repetition is bounded, so that the cost is linear in the text. The shapes
are those the vendors publish.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import groupby

START = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt])|(?<=\\u00[0-9a-fA-F]{2})|(?<=%[0-9a-fA-F]{2}))"
"""The beginning of a word; an escaped newline (`\\n`) or a percent escape before it is not part of the word."""
END = r"(?![A-Za-z0-9_])"
_NOT_IN_BASE64 = r"(?<![A-Za-z0-9/+][+/])"


@dataclass(frozen=True, slots=True)
class SecretRule:
    """The form of one vendor's credential.

    `marks` are strings to search for; `form` is the pattern, of which the group `secret` (else all) is removed. `back`
    is how many characters before the mark a match can begin, `begins` whether the mark begins a word, and `accept` a
    check of a match that the pattern cannot express (`bool` accepts all).
    """

    type: str
    marks: tuple[str, ...]
    form: str
    back: int = 0
    accept: Callable[[re.Match[str]], bool] = bool
    begins: bool = True

    @property
    def shape(self) -> re.Pattern[str]:
        """The form as a pattern, compiled on first use."""
        return _compiled(self.form)


@cache
def _compiled(form: str) -> re.Pattern[str]:
    """Return a pattern compiled; each is compiled only once."""
    return re.compile(form)


def _is_varied(match: re.Match[str]) -> bool:
    """Whether the group `body` of a match has a digit, and a capital or no hyphen: it is then not a hyphenated name."""
    body = match["body"]
    return any(map(str.isdigit, body)) and (body != body.lower() or "-" not in body)


def _has_both_cases(match: re.Match[str]) -> bool:
    """Whether the group `body` of a match has capitals and small letters."""
    return match["body"] != match["body"].lower() and match["body"] != match["body"].upper()


def _prefix_rule(
    name: str, marks: str, body: str, accept: Callable[[re.Match[str]], bool] = bool, *, also: str = ""
) -> SecretRule:
    """Return the rule for credentials of the type `name`: one of the marks (separated by spaces) at a word's start,
    then the pattern `body` up to the word's end.

    `accept` is called with each match; one for which it is false is no credential. `also` is a pattern for the text
    before the mark, such as a look-behind.
    """
    words = tuple(marks.split())
    heads = "|".join(map(re.escape, words))
    return SecretRule(name, words, rf"{also}{START}(?:{heads})(?P<body>{body}){END}", 0, accept)


def _inner_rule(name: str, marks: str, shape: str, back: int = 0) -> SecretRule:
    """Return the rule for credentials of the type `name` that match the pattern `shape`, around or after one of the
    marks (separated by spaces), which can be inside a word.

    A match can begin up to `back` characters before the mark. If `shape` has a group `secret`, only that is taken out.
    """
    return SecretRule(name, tuple(marks.split()), shape, back, begins=False)


VENDORS: tuple[SecretRule, ...] = (
    _prefix_rule("aws-access-key", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}(?:[\s\"',:;|]{1,4}[A-Za-z0-9/+]{40})?"),
    _prefix_rule("pellucid-token", "pel_", r"[0-9a-f]{12}_[0-9a-f]{64}"),
    _prefix_rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{36,255}"),
    _prefix_rule("github-fine-grained-token", "github_pat_", r"[A-Za-z0-9_]{60,255}"),
    _prefix_rule(
        "gitlab-token",
        "glpat- gldt- glrt- glptt- glcbt- glsoat- glft- glimt- glagent- gloas- GR1348941",
        r"[\w.-]{20,300}",
    ),
    _prefix_rule(
        "slack-token", "xoxb- xoxp- xoxa- xoxo- xoxr- xoxs- xoxe- xoxc- xoxd- xoxe. xapp-", r"[\w.%/+=-]{10,512}"
    ),
    _inner_rule("slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?P<secret>[a-z]{5,12}/[\w/-]{20,200})"),
    _prefix_rule("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_ sk_org_", r"[A-Za-z0-9+/=_]{16,255}"),
    _prefix_rule("anthropic-key", "sk-ant-", r"[\w-]{20,300}"),
    _prefix_rule("openrouter-key", "sk-or-", r"[\w-]{20,200}"),
    _prefix_rule("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None- sess-", r"[\w-]{20,300}", _is_varied),
    _prefix_rule("openai-key", "sk-", r"[A-Za-z0-9]{32,64}", _is_varied),
    _prefix_rule("google-api-key", "AIza", r"[\w-]{35}"),
    _prefix_rule("google-oauth", "ya29.", r"[\w.-]{20,2048}"),
    _prefix_rule("google-oauth", "GOCSPX-", r"[\w-]{20,64}"),
    _prefix_rule("google-oauth", "1//0", r"[\w-]{30,200}"),
    _inner_rule(
        "azure-storage-key", "AccountKey= AccessKey=", r"Acc(?:ountKey|essKey)=(?P<secret>[\w+/]{32,90}={0,2})"
    ),
    _inner_rule("azure-sas", "sig=", r"(?<![A-Za-z0-9])sig=(?P<secret>(?:[\w+/-]|%[0-9A-Fa-f]{2}){32,120}=?)"),
    _inner_rule("azure-client-secret", "Q~", rf"{START}[\w.~-]{{3}}\dQ~[\w.~-]{{31,34}}(?![\w~])", back=4),
    _prefix_rule("npm-token", "npm_", r"[A-Za-z0-9]{36,64}"),
    _prefix_rule("pypi-token", "pypi-", r"[\w-]{50,512}"),
    _prefix_rule("rubygems-key", "rubygems_", r"[0-9a-f]{48}"),
    _prefix_rule("docker-token", "dckr_pat_ dckr_oat_", r"[\w-]{20,100}"),
    _prefix_rule("huggingface-token", "hf_ api_org_", r"[A-Za-z0-9]{30,60}", _has_both_cases),
    _prefix_rule("twilio-key", "SK", r"[0-9a-f]{32}"),
    _prefix_rule("sendgrid-key", "SG.", r"[\w-]{16,32}\.[\w-]{32,64}"),
    _prefix_rule("mailgun-key", "key-", r"[0-9a-f]{32}", also="(?<!-)"),
    _inner_rule("mailchimp-key", "-us", rf"{START}[0-9a-f]{{32}}-us\d{{1,2}}(?![0-9A-Za-z])", back=32),
    _inner_rule("telegram-bot-token", ":AA", rf"{START}(?:bot)?\d{{8,10}}:AA[\w-]{{32,34}}(?![\w-])", back=14),
    _prefix_rule("discord-token", "MT MD Mj Mz NT ND Nj Nz OD OT", r"[\w-]{22,26}\.[\w-]{6,7}\.[\w-]{27,45}"),
    _inner_rule("discord-webhook", "/api/webhooks/", r"/api/webhooks/(?P<secret>\d{15,21}/[\w-]{40,100})"),
    _inner_rule("teams-webhook", "/webhookb2/", r"/webhookb2/(?P<secret>[\w@-]{36,90}/IncomingWebhook/[\w/-]{32,120})"),
    _prefix_rule("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}"),
    _prefix_rule("heroku-key", "HRKU-", r"[\w-]{30,100}"),
    _prefix_rule("databricks-token", "dapi", r"[0-9a-f]{32}(?:-\d)?"),
    _prefix_rule("cloudflare-key", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{100,160}"),
    _prefix_rule("newrelic-key", "NRAK- NRJS- NRII- NRAA- NRSP-", r"[A-Za-z0-9_-]{16,64}"),
    _inner_rule("newrelic-key", "NRAL", rf"{START}[0-9a-f]{{36}}NRAL(?![0-9A-Za-z])", back=36),
    _inner_rule("sentry-dsn", "://", r"://(?P<secret>[0-9a-f]{32}(?::[0-9a-f]{32})?)@[\w.-]{1,100}/\d"),
    _prefix_rule("sentry-token", "sntrys_ sntryu_ sntrya_", r"[\w+/=-]{32,512}"),
    _prefix_rule("square-token", "sq0atp- sq0csp- sq0idp- EAAA", r"[\w-]{22,64}", _is_varied, also=_NOT_IN_BASE64),
    _prefix_rule("facebook-token", "EAAC EAAB EAAG EAAJ", r"[A-Za-z0-9]{60,300}", _has_both_cases, also=_NOT_IN_BASE64),
    _prefix_rule("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32}"),
    _prefix_rule("atlassian-token", "ATATT3 ATCTT3 ATBB ATSTT3", r"[\w=+/-]{24,300}", _is_varied, also=_NOT_IN_BASE64),
    _prefix_rule("linear-key", "lin_api_ lin_oauth_ lin_wh_", r"[A-Za-z0-9]{32,64}"),
    _prefix_rule("notion-token", "ntn_ secret_", r"[A-Za-z0-9]{40,50}"),
    _prefix_rule("vault-token", "hvs. hvb. hvr.", r"[\w-]{24,300}"),
    _prefix_rule("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"[\w.-]{40,100}"),
    _prefix_rule("groq-key", "gsk_", r"[A-Za-z0-9]{40,64}"),
    _prefix_rule("xai-key", "xai-", r"[A-Za-z0-9]{60,100}"),
    _prefix_rule("perplexity-key", "pplx-", r"[A-Za-z0-9]{40,64}"),
    _prefix_rule("replicate-token", "r8_", r"[A-Za-z0-9]{37,40}"),
    _prefix_rule("supabase-key", "sbp_ sb_secret_", r"[\w-]{20,60}"),
    _prefix_rule("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w.-]{32,64}"),
    _prefix_rule("fly-token", "fo1_ fm1_ fm1a_ fm2_", r"[\w+/=-]{36,2048}"),
    _prefix_rule("grafana-token", "glsa_ glc_", r"[\w+/=]{32,400}"),
    _prefix_rule("postman-key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    _prefix_rule("figma-token", "figd_ figo_", r"[\w-]{36,64}"),
    _inner_rule("terraform-token", ".atlasv1.", rf"{START}[A-Za-z0-9]{{14}}\.atlasv1\.[\w=-]{{60,80}}", back=14),
    _prefix_rule("pulumi-token", "pul-", r"[0-9a-f]{40}"),
    _prefix_rule("tailscale-key", "tskey-", r"[a-z]{3,12}-[\w-]{16,80}"),
    _prefix_rule("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,60}"),
    _prefix_rule("flutterwave-key", "FLWSECK-", r"[\w-]{30,50}"),
    _prefix_rule("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _prefix_rule("jwt", "eyJ", r"[\w-]{8,2048}+\.eyJ[\w-]{8,16384}(?:\.[\w-]{0,4096})?", also=r"(?<![\w-]-)"),
    _inner_rule("presigned-url", "-Signature=", r"X-(?:Amz|Goog)-Signature=(?P<secret>[0-9a-fA-F]{64,600})", back=5),
)
"""In order of preference: if two rules cover the same characters, the earlier one names them."""

_WORD_MARKS = sorted({mark for rule in VENDORS if rule.begins for mark in rule.marks}, reverse=True)
_INNER_MARKS = sorted({mark for rule in VENDORS if not rule.begins for mark in rule.marks})
_SHORTEST = 15
_ESCAPE = re.compile(r"\\[nrt]|\\u00[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}")


def _first_letter_pattern(words: list[str]) -> re.Pattern[str]:
    """Return a pattern for any of the words at a word's start, grouped by first letter, which makes it much faster.

    `words` must be sorted so that those with the same first letter are neighbours, and a longer one is before its own
    beginning: the first that fits is matched.
    """
    grouped = {first: "|".join(re.escape(word[1:]) for word in same) for first, same in groupby(words, lambda w: w[0])}
    branches = "|".join(f"{re.escape(first)}(?:{rest})" for first, rest in grouped.items())
    return re.compile(rf"\b(?=[{re.escape(''.join(grouped))}])(?:{branches})")


_ANY_WORD_MARK = _first_letter_pattern(_WORD_MARKS)


def marks_in(text: str) -> set[str]:
    """Return those of the rules' marks that can be in a text, looking only at its runs of 15 characters or more without
    white space; empty if none can.

    The marks that begin a word are found at the start of a word only. With a mark that is found, shorter marks that are
    its beginning are returned, too.
    """
    dense = "\n".join(word for word in text.split() if len(word) >= _SHORTEST)
    if not dense:
        return set()
    present = {mark for mark in _INNER_MARKS if mark in dense}
    if "\\" in dense or "%" in dense:
        dense = _ESCAPE.sub(" ", dense)
    found = set(_ANY_WORD_MARK.findall(dense))
    if not found:
        return present
    # only the longest mark at a place was found; the shorter ones that begin it are there, too
    return present | {mark for mark in _WORD_MARKS if any(longer.startswith(mark) for longer in found)}

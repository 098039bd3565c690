"""Nothing in, the closed classes of five languages that a frame is read by out: function words and a few verbs."""


def _set(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


DAYS = _set(
    "monday tuesday wednesday thursday friday saturday sunday",
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays",
    "montag dienstag mittwoch donnerstag freitag samstag sonntag montags dienstags mittwochs donnerstags freitags",
    "lunes martes miércoles jueves viernes sábado domingo sábados domingos",
)
MONTHS = _set(
    "january february march april may june july august september october november december",
    "januar februar märz mai juni juli oktober dezember",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
)
EAST_DAYS = r"[月火水木金土日]曜日?|(?:周|星期|礼拜)[一二三四五六日天]|\d{1,2}月(?:\d{1,2}[日号])?"
NUMBERS = _set(
    "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty hundred thousand",
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig",
    "dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta",
)
SCALES = (
    _set(
        "ms millisecond milliseconds s sec second seconds min minute minutes h hour hours day days week weeks",
        "month months year years",
        "sekunde sekunden minuten stunde stunden tag tage tagen woche wochen monat monate jahr jahre",
        "segundo segundos minuto minutos hora horas día días semana semanas mes meses año años",
    ),
    _set("b byte bytes kb mb gb tb kib mib gib tib"),
    _set("euro euros dollar dollars usd eur gbp pound pounds yen franken pesos"),
    _set("mm cm m km meter meters metre metres metros inch inches feet miles"),
    _set("g kg gram grams kilo kilos ton tons tonne tonnes gramm kilogramm"),
)
"""Units that measure the same."""
ARTICLES = _set("the der die das den dem des el la los las")
INDEFINITE = _set("a an another some ein eine einen einem einer un una unos unas otro otra")
POSSESSIVE = _set(
    "my our your his her their mein meine meinen meinem meiner unser unsere unserem unseren unserer",
    "mi mis nuestro nuestra nuestros nuestras su sus",
)
POINTING = _set(
    "it this that these those there he she they es das dies dieser diese dieses er sie eso esto ello él",
    "ella ellos ellas",
)
"""Of what these mean, only the words around the statement tell."""
PRONOUNS = _set("i we you he she they wir ich ihr er sie yo nosotros nosotras ustedes")
BE = _set(
    "be is are was were am been being ist sind war waren bin bist wird werden es son está están fue eran era soy somos"
)
AUXILIARY = _set("will shall do does did has have had hat haben hatte ha han he hemos")
PREPOSITIONS = _set(
    "in on at to under from with for of by into onto via per over as until through between during about against",
    "auf bei für mit nach von vom zu zum zur über unter im am an aus bis als pro um vor jeden jede jedes",
    "en a al de del con para por sobre desde hasta cada bajo según entre como every each",
)
LOCATIVE = _set("in on at to under with from auf bei in im am unter mit en con bajo")
PURPOSE = _set("for für para as als como")
JOINTS = _set("and or but und oder aber sondern y e o u pero sino nor plus & both either")
PERSONAL = POSSESSIVE | PRONOUNS
STRUCTURE = BE | AUXILIARY | PREPOSITIONS | JOINTS | PRONOUNS | POSSESSIVE | ARTICLES | INDEFINITE

NOW = _set(
    "now currently nowadays today anymore jetzt nun inzwischen mittlerweile derzeit aktuell heute ahora actualmente hoy"
)
LATELY = _set("yesterday recently lately just gestern kürzlich ayer recientemente")
INSTEAD = _set("instead stattdessen")
OPENINGS = _set("no nope actually correction sorry wait nein eigentlich tatsächlich korrektur perdón corrección")
ADDING = _set("too also additionally besides well auch außerdem zusätzlich también además")
UNSURE = _set(
    "maybe perhaps possibly probably might could may should would plan plans planning planned want wants hope consider",
    "let let's lets please considering think thinking if whether unless propose proposed suggest try",
    "trying likely supposedly apparently",
    "vielleicht möglicherweise wahrscheinlich könnte könnten sollte sollten würde würden planen will wollen",
    "plant plane möchte möchten falls wenn überlegen vermutlich",
    "quizá quizás acaso podría podríamos debería deberíamos planeamos queremos quiero si probablemente pensamos",
)
"""Words of who is not sure, or speaks of what is to come. English `will` is not among them: see `FUTURE`."""
FUTURE = _set("will shall")
EAST_UNSURE = (
    r"かもしれ|予定|つもり|たい(?:です)?$|でしょう|だろう|ですか|ますか|もし"
    r"|可能|也许|打算|计划|想要|如果|应该|是不是|吗"
)
EAST_CHANGED = r"今は|現在は|今では|现在|目前|如今|已经|改为|改成|改用"
EAST_ADDING = r"も(?=[^の])|也|还"

MANY = _set(
    "like love enjoy hate speak know mention support depend rely integrate accept include contain cover recommend",
    "read visit test talk connect listen subscribe write reject avoid need require see discuss document describe",
    "review attend handle study learn play follow compare work publish expose offer provide list say show name",
    "mag mögen liebt liebe spricht kennt kann unterstützt erwähnt enthält braucht prüft testet liest",
    "gusta gustan habla hablan conoce soporta menciona incluye contiene necesita revisa prueba lee",
)
"""Verbs whose object is one of many: another object says nothing against the first."""
SOLE = _set(
    "own lead manage maintain head chair direct besitzt leitet verantwortet betreut dirige lidera gestiona 负责"
)
"""Verbs that one thing knows one subject of."""
UNIQUE = _set(
    "default main primary preferred favourite favorite current only first last minimum maximum official canonical",
    "standard bevorzugt aktuell predeterminado predeterminada principal actual único única",
)
"""Of what is so called there is one, whatever it is: also what is written small."""
VERBS = _set(
    "use uses run runs own owns lead leads live lives start starts end ends expire expires take takes allow allows",
    "host hosts ship ships keep keeps store stores go goes rotate rotates cost costs last lasts deploy deploys",
    "läuft nutzt nutzen verwendet verwenden liegt kostet dauert gilt hat wohnt usa usamos corre vive cuesta dura tiene",
    "contain need waits wait needs opens has have prefer prefers manage manages get gets serve serves return returns",
)
PAST = _set(
    "went came met made took saw bought left began gave won lost found told said felt wrote sold sent spent built",
    "broke paid had did got was were drove flew ate drank slept spoke taught thought brought caught fell held knew",
    "fue fui fuimos estuvo hubo wurde wurden ging kam traf",
)
"""Irregular forms that tell of one time; regular ones are known by their ending."""
EAST_PAST = r"(?:ました|でした|った|いた|した)(?=[。、\s]|$)|了(?=[。，\s]|$)|过(?=[^程敏滤时度])"

SAME: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("took over", ("own",)),
    ("takes over", ("own",)),
    ("has taken over", ("own",)),
    ("taken over", ("own",)),
    ("is responsible for", ("own",)),
    ("is in charge of", ("own",)),
    ("is the owner of", ("own",)),
    ("is accountable for", ("own",)),
    ("übernahm", ("besitzt",)),
    ("ist verantwortlich für", ("besitzt",)),
    ("es responsable de", ("dirige",)),
    ("decided to use", ("use",)),
    ("decided on", ("use",)),
    ("went with", ("use",)),
    ("picked", ("use",)),
    ("chose", ("use",)),
    ("opted for", ("use",)),
    ("settled on", ("use",)),
    ("agreed on", ("use",)),
    ("go with", ("use",)),
    ("standardised on", ("use",)),
    ("standardized on", ("use",)),
)
"""Phrases for what has one word: who takes over owns, who picked uses."""
TURNS: tuple[str, ...] = (
    "switched to",
    "moved to",
    "migrated to",
    "changed to",
    "upgraded to",
    "relocated to",
    "switched over to",
    "have switched to",
    "have moved to",
    "have migrated to",
    "switch to",
    "wechselten zu",
    "sind umgestiegen auf",
    "cambiamos a",
    "migramos a",
    "pasamos a",
    "nos mudamos a",
)
"""Phrases of change: they tell where something is, or what is used, since."""
STATES = ("use", "be on", "be in", "live in", "run on")
"""What a change may have changed."""
TAKING = frozenset({"took over", "takes over", "has taken over", "taken over", "übernahm"})

"""Nothing in, the phrases of queries after how something is now out."""

PENDING = r"""
    ^(?:is|are|isn't|aren't|does|do) (?!we |i |you )~(?:still|yet|pending)(?! (?:going with|going for|going ahead
    |agreed|settled|decided))(?!.*\bgoing (?:with|for|ahead))
    ^(?:is|are) (?:the|our|my) ~(?:public|private|live|enabled|disabled|visible|online|offline|restricted|locked
    |behind a)
"""
"""Is it still, is it open."""

STILL = r"""
    ^(?:has|have|check (?:whether|if)|whether) (?!we |i |you )~(?:still|yet)
    ^(?:is|are|do|does|am) (?:we|i|you|they|\w+) (?:still|already|currently|now)
    ^(?:is|are) ~by now[?.!]?$
    ^(?:is|are) there (?:an? )?(?:open|active|pending)
    ^(?:is|are) (?:the|our|my) ~(?:public|private|live|up|down|on|off|online|offline|enabled|disabled|active|open
    |closed|running|broken|available|working|visible|full|empty|deployed|restricted|locked|done|ready|finished)
    ^(?:has|have) (?!.*\b(?:ever|always)\b)~yet
    ^did (?:the|my|our) ~(?:land|merge|ship|deploy|arrive|come through|get merged|go out|get fixed
    |finish)(?: yet)?[?.!]?$
    is it (?:live|up|out|done|merged|fixed|ready|deployed|working|back|running|valid|safe now|fine|ok)[?.!]?$
    did the (?:last|latest) ~(?:go through|pass|succeed|finish|deploy)
    ^(?:has|have) (?!.*\b(?:ever|always)\b)(?:the|our|my) ~(?:been|gone|come|arrived|replied|finished|landed|shipped
    |merged|started|passed)
"""
"""Has it yet, is it done."""

NOW = r"""
    ^(?!.*\b(?:was|were|did|had|since when|history|timeline|ago|last|why|how|reason
    |explain)\b).*(?<!by )(?<!until )(?<!till )\b(?:still|now|right now|as of today)
    ^what(?:'s|s| is) the (?:status|state|progress) (?:of|on|with)(?! .*\b(?:ago|last|in (?:19|20)))
    ^who(?:'s| is| are)? (?:\w+s) (?:the|our|my|all the) (?:old|legacy|former|previous|past|original) (?!.*\b(?:was
    |were|did|had)\b)
    ^(?:is|are|does|do|has|have) (?:the|our|my|all|any|this) (?!.*\b(?:ever|always|last|ago|yesterday|used|before
    |previously|once|was|were|did)\b)~(?:old|legacy|former|previous|past|past-\w+|original|history|deprecated)
    ^(?:ist|sind|läuft|laufen|gibt|gilt|steht|funktioniert) (?!.*\b(?:entschieden|beschlossen|früher|letzte\w*
    |gestern)\b)
    (?:est|sont)-(?:il|elle|ils|elles|ce) ~(?:encore|toujours|en ligne|actif|active|ouvert|en cours)
    ^(?:sigue|siguen|está|están|funciona|hay|todavía)
"""
"""`still` and `now` without a past tense."""

CURRENT = r"""
    cur+ent(?:ly)?|at present|presently|nowadays|these days|right now|at the moment|at this (?:point|moment|time)
    |as of (?:today|now|this)|as we speak|so far|up to date|in effect|in force|in progress|in use|on call|on duty
    |most recent|most up-to-date|latest|outstanding|up and running|for the time being|as it stands|as things stand
    now[?.!]?$|today[?.!]?$|this (?:week|month|quarter|sprint|season|semester|term)[?.!]?$
    (?:status|state|progress|standing|health|availability|whereabouts|stage|phase) (?:of|on|with|for|in|check)
    (?:status|progress|eta)[?.!]?$
    (?:any )?(?:update|updates|news|word) (?:on|about|from)
    where (?:do|does|are|am) (?:we|i|things|it|they) (?:stand|at|with|on|up to|now)
    where ~(?:stands?|left off|we are)[?.!]?$
    how (?:far|close) (?:along|are|is|off|into|from)
    how(?:'s| is| are) (?:the|our|my|things|it) ~(?:going|doing|looking|coming|holding|progressing|performing)
    what(?:'s|s| is| are) (?:\w+ )?(?:deployed|running|live|enabled|blocking|left|next|missing|pending|open|due
    |scheduled|in|on|up|broken|wrong with|installed|planned|overdue|remaining|holding|happening|going on|failing
    |stopping)
    what(?:'s|s| is) (?:up|new|happening|on) with
    who(?:'s|s| is| are) (?:the|our|my|on|in|responsible|working|assigned|leading|running|handling|maintaining
    |in charge|looking after|taking|covering|using|currently|allowed|paying|watching|away|doing|managing)
    who (?:owns|handles|runs|maintains|leads|manages|looks after|has|does|pays|takes|reviews|holds|controls|signs
    |cleans|teaches|covers|administers|supports|hosts|watches|feeds|drives|gets|keeps|uses|works|do (?:i|we)|can
    |oversees|heads)
    what(?:'s|s| is| are) (?:our|my current|the (?:name of the )?new|the (?:\w+ ){0,3}(?:set to|set at|version|limit
    |port|timeout|url|endpoint|hostname|balance|price|rate|deadline|budget|quota|owner|default|threshold|size|count
    |interval|schedule|setting|branch|plan|rota|region|address of our|value|password|target|score|flag|stage|cost|fee
    |rent|salary|number of|capacity|retention|frequency|cadence|wifi|headcount|address|ip|domain|bucket|channel|ttl
    |lifetime|cap|ceiling|maximum|minimum|lead|maintainer|contact|chair|phase|mileage|stock|inventory
    |occupancy)s?(?! of (?:a|an) ))
    what(?:'s| is) (?:the|our|my) ~(?:set to|called now|at now|on now|right now|like now|these days)
    (?:which|what) (?:\w+ ){1,3}(?:is|are|do|does|have|has|am) (?:we|our|the|my (?:\w+ )?(?:plan|account|car|server
    |laptop|team|project|subscription)|running|set|active|enabled|live|deployed|on|off|open|assigned|left|in
    |installed|using|hosting|still|being|it|they|currently|i (?:working|on|paying|using|subscribed|running|assigned
    |registered))
    (?:which|what) ~(?:are|do|have) (?:we|they)
    which \w+ (?:runs?|hosts?|serves?|works|owns|holds|has|is|are|needs?|uses?|covers?|supports?|blocks?|fails?|still
    |currently)
    what (?:do|are) (?:we|they) (?:\w+ )?(?:pay|use|charge|run|host|spend|store|support|using|paying|running|waiting
    |doing|working|missing|charging|on|at|shipping|owe|have|offer|allow|sell)
    what am i (?:subscribed|working|paying|doing|on|supposed|waiting)
    what (?:value|setting|version|port|limit|plan|tier|size|level) (?:do|does|is|are|has)
    where (?:do|are) (?:we|our|the|they) ~\w+
    where (?:is|does) (?:the|our) ~(?:hosted|deployed|running|stored|kept|live|lives|now|located|parked|run|go|point
    |backed up|listen)
    ^(?:is|are|isn't|aren't) (?!my (?:uncle|aunt|mother|mom|mum|dad|father|sister|brother|grand\w+|son|daughter|wife
    |husband|boss|friend|cousin|niece|nephew|cat|dog)\b)(?:the|our|my|any|anyone|anybody|there|we|all|everyone
    |everything|that|this|dark|\w+ mode) (?!.*\b(?:a good idea|allowed in|better than|faster than|possible to)\b)
    ^(?:is|are) ~(?:on|off|enabled|disabled|up|down|live|active|done|ready|finished|working|available|assigned
    |blocked|open|closed|running|merged|deployed|released|fixed|installed|paid|booked|full|in stock|on track
    |supported|green|passing|failing)(?: (?:on|in|for|at|by) (?:the |our |my )?\w+)?[?.!]?$
    ^(?:do|does) (?:we|the|our|anyone|anybody|everyone|everybody)
    ^(?:has|have) (?:the|our|my|we|anyone|anybody|everyone|\w+)
    ^(?:is|are) ~(?:turned (?:on|off)|switched (?:on|off)|green|red|in (?:staging|prod|production|use|place|stock
    |review|progress|beta))
    what does (?:the|our|my) ~(?:evaluate to|say|point to|contain|default to|resolve to|cost|show|return)
    ^does \S+ (?:use|run on|support|point to|depend)
    ^(?:the |our |my )?(?:active|remaining|present|existing|prevailing|upcoming) \w+
    on (?:holiday|leave|vacation|sick leave|parental leave|duty|a break)
    ^(?:is|are) ~(?:back from|nightly|daily|weekly|hourly|monthly|by now|away|out of office)
    (?:team|project|company|group|club)'s \w+(?: \w+)?[?.!]?$
    ^is (?:anything|anyone|somebody|someone|something|nothing|everything)
    ^am i (?:on|still|assigned|subscribed|registered|paying)
    ^when (?:is|are|does|do) (?:the|our|we) (?:\w+ )?(?:next|due|release|deadline|lease|contract|subscription
    |certificate|trial|meeting|review|standup|demo|sprint|freeze|deploy\w*|run|renew|expire|ship|open|close|meet)
    how (?:many|much) ~(?:is|are|do (?:we|they|our|the|i have|i owe|i pay)|does (?:the|our|it)|have|has|left|open
    |remain|remaining|there|pending|of|per|we|our)
    how (?!long does it take|long do you)(?:big|full|large|busy|high|low|deep|healthy|old|long|often|fast|slow
    |expensive|up-to-date|frequently|much|stable|reliable|late) (?:is|are|does|do) (?:the|our|my|it|we)
    number of ~(?:in use|open|left|active|remaining|we|our|users|seats)
    (?:value|setting|version|limit|timeout|port|price|cost|rate|balance|url|hostname|size|owner|assignee|quota
    |threshold|interval|schedule|deadline|seting) (?:of|for|on) (?:the|our|my|this|webhooks|\w+)(?! in \w+)
    (?:is|are|gets?|be) (?:\w+ )?(?:set|configured|pinned|pointing|locked|capped|limited) (?:to|at|up|for)
    (?:open|unresolved|remaining|pending|unfinished|active|live|running|enabled|upcoming|unpaid|overdue|failing
    |broken|assigned|blocked|available|installed|supported|scheduled|planned) (?:tickets?|issues?|bugs?|questions?
    |prs?|pull requests?|tasks?|items?|todos?|incidents?|invoices?|branches|flags?|features?|experiments?|orders?
    |bills?|tests?|jobs?|alerts?|subscriptions?|versions?|work)
    (?:to-?dos?|todo list|what's left|left to do|still (?:to do|open|missing|waiting|need\w*)|next (?:steps?|release
    |milestone|deadline|sprint))
    ^(?:find out|let me know|tell me) (?:whether|if)
    who(?:'s| is) (?:behind|at|with|next|up|off|away|still|out)
    still (?:on|off|open|active|valid|running|there|working|up|down|in use|in effect|in force|available|missing
    |pending)[?.!]?$
    (?:number|count|amount|total|list) of ~(?:we|our|i|active|open)
    which of ~(?:is|are|still|have)
    what(?:'s| is) the ~called[?.!]?$
    newest|most current
    (?:which|what) \w+(?: \w+){0,2} (?:do|does) \w+ (?:use|run|run on|point to|listen on)
    (?:which|what) ~(?:is|are) (?:pending|open|overdue|due|outstanding|unresolved|waiting)[?.!]?$
    where(?:'s|s) (?:the|our|my) \w+(?: \w+)?(?: at| now)?[?.!]?$
    what(?:'s| is) the \w+ \w+'s \w+[?.!]?$
    ^who (?!is|was|has|does|plays|makes|sings|wins|likes|eats|loves|wants)\w{3,}s (?:the|our|my|leave|new|all|access
    |every) ?
    (?:today|tonight|this (?:week|month|year|quarter|sprint))'s \w+
    ongoing|underway|in[- ]flight|in place[?.!]?$|to this day|on hold|vacant|whereabouts|headcount|roster|inventory
    |snapshot of
    (?:in effect|in force|in place|in stock|in use|in progress|in review|on track|on schedule|on hold)
    (?:which|what) \w+(?: \w+)? (?:is|are) (?:in|on|at|up|down|out|free|taken|available|affected|involved)
    in charge of|responsible for
    (?:waiting|blocked|stuck) (?:on|for|by)|anyone working on|working on
    ^(?:check|see|verify|confirm|look up) (?:whether|if|that)
    our \w+(?: \w+)?[?.!]?$
    aktuell\w*|derzeit\w*|momentan\w*|zurzeit|zur zeit|gerade|im moment|gegenwärtig|heute|neueste[nrsm]?|jetzt
    |noch (?:offen|aktiv|in betrieb|gültig)|stand (?:bei|beim|der|des|von|im)|wie weit|zuständig|verantwortlich
    |in betrieb
    ^(?:läuft|laufen|ist|sind|gibt es|haben wir|nutzen wir|benutzen wir|funktioniert|steht|verwenden wir|hat) ~
    ^(?:welche\w*|wo|wie viele?|wer|was) (?:\w+ )?(?:läuft|laufen|nutzen wir|benutzen wir|verwenden wir|ist|sind
    |haben wir|liegt|liegen|betreut|kümmert|zahlen wir|kostet|verwaltet|leitet|wartet|besitzt) (?:der|die|das|wir
    |uns\w*|gerade|sich|auf|im|in|den|bei|für|noch|am)
    actual(?:es|mente)?|ahora|hoy(?: en día)?|en este momento|vigente|estado (?:de|del|actual)|quién (?:está|es el
    |es la|se encarga|lleva|mantiene|gestiona|tiene)|últim[oa] versión|todavía|sigue\w*|en qué (?:versión|estado
    |punto|rama)|cuánt[oa]s? ~(?:queda|quedan|hay|tenemos|pagamos|cuesta)|encargad[oa]|responsable|qué versión
    |qué \w+ (?:está|tenemos|usamos|hay|pagamos)|en producción
    ^¿?(?:está|están|sigue|siguen|funciona|hay|tenemos|usamos) \w+
    actuel\w*|en ce moment|maintenant|aujourd'hui|à présent|en cours|où en (?:est|sont|sommes)|s'occupe
    |est responsable|encore|état (?:de|du|des|actuel)|dernière version|à jour|qui (?:gère|maintient|s'occupe|est
    |dirige|paie)|toujours|combien (?:de|d') ~(?:reste|restent|avons|y a)|désormais
    ^(?:le|la|les|l'|notre|nos) ?~(?:est|sont)-(?:il|elle|ils|elles)
    ^(?:est-ce que|est-il|sur quel\w*|quelle? (?:version|est (?:notre|la version|l'état))) \w+
"""
"""States, owners, values, counts."""

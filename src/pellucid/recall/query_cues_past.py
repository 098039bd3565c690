"""Nothing in, the phrases of queries after how something was out."""

HISTORICAL = r"""
    (?<!is )(?<!are )(?<!be )(?<!get )used to
    (?:who|we|i|they|he|she|it|you|that|which) used to
    did ~use to
    (?:was|were|did|had|have|has|used|hadn't|didn't|handled|ran|owned|kept|looked|worked|wore|paid|lived|led|held
    |wrote|charged|maintained|managed|sat|taught|cost|went|came|did) ~(?:before|until|till|prior to|up to|back when
    |back in|back then|at the time|in the past|in those days|earlier|previously|formerly|originally|initially
    |at first|in the beginning|at the start|to begin with|to start with|once)
    (?:who|what|which|that) \w+(?:ed|d|t|ew|ent) ~(?:before|until|prior to|back then)
    (?:before|until|prior to|up to) (?:\w+ ){1,3}(?:joined|switched|moved|left|took over|changed|came|arrived|started
    |began|migrated|broke|\w+ed|had|was|were|went|got)
    (?:before|from before|prior to|until) (?:the|our|we|i|she|he|they|that|this|last|it) (?:\w+ )*(?:switch|upgrade
    |migration|move|split|rewrite|allergy|merger|change|redesign|release|launch|renovation|accident|update|incident
    |outage|reorg|refactor\w*|cutover|current|\w+ed)
    back (?:when|then|in (?!the office|stock))
    when (?:we|i|she|he|they|it|you|the \w+|our \w+|\w+) (?:\w+ )?(?:still|first|was|were|lived|moved|started|joined
    |began|had|launched|left|opened|bought|founded)
    ^when (?:did|was|were|had|have|has)
    since when
    (?:for )?how long (?:did|was|were|had|ago|have|has)
    how often (?:did|was|were|have|has)
    how many times (?:did|have|has|had|was|were)
    (?:last|previous|past|prior) (?:week|month|year|spring|summer|winter|autumn|fall|night|weekend|sprint|quarter
    |time|christmas|easter|season|semester|term|release|decade|monday|tuesday|wednesday|thursday|friday|saturday
    |sunday|january|february|march|april|may|june|july|august|september|october|november|december)
    yesterday|the day before|the other day
    ago|years back|weeks back|months back|a while back
    over (?:the|these|all) (?:years|months|weeks|past \w+|last \w+|time)|over time
    (?:at|by|around|back at) (?:the|that) (?:time|point)|in (?:the past|those days|hindsight|retrospect|the old days
    |earlier days)
    (?:was|were|did|had|happened|went|looked|\w+ed) ~(?:in|on|during|around
    |throughout) (?:early |late |mid |the )?(?:january|february|march|april|may|june|july|august|september|october
    |november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|winter|fall
    |19\d\d|20\d\d|q[1-4]|outage|incident|\d{1,2}\w* (?:january|february|march|april|may|june|july|august|september
    |october|november|december))
    (?:as of|as at|state in|situation in|status in) (?:the )?(?:last|end of|start of|beginning of|mid|\d{4}|january
    |february|march|april|may|june|july|august|september|october|november|december|early|late)
    in (?:19|20)\d\d
    (?:our|my|the|their|his|her|its|whose|\w+'s|list|all|any|which|show me|name|who were|were|^|a) (?:\w+ )?(?:old
    |former|previous|prior|past|original|earlier|earliest|initial|first|ex|then|erstwhile|legacy|deprecated|retired
    |abandoned|discontinued) (?!draft of|name of the new|aid|class|person|thing|step|page|floor|line|few|part|column
    |week of|tense|\d)\w+
    ^(?:old|former|previous|prior|past|original|earlier|earliest|initial|oldest|first|ex) (?!aid|person)\w+
    last known|last seen|last used|last time|no longer|anymore|any more, since|since the (?:beginning|start|launch)
    |from the (?:beginning|start)
    (?:previous|earlier|older|past|former|prior) (?:versions?|drafts?|owners?|values?|settings?|names?|attempts?
    |tenants?|address\w*|employers?|jobs?|addresses|hosts?|plans?|suppliers?|providers?|vendors?)
    originally|formerly|previously|initially|at first|at one point|in the early days|early on|once (?:upon|was|had)
    (?:timeline|chronology|evolution|progression|history|changelog|change log|origins?|genesis|backstory) (?:of|for
    |behind|with|since|from|between)
    (?:timeline|chronology|changelog|chronological\w*|backstory|oldest first|newest first|in order of date)
    (?<!shell )(?<!browser )(?<!git )(?<!audit )history[?.!]?$
    (?:sequence|order|chain|series|succession) (?:of|in which) (?:events|alerts|changes|steps|things|incidents
    |failures|\w+ (?:that|we|happened|fired))
    what(?:'s| has|s)? (?:happened|changed|went wrong|went on|came before|came first|led (?:up )?to|'s changed
    |'s happened|preceded)
    what's (?:changed|happened|been)
    how (?:has|have|did|had) (?!i |you know)
    (?:have|has|did|had) (?:we|i|you|they|it|anyone|anybody|the \w+|our \w+|\w+) (?:ever|always|at any point|once
    |previously|before)
    (?:have|has|had) (?:we|i|you|they|the team|our team) (?:\w+ )?(?:dropped|tried|used|had|been|owned|lost|replaced
    |rewritten|lived|worked|gone through|seen|changed|switched|made|run|moved|stopped|given|missed|broken|visited
    |experimented|already)
    (?:had|hadn't) (?:i|we|you|they|he|she|it)
    ^did (?:we|i|they|the|our|it|you|anyone|anybody|\w+ ever)
    ^(?:who|where|which \w+|how \w+) (?:was|were) (?:our|the|my|on|in|at|responsible|using|running|we|i|working
    |supposed)
    ^what were (?:our|the|my|we|i)
    ^what was (?:our|my|the|i|we|\w+'s) ~(?:like|called|when|while|during|as|initial\w*|original\w*|in|on|last|first
    |before|then)(?! again)
    (?:all|any|the|list|which) (?:changes|edits|modifications|revisions) (?:made|to|in|since|between|of)
    which (?:version|commit|release|change|deploy|update|pr) (?:introduced|broke|added|removed|fixed|caused|changed
    |dropped|first)
    (?:has|have) (?:ever |already |since )?had
    ^(?:my|our|the) \w+(?: \w+)? (?:in|on|during) (?:january|february|march|april|may|june|july|august|september
    |october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn
    |winter)[?.!]?$
    (?:i've|we've|they've|i have|we have) (?:\w+ )?(?:had|lived|been to|owned|used|tried|visited|\w{3,}ed)
    since (?:19|20)\d\d
    what did ~look like
    (?:what|which) order did
    (?:until|till) (?:recently|lately|now|last)
    what did ~(?:contain|return|include)
    (?:log|list|record|overview) of (?:the |all |past )?(?:changes|incidents|outages|releases|edits)
    as (?:it|they|he|she) (?:stood|was|were|used to)
    (?:prior to|before) (?:the|our|my|that) \w+(?:ing|ment|tion|sion|al|ade|over|off|out)
    ^(?:on|in|during|at|over|by|around|after) [^,]{1,40}, .*\b(?:was|were|did|had)
    (?:who|that|we|i|they) ever \w+|ever since|(?<!up )to date|way back|(?:week by week|day by day|month by month
    |year by year)
    (?:course|trajectory|saga|story|record|archive) of (?:the|our|my)
    since (?:we|i|he|she|they|last|january|february|march|april|may|june|july|august|september|october|november
    |december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|easter|christmas)
    (?:at|on) (?:launch|day one|launch day|the day)
    post-?mortem|retired|defunct|superseded|pre-(?:migration|merger|launch|split|rewrite|move|war)
    (?:who|which \w+|what) (?:sang|drove|held|led|won|wrote|had|did|ran|kept|made|took|came|went|got|built|taught
    |died|broke|left|chaired|hosted|\w{3,}ed) ~(?:prior to|before|until|last|in (?:19|20)\d\d|back)
    (?:has|have) (?:this|the|our|my|it|that) ~(?:been|had|gone|run|used|lived|changed)(?! (?:merged|paid|published
    |approved|fixed|done|released|deployed|sent|shipped|updated|set|assigned|finished|delivered|renewed))
    in the (?:\w+ties|\d0s|beginning|old days|early|late)
    at (?:what|which) (?:point|time|stage) (?:did|was|were|had)
    (?:before|after|during) the (?:freeze|crash|fire|flood|war|party|trip|holiday|holidays|pandemic|lockdown|wedding
    |outage|release|launch)
    has been tried|have been tried|(?:tried|attempted) so far
    i (?:bought|used|had|wore|owned|read|rented|drove) before
    predecessors?|trend (?:of|in)|(?:leading|led|running) up to|at one time|the first time|(?:growing up
    |as a (?:child|kid|student))|childhood
    (?:which|what) \w+(?: \w+)? (?:was|were) (?!(?:we|i) (?:going|supposed))\w+
    what did \w+'s \w+
    when (?:it|they|the \w+|\w+) (?:was|were) (?:founded|built|started|born|little|young|small|new|opened|launched
    |created|made)
    the last (?:outage|release|time|meeting|trip|visit|deploy|incident|conversation|version|owner|attempt|sprint
    |review|update|backup|failure|crash|migration)[?.!]?$
    (?:rolled back|reverted|renamed)
    (?:was|were) (?:removed|added|dropped|introduced|replaced|renamed|deprecated|shut down|closed|moved
    |changed) (?:in|from|by|when|with)
    before the (?:\w+ )?\w+[?.!]?$
    how (?:the|our|my|things) \w+(?: \w+)? (?:developed|changed|evolved|went|grew|looked|moved|started|began)
    ^what (?:was|were) (?:on|in|at|under|behind|inside) (?:the|our|my)
    (?:has|have) been (?:decommissioned|retired|removed|dropped|replaced|cancelled|closed|sold|shut down|lost)
    (?:have|has) there been
    how (?:we|i|they) (?:lost|won|got|came|went|met|\w{3,}ed)
    as of (?:version|v)
    (?:audit trail|retrospective|milestones|lineage|provenance|forerunner|inaugural|earliest|oldest|first ever
    |incarnations?|iterations|revisions|past versions|obsolete|discontinued|phased out|sunset|bygone|of old) (?:of
    |for|on|in|version|that|we|one|\w+)
    (?:what|which) (?:year|day|month|date|time) (?:did|was|were)
    how (?:long ago|recently) |long ago
    (?:over|in|during|for|within) the (?:last|past) (?:\w+ )?(?:days|weeks|months|years|sprints|releases|quarters
    |decade|century|year|month|week)
    (?:used to|no longer|not any ?more|stopped)
    (?:the|my|our|his|her|their) (?:year|month|week|day|summer|winter|season) (?:we|i|he|she|they|before)
    in (?:my|our|his|her|their|the) (?:previous|last|old|former|first|early) \w+
    ^(?:who|what) (?:started|introduced|broke|caused|replaced|preceded|came before)
    (?:stopped|quit|gave up|switched (?:from|away|off)|moved (?:away|off|from)|migrated from|retired|got rid of
    |phased out|dropped) \w+
    früher\w*|ehemalig\w*|damals|vorher\w*|letzte[nrsm]? (?:woche|jahr|monat|sommer|winter|frühling|herbst|mal|montag
    |dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|gestern|vorgestern|vor (?:dem|der|den|unserem) \w+
    |vor (?:\w+ )?(?:jahren|monaten|wochen|tagen|einem|einer|zwei|drei|der (?:umstellung|umzug|migration))
    |ursprünglich\w*|bisherig\w*|seit wann|wann (?:haben|hat|wurde|wurden|war|waren|ist|sind)|hatten wir|hatte (?:ich
    |er|sie|das|der|die)|alte[nrsm]? \w+|verlauf|wie sah(?:en)?|wie (?:hat|haben) sich ~(?:entwickelt|verändert
    |geändert)|chronologie|was (?:war|waren|geschah|passierte)|was hat sich|was ist ~passiert|wer war
    |wie oft (?:haben|hat|wurde)|jemals|schon (?:ein)?mal|anfangs|zuvor|bevor|hieß|hießen|nutzten|benutzten
    |verwendeten|zuletzt|erste version|vorgänger\w*|geschichte (?:der|des|von)|wie lange (?:hat|haben|war|waren)
    |seit (?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|wann)
    ^(?:wer|wo|welche\w*) (?:war|waren|hatte|hatten)
    antes (?:de|del|que)|anterior\w*|antigu[oa]s?|cuándo (?:dejamos|fue|empezamos|se|cambiamos|empezó|dejó|compramos
    |hicimos|pasó|llegó|salió)|teníamos|usábamos|tenía|vivía|era|eran|estaba|estábamos|hace (?:\w+ )?(?:años?|meses
    |mes|semanas?|días|tiempo)|ayer|(?:semana|mes|año|verano|invierno|primavera|otoño) pasad[oa]|pasad[oa] (?:semana
    |mes|año)|al principio|originalmente|inicialmente|historial de|historia de|cronología|qué (?:pasó|ocurrió|sucedió
    |cambió)|alguna vez|solíamos|previ[oa]s?|desde cuándo|ha cambiado|ha evolucionado|(?:era|eran|fue|fueron|había
    |habíamos|tenían|solía|hubo)|\w{2,}(?:ábamos|íamos|aba|aban)|última vez|primera versión|en aquel entonces
    |origen de|cuántas veces|se llamaba|antes (?:la|el|los|las|se)|antes[?]?$
    ancien\w*|précédent\w*|auparavant|autrefois|avant (?:le|la|les|l'|que|de|notre|\w+)|(?:semaine|année|mois|été
    |hiver|printemps|automne|fois) (?:dernière?|passée?)|(?:dernière?|passée?) (?:semaine|année|mois|hiver|été)|hier
    |il y a (?:\w+ )?(?:ans?|mois|semaines?|jours?|longtemps)|à l'époque|s'appelait|avant[?.! ]*$|au début
    |à l'origine|initialement|historique|chronologie|depuis quand|quand (?:avons|a-t|est-ce|ont|avez|as-tu)|était
    |étaient|avait|avions|utilisions|évolué|a changé|s'est passé|déjà (?:eu|utilisé|essayé|fait)|combien de fois
    |jadis|d'origine|(?!faits?|parfait|souhait|lait|trait|extrait|portrait)\w{3,}(?:aient|ait)|étions|avions
    |l'an (?:passé|dernier)|la dernière fois|première version
"""
"""Past times, former states, change."""

AGAIN = r"""
    ^(?:what|who|where|which) (?:was|were) .{1,80} again[?.!]?$
"""
"""`what was … again` asks for no past."""

PAST = r"""
    ^(?:what|who|where|which ~|how ~) (?:did|was|were|had) (?:the|our|my|we|i|they|it|he|she)
    ^(?:was|were) (?:the|our|my|we|i|there|it)
    ^(?:what|which|who|where|when|how) .{1,60} (?:did|were) (?:we|our|the|they|everyone)
    did (?:we|i) (?:take|use|have|run|pay|call|name|live|wear|own|host|work|send|get|see|eat|buy|meet|visit|store)
    ^(?:was|wer|wo|wie|welche\w*|warum) (?:war|waren|hatten?|hieß|hießen|wurden?|gab)
"""
"""The past tense alone."""

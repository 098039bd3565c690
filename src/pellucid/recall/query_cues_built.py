"""Nothing in, the phrases of queries after how something is built and why out."""

HOW = r"""
    ^how (?:do|does) (?!i |you |he |she |they |it feel|one )(?:the|our|these|those|its|both|all|each|different|other
    |new|data) (?!dog|cat|baby|kids|twins|boss|boy|girl|children|story|book|film|movie|weather)
    ^how (?:do|does) (?!i |you |he |she |they )~(?:work|works|communicate|talk|fit|interact|propagate|scale|sync
    |synchroni[sz]e|route|validate|authenticate|relate|connect|depend|hang together|get from|end up|find out|flow
    |travel|coordinate|recover|share|exchange|handle|reach|discover|notify|cooperate|load|store|persist|expire
    |trigger|survive|guarantee|prevent|avoid|ensure|detect|resolve|retry|fail|cope|process|render|parse|know (?:which
    |that|when|whether|if|a|about)|pass)
    ^how (?:is|are) (?!we |you |i |it |things |everything )(?!.*\b(?:going|doing|looking|feeling
    |coming along)\b)~(?:\w{2,}ed|built|set up|laid out|put together|kept|held|split|done|wired|sent|written|read
    |chosen|broken|cut|broadcast|cast|put|set|spread|shut|fed|sealed|made|run|found|bound|tied|driven)
    ^how (?:a|an|the|our|each|every) \w+(?: \w+)? (?:travels|gets|flows|reaches|moves|passes|works|goes|ends|is|are
    |finds|talks|knows|handles|fits|turns)
    ^how (?:do|does) (?!i |you |he |she |they )~(?:get|gets|become|becomes) \w+
    ^(?:explain|describe|tell me|remind me|show me)? ?how (?!many|much|often|long|big|far)\w+(?: \w+){0,2} (?:is|are
    |get|gets) (?:\w+ly )?\w{2,}(?:ed|built|kept|held|sent|split|written|read|bound)(?! (?:on|upon))(?!.*\b(?:ruling
    |verdict|decision|agreed|did we|did they)\b)
    ^how (?:do|does) an? (?:upload|download|click|login|deploy|build|job|message|request|event|order|payment|user
    |customer|file|record|packet|query|call|change|commit|task|ticket|document|row|webhook|signal|reading
    |sensor reading) \w+
    ^how do we (?!pay|get to|spell|say|cook|feel|know each)\w+
    ^how (?!do|does|did|has|have|had|was|were|is|are|many|much|long|often|we|i|they)\w+(?: \w+){0,3} (?:works?
    |fits? in|hangs? together|talks? to|communicates?|reach|reaches|gets?|travels?|flows?|moves?|ends? up
    |knows?)(?!.*\b(?:ruling|verdict|decision|agreed|did we|did they)\b)
"""
"""How a thing works, at the start of the query."""

WHY_NOW = r"""
    (?:warum|wieso|weshalb) (?:läuft|laufen|ist|sind|wird|werden|hat|haben|liegt|liegen|gibt|nutzt|nutzen|braucht
    |brauchen|verwenden|verwendet|speichern|speichert|trennen|darf|schreibt|müssen|muss|benutzen|benutzt|halten|steht
    |kann|können) (?:der|die|das|wir|es|den|jede\w*|dem|ein|eine|zwei|alle|unser\w*)
    (?:por qué|porqué) (?:separamos|está|están|hay|usa|usamos|guardamos|tenemos|el|la|los|las|se|es|son|dividimos|no
    |tiene|necesita\w*|existe\w*|escribe|corre)
    cómo (?:decide\w*|elige\w*|sabe\w*|se (?:comunica|comunican|conecta|conectan|relaciona|relacionan|integra
    |integran|sincroniza\w*|guarda\w*|propaga\w*|reparte\w*|calcula\w*|valida\w*|organiza\w*)|funciona|funcionan
    |interactúa\w*|está (?:organizad|estructurad|construid|montad|diseñad|hech)\w+|viaja|viajan|llega|llegan|fluye\w*
    |encaja\w*|pasa|pasan|habla|hablan|trabaja\w*|depende\w*)
    pourquoi (?:avoir|le|la|les|l'|y a|est|sont|deux|un|une|notre|nos|cette?|ne|séparer|utilise|utilisons|utilise-t
    |stocke|faut|passer|a-t-on (?:séparé|découpé|isolé|mis)|avons-nous (?:séparé|découpé|isolé|mis|deux|un|une
    |besoin)|chaque)
    where (?:does|do|is) (?:the|our) ~(?:logic|code|validation|implementation|check|handling|state) (?:live|lives|sit
    |sits|kept|happen|located|belong)
    what(?:'s| is) responsible for
    (?:which|what) (?:services?|modules?|components?|processes|packages|parts|layers|systems) (?:share|sit|talk
    |belong|depend|are allowed|touch|know|use|live|form|make up|need|speak|run on|read|write|call|own)
    where (?:is|are|does|do) ~(?:plugged|wired|hooked|handled|validated|enforced|computed|checked|implemented
    |generated|persisted|cached|registered|instantiated)
    why (?:is|are|isn't|aren't|does|do|don't|doesn't|can't|cant|can|must|has|have|must|should) (?:\w+ )?(?:the|our|we
    |there|this|these|those|each|every|all|both|only|no|some|two|any) (?!sky|sun|sea|moon|ocean|world|earth|people
    |cats|dogs|leaves)
    why (?:is|are|isn't|aren't|does|do|don't|doesn't|can't|cant|can|must|has) ~(?:api|cli|service|services|module
    |modules|table|tables|queue|queues|cache|caches|database|db|server|servers|client|clients|index|worker|workers
    |process|thread|event|events|schema|storage|store|file|files|log|logs|config|job|jobs|token|tokens|package|layer
    |engine|parser|adapter|gateway|request|requests|history|key|keys|transaction|transactions|build|cursor|plugin
    |plugins|controller|column|columns|migration|migrations|session|sessions|proxy)
    what (?:protects|shields|guards|separates|connects|feeds|stores|allows|enables|lets|helps|gives|causes|forces
    |decides|determines|drives|ties|links|holds|controls|keeps|stops|prevents|ensures|guarantees|protects|makes
    |triggers|happens|breaks|would break|gets affected|calls|reads|writes|consumes|connects|sits|lives|runs
    |goes) (?!me|us (?:to|do)|him|her|on |wrong|at the|now|up)~\w+
    what (?:depends|relies|hangs|builds|calls) (?:on|into|off)
    what (?:does|do|happens to) an? (?:request|message|job|event|order|payment|user|record|packet|query|task|webhook)
    why (?:is|are) ~(?:kept|stored|written|encoded|split|separated|handled|cached|logged|saved|hashed|encrypted
    |copied|duplicated|built|run|sent|isolated|replicated|partitioned)
    what (?:would|will|could|might) (?:\w+ing ~(?:affect|break|change|do|mean|touch|cause)|break|be affected|happen
    |fail|stop working|need to change)
"""
"""Reasons and workings, in the present tense."""

ARCHITECTURAL = r"""
    why (?:was|were|did|had|wasn't|weren't|didn't) (?:the|our|we|it|this|there|these|each|they) ~(?:split|separate
    |separated|built|build|put|store|stored|keep|kept|design|designed|put|written|made|structured|implemented
    |implement|modelled|wrap|duplicate|introduce|introduced|add|added|need|needed|isolate|decouple|use|used)
    why (?:separate|split|not just|a separate|two|three|have|keep|use|put|store|wrap|isolate|bother with|only one) \w+
    architectur\w*|component diagram|diagrams?|data ?flow|control flow|call graph|dataflow|topology|data model
    |domain model|event sourcing|micro-?services?|monolith\w*|modular\w*|decoupl\w+|coupling|invariants?
    |under the hood|internals|end[- ]to[- ]end|internally|downstream|upstream|building blocks|tech stack
    |design pattern|interplay|wiring|lifecycle of|life cycle of
    (?:design|structure|layout|layers?|anatomy|components?|internals|organi[sz]ation|purpose|role|responsibilit(?:y
    |ies)|mechanism|schema|shape|parts|pieces|modules?|boundar(?:y|ies)|interfaces?|contracts?|interactions?
    |relations?|relationships?|connections?|dependenc(?:y|ies)|integration|trade-?offs?|constraints|limits|flow|path
    |overview|map|blueprint|skeleton|protocol|handshake|division of labou?r|separation|protocol) (?:of|between|behind
    |for|in|used|from|within|among|with|through|across|pushed) (?!life|the day|my life|me|kids)
    what (?:role|part|purpose|function|job|guarantees?|constraints|assumptions|invariants|pattern|layers?|protocol
    |interface|components?|modules?|mechanism|abstraction\w*) (?:do|does|is|are|did|has|have|pushed|shaped|make|makes
    |forced|drove|in|of|behind|sits|goes|talks|go)
    (?:what(?:'s|s| is)) the (?:point|purpose|role|reason|idea|reasoning|rationale|motivation|thinking|logic|intent
    |design|structure|shape|interface|contract|relationship|connection|boundary|flow|path|layout|schema|mechanism
    |architecture|responsibility|job) (?:of|behind|for|between|from)
    what(?:'s| is) (?:the|our) \w+(?: \w+){0,2} (?:for|responsible for|made of|made up of|built on|built with
    |built from|good for|there for|supposed to do)[?.!]?$
    (?:reason(?:s|ing)?|rationale|motivation|justification|argument|thinking|logic|idea|intent) (?:behind|for|of
    |that led)
    (?:role|part) (?:does|do|of) ~(?:play|plays|in)
    (?:fits?|fit|tie|ties|hang|hangs|plug|plugs|hook|hooks|slot|link|links|work|works) (?:in|into|together|in with
    |up with)
    (?:fits? in|fit together|hangs? together|works? together|ties? together|plugs? into|hooks? into)
    (?:depends?|relies|rely|relying|built|sits|builds|dependent) (?:on|upon|on top of)
    (?:talks?|communicates?|connects?|connected|linked|wired|attached|coupled|hooked) (?:to|with|up)
    (?:walk|take|guide|talk) me through
    (?:overview|outline|sketch|tour|explanation|description|breakdown|high-level view) of (?:the|our|how)
    (?:which|what) (?:side|end|half|store|database|module|service|component|layer|process|class|package|part|job
    |worker|system|table|queue|valve|piece|node|crate|library|program|device|circuit|sensor)s? (?:\w+ )?(?:may|can
    |could|must|should|writes?|reads?|calls?|owns?|feeds?|talks?|imports?|handles?|does|do(?! we| i| you| they| our)
    |depends?|is responsible|are responsible|is in charge|controls?|sends?|produces?|consumes?|knows?|contains?|sits?
    |uses?|emits?|validates?|listens?|makes?|holds?)
    where (?:do|does|is|are|should) ~(?:happen|happens|take place|validated|computed|enforced|checked|handled
    |implemented|boundary|line|begin|end|start|draw|drawn|persisted|cached|lie|sit)
    (?:can|could|may|should|must|does|do) (?:the|our) ~(?:without|directly|bypass|depend on|talk to|write to
    |read from|know about|share)
    why (?:a|an|two|three) ~(?:and not|instead|rather|over|not)
    (?:high|low)[- ]level (?:view|overview|picture|description)|big picture
    in (?:which|what) order (?:do|does|are|is)
    where (?:do|does|is|are) ~(?:get \w+|come from|comes from|generated|coming from|line between|border between
    |boundary between)
    what(?:'s|s| is| are) the (?:flow|path|steps?|sequence|order|route|life ?cycle|contract|logic|process)
    how come (?:the|our|we|there) (?!no longer|stopped|lost)
    (?:who|what|which \w+) (?:calls|invokes|writes to|reads from|subscribes to|listens to|makes up|feeds
    |owns the (?:state|data))
    what (?:does|do) (?:the|our) ~do (?:in|for|with|when|to)
    what (?:does|do) (?:the|our) \w+(?: \w+)?(?: \w+)? do[?.!]?$
    (?:what|which) (?:design|mechanism|trick|abstraction|property|pattern|structure) (?:lets|allows|makes|enables
    |gives|keeps)
    how(?:'s| is| are) (?:the|our) ~(?:organi[sz]ed|built|structured|modelled|set up|put together|wired|laid out
    |implemented|designed|split|layered)
    (?:consumers?|producers?|callers?|publishers?|subscribers?|dependents|clients) of (?:the|our)
    reasons? (?:we|why|that|it|the|there)
    (?:forces|pressures|requirements|considerations|constraints|circumstances|assumptions) ~(?:led|pushed|shaped
    |drove|made|forced|lead|behind)
    what else ~(?:has|have|needs?|would|must)
    (?:has|have|needs?) to change if
    (?:there|here|used|meant|needed|intended|responsible) for[?.!]?$
    (?:sits?|stands?|lies?|lives?) (?:between|in front of|behind|on top of|next to|beside|underneath|in relation to)
    extension points?|entry points?|failure modes?|fault tolerance|concurrency model|threading model
    |consistency model|caching strategy|call chain|event flow|auth flow|login flow|error handling strategy|two-phase
    |state machine (?:of|for|behind)
    where in the (?:stack|code|system|app|pipeline|flow|codebase|architecture)
    (?:is|are|does|do) (?:the|our) ~(?:aware of|independent of|decoupled from|allowed to|responsible for|coupled to
    |tied to|know about)
    what(?:'s|s| is) (?:under|underneath|behind|inside|between|beneath|on top of|in front of) (?:the|our)
    what(?:'s|s| is) the story (?:with|behind)
    where(?:'s|s| is) the (?:seam|boundary|border|split|line|join|interface|entry point)
    (?:seam|boundary|border|split) between
    interfaces? (?:the|our|that|which)
    (?:which|what) (?:modules?|services?|components?|parts?|layers?|systems?|packages?|processes|workers?) would
    (?:principles?|ideas?|thinking|philosophy|concepts?|assumptions?|logic|theory) (?:behind|underlying|of our)
    why (?:is|are) ~(?:used|needed|required|necessary|there|involved|in place)
    what would it (?:take|mean|need) to
    (?:what|which) (?:interfaces?|modules?|components?|apis?|endpoints?|hooks?|abstractions?)
    (?:who|what) (?:produces|consumes|emits|publishes|handles|validates|triggers|populates|fills|reads|writes
    |schedules|orchestrates) (?!my|our|your)
    sequence of (?:calls|steps|operations|messages)
    (?:plumbing|hierarchy|taxonomy|lifecycle|life cycle|hand-?off|backpressure|locking|replication|sharding
    |partitioning|threat model|trust boundar(?:y|ies)|schematic|blueprint|call path|bird's-eye view|moving parts
    |single-writer|fallback|layering|inheritance|orchestration|choreography|idempotency|isolation|error handling
    |failover) (?:of|for|in|between|behind|across|within|strategy|mechanism|model|scheme|works)
    (?:flow ?chart|er diagram|class diagram|sequence diagram|block diagram|wiring diagram|dependency graph
    |service map|system map)
    single source of truth|separation of concerns|dependency injection|message bus|fan-?out|design decisions behind
    (?:design(?:ed)?|structured|organi[sz]ed|modelled|modeled|architected|laid out|wired up|layered|partitioned
    |sharded|isolated|set up) (?:so that|to|as|like|this way|that way|the way|around|in (?:layers|modules|such a way)
    |into)
    ^(?:explain|describe) (?:the|our) \w+
    in our (?:design|architecture|system|setup|code base|codebase|model)
    (?:impact|effect|consequences?|blast radius) (?:of|if) (?:chang|remov|renam|replac|swap|delet|mov|the|we|i)\w*
    (?:if|when) (?:i|we|you|one) (?:rename|remove|change|delete|swap|replace|unplug|take out|turn off)
    how (?:\w+ )?(?:gets?|is|are) \w+ (?:from|to|into) ~(?:to|from|into)
    (?:step by step|steps),? (?:how|does|from)|how ~step by step
    flows? (?:from|through|between|into|to) \w+
    from \w+(?: \w+)? to (?:disk|dashboard|database|client|server|user|screen|storage|browser|production|backend
    |frontend)
    (?:architektur|aufbau|aufgebaut|struktur|strukturiert|schnittstellen?|zusammenspiel|abhängigkeit\w*|datenfluss
    |komponenten?|schichten?|entwurf|bauplan|datenmodell)
    hängen? ~(?:zusammen|ab)|wovon hängt|hängt ~ab|wie (?:ist|sind) ~(?:getrennt|aufgebaut|verbunden|gegliedert
    |organisiert|gekoppelt|umgesetzt|gelöst)
    wie (?:funktioniert|funktionieren|kommuniziert|kommunizieren|arbeitet|arbeiten|spricht|sprechen|kommt|kommen
    |gelangt|fließen|fließt|greift|greifen|ist ~(?:aufgebaut|strukturiert|organisiert|umgesetzt|gebaut|gelöst)|werden
    |wird) \w+
    wozu|welche rolle|wofür (?:ist|sind|dient|brauchen|gibt)|aus welchen teilen|woraus besteht
    arquitectura|estructura\w*|diseño|componentes?|flujo|capas|interfaz|interacción|módulos?|diagrama|esquema
    |dependencias?
    (?:qué|cuál) (?:papel|rol|función|servicios? (?:depende|escribe|llama|usa|lee)\w*|depende|pasa (?:si|cuando)
    |ocurre (?:si|cuando)|es el propósito)|qué hacen? (?:el|la|los|las) \w+ (?:en|cuando|con)|qué (?:módulos?
    |servicios?|componentes?)|de qué depende|para qué (?:sirve|está|existe|usamos|se usa)
    architecture|conception|composants?|flux|couches|schéma|structurée?s?|découpage|dépendances?|interagi\w+
    comment (?:fonctionne\w*|communique\w*|s'articule\w*|interagi\w+|est|sont|le|la|les|l'|nos|notre|les|circule\w*
    |se (?:parle|parlent|synchronise\w*|connecte\w*|passe|propage\w*)|passe\w*|un|une|transite\w*|dialogue\w*
    |marche\w*|gère\w*)
    (?:quel|quelle) (?:est le )?(?:rôle|composant|module|service|couche)|quels? (?:modules?|services?|composants?)
    |que fait (?:le|la|l')|à quoi (?:sert|servent)|de quoi dépend\w*|que se passe-t-il (?:si|quand|lorsque)
"""
"""Parts, what joins them, reasons."""

PARTS = r"""
    ^(?:what|where|how|which|why|who|whats|wheres|hows) .{1,80}\b(?:components?|modules?|interfaces?|layers?
    |abstractions?|seam|middleware|orchestrator|caches?|queues?|brokers?|daemon|storage|scheduler|ledger|pipelines?
    |gateway|subsystems?|adapters?|workers?|services?|backend|frontend|controller|schemas?)
"""
"""A question with a part of a system in it."""

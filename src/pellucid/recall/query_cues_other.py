"""Nothing in, the phrases of queries that ask for no class of memory out: tasks, small talk, tastes, the wide world."""

LEAD = r"""
    please|ok|okay|so|hey|hi|hello|and|but|also|well|now|just|quick question|remind me(?: again)?|tell me|i wonder
    |i forgot|i forget|(?:do|can|could|would) you (?:know|remember|recall|tell me|explain|describe|check|see|look up)
    |any idea|explain|describe|recap|check|bitte|sag mir|weißt du|dime|sabes|dis-moi|sais-tu|rappelle-moi
"""
"""What may stand in front of a query: words of its alternatives."""

TASKS = r"""
    ^(?:write|draft|translate|rewrite|rephrase|proofread|quiz|paraphrase|compose|rename|remove|delete|refactor
    |convert|implement|undo|sort|replace|simplify|calculate|compute|insert|generate|create|install|fix|add|jump to
    |capitali[sz]e|import|swap|edit|highlight|show me how to|tell me a (?:joke|story|riddle)|decide for me|build me
    |turn (?:this|it|that)|sing|let me|i(?:'m| am| feel| want| need| think| love| hate| like)(?! to know| wondering))
    ^(?:show|print|list|display|echo|get|cat)(?: me)?(?: the)? (?:current|latest|last|previous|git) (?:directory
    |folder|line|lines|file|date|time|commit|commits|page|tab|window|user|history|log)
    ^what (?:time|day|date) is it
    ^what is (?!(?:next|left|new|open|running|live|deployed|pending|broken|missing|blocking|due|on|up|it|this|that|my
    |our|the|overdue|planned|going|wrong|happening) ?)[\w-]+(?: [\w-]+)?[?.!]?$
    (?:latest|current|last|previous) (?:novel|book|film|movie|album|song|episode|news|season|events)
    how (?:do|does|is|are|old|big|far|hot|deep|long) (?:is |are )?(?:the )?(?:photosynthesis|gravity|inflation
    |vaccines?|electricity|magnets?|evolution|universe|earth|world|sun|moon|brain|heart|ocean|sea|planet|internet
    |rainbows?|volcano\w*|earthquakes?|tides?|birds?|bees|planes?|airplanes?)
    ^(?:rename|remove|delete|add|fix|refactor|convert|generate|create|open|jump to|clear|run|install|insert|copy|undo
    |implement|replace|sort|print|calculate|compute|play|format|shorten|go to|turn|increase|reduce|move|wrap|extract
    |bump|commit|push|deploy|restart|scroll|highlight|close|save|export|import|download|upload|set|make|change|update
    |book|buy|send|email|paint|draw|plot|count|simplify|debug|test|reset|undo) (?:the|a|an|this|that|it|my|these
    |those|me|all|every|two|three|some|all|up|down|off|in|into|\w+_\w+)(?! (?:decision|history|status) (?:of|on|for))
    ^(?:summari[sz]e|explain|shorten|review|read|check) (?:this|these|it|that|the following)
    ^(?:find|locate|open|show|show me|search for|grep|go to|where is|where's
    |which file has) (?:the |a )?(?:\w+ )?(?:file|function|class|method|test|line (?:that|where|which)|constant
    |variable|docs|definition)s?
    ^which (?:file|function|class|line|method|test) (?!(?:is|are) (?:still|currently))
    ^(?:help me|recommend|suggest|give me (?:a|an|some|five|ten|ideas)(?! (?:\w+ )?(?:timeline|history|list|summary
    |overview|recap|rundown|chronology|outline|update|tour))|can you (?:make|write|fix|add|do|give|suggest|rename
    |show)|could you (?:make|write|fix|add|do|give|suggest)|i want you to|i need you to|let's)
    ^(?:how (?:do|can|should|could|would|might) (?:i|you|one|people|someone)|how to|how many \w+ in an?
    |what's the best way|what is the best way|is there a way|is there any way|is it (?:possible|safe|ok|okay|better
    |worth)|can i|should i)
    ^(?:what(?:'s| is| are)|whats|who(?:'s| is)|explain(?: what)?|how (?:do|does|is)(?! an? (?:upload|download|click
    |login|deploy|build|job|message|request|event|order|payment|user|customer|file|record|packet|query|call|change
    |commit|task|ticket|document|row|webhook|signal|reading))|why (?:do|does|is)) (?:a|an) (?!.*\b(?:our|we|from
    |into)\b)
    ^explain (?:to me )?(?:what (?:a|an)|the (?:concept|difference|idea))
    ^(?:definition|meaning|synonyms?|syntax|example|examples|translation) (?:of|for)
    ^what does \S+ (?:mean|stand for)
    ^(?:good (?:morning|evening|night|afternoon)|thanks|thank you|thx|hello|hi|hey|bye|are you (?:there|ok|ready
    |sure)|how are you)
    ^why (?:is|are|am|do|does) (?:my|i|he|she|people|it so|the (?:sky|sea|moon|sun))
    ^who(?:'s| is| was) the (?:author|inventor|director|singer|composer|painter|king|queen|president|capital) of
    ^(?!(?:what|why|how|who|which|where|when|did|is|are|do|does|has|have|can|could|was|were)\b)(?!.*\b(?:we|our|my
    |the|did|was|were)\b).*\b(?:error(?! (?:codes?|handling|budget|rate|messages?))|exception|permission denied
    |connection refused|not found|segfault|traceback|stack overflow|undefined|null pointer|example|tutorial
    |cheat ?sheet|syntax)
    ^(?:explain|define) (?:the )?(?:word|term|joke|concept|phrase)
    ^(?:revert|squash|rebase|fetch|pull|clone|rerun|stop|kill|enable|disable|lint|mock|benchmark|profile|split|merge
    |mute|pause|resume|skip|cancel|schedule|reply|guess|imagine|pretend|suppose|define|spell|pronounce|answer|draw
    |rank|choose|pick|lower|raise|call|text|ping|order|list|name|log) (?:it|this|that|these|those|the file|the files
    |the test|the tests|the last|the branch|a|an|my|me|three|five|ten|two|some|all files|files|up|down|mum|mom|dad
    |you)
    ^who (?:sang|wrote|painted|invented|discovered|composed|directed|played|founded) (?!.*\b(?:our|first|before
    |version|prior)\b)
    (?:photosynthesis|gravity|quantum|monads?)
    ^is there an? ~(?:package|library|crate|plugin|tool|book|app|website|function|command|shortcut) (?:for|to|that)
    (?:do|does) (?!we (?:decide|agree))~(?:(?<!look )(?<!looks )like|prefer|love|hate|enjoy|drink|eat|dislike|speak
    |take (?:his|her|their|my)|want (?:his|her|their|for)|celebrate)
    ^(?!.*\b(?:was|were|did|used|before|old|former|previous|last|current|currently|new|now|agree\w*|decide\w*|chose
    |why|ever)\b).*\b(?:favou?rite|birthdays?|anniversary|allerg(?:y|ies|ic)|shoe size|ring size|middle name
    |maiden name|nickname|hobby|hobbies|blood type|star sign|zodiac|kids' names|pet's name|eye colou?r)
    (?:recipe|weather|population|distance|lyrics|plot|plural|synonyms?|antonyms?|pronunciation|boiling point
    |melting point|etymology|opposite|capital|currency|speed) (?:of|for|in|between)
    ^(?:python|git|bash|css|html|react|sql|docker|kubernetes|rust|java|javascript|typescript|node|numpy|pandas
    |postgres|nginx|linux|vim|excel|latex|regex|pytest|django|flask|golang|aws|sed|awk|curl|npm|pip|cargo) (?!was|is
    |did|version (?:do|are)|or)\w+
    ^(?:you're|you are|that's|that is|it's|this is) (?:right|wrong|funny|great|nice|fine|ok|good|it|all|perfect|not
    |weird)
    difference between
    in general
    the history of (?:rome|art|music|science|england|france|germany|the world|the universe|mathematics|philosophy)
    ^(?:übersetze?|schreib\w*|lösche?|öffne|erstelle?|benenne|entferne|füge|starte|wie (?:kann|soll|muss|mache
    |schreibt|kocht|macht|geht) (?:ich|man)|was ist (?:ein|eine)|was bedeutet|guten (?:morgen|abend|tag)|danke|hallo)
    ^(?:traduce|escribe|borra|abre|crea|añade|elimina|cómo (?:se (?:dice|hace|escribe)|puedo|hago)
    |¿cómo (?:se (?:dice|hace|escribe)|puedo|hago)|qué es un|¿qué es una?|gracias|hola|buenos días)
    ^(?:traduis|écris|supprime|ouvre|crée|ajoute|corrige|comment (?:faire|puis-je|dit-on|je peux|écrire)
    |qu'est-ce qu'une?|merci|bonjour|salut)
"""
"""Commands, greetings, how-to, definitions, tastes."""

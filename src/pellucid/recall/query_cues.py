"""Nothing in, the cues of each query class out: phrases in five languages, in the order in which they are tried.

One phrase a line, a regular expression over lower-case text. `~` stands for up to six words; a line with `^` must stand
at the start of the query (behind `please`, `remind me` and the like). Words end where a line ends.
"""

import re
from typing import Literal

QueryClass = Literal["historical", "architectural", "current_state", "decision", "other"]
"""What an answer would be about: how it was, how it is built, how it is now, what was decided, or none of these."""

_LEAD = r"""
    please|ok|okay|so|hey|hi|hello|and|but|also|well|now|just|quick question|remind me(?: again)?|tell me|i wonder|i forgot
    |i forget|(?:do|can|could|would) you (?:know|remember|recall|tell me|explain|describe|check|see|look up)
    |any idea|explain|describe|recap|check|bitte|sag mir|weißt du|dime|sabes|dis-moi|sais-tu|rappelle-moi
"""

_TASKS = r"""
    ^(?:write|draft|translate|rewrite|rephrase|proofread|quiz|paraphrase|compose|rename|remove|delete|refactor|convert|implement|undo|sort|replace|simplify|calculate|compute|insert|generate|create|install|fix|add|jump to|capitali[sz]e|import|swap|edit|highlight|show me how to|tell me a (?:joke|story|riddle)|decide for me|build me|turn (?:this|it|that)|sing|let me|i(?:'m| am| feel| want| need| think| love| hate| like)(?! to know| wondering))
    ^(?:show|print|list|display|echo|get|cat)(?: me)?(?: the)? (?:current|latest|last|previous|git) (?:directory|folder|line|lines|file|date|time|commit|commits|page|tab|window|user|history|log)
    ^what (?:time|day|date) is it
    ^what is (?!(?:next|left|new|open|running|live|deployed|pending|broken|missing|blocking|due|on|up|it|this|that|my|our|the|overdue|planned|going|wrong|happening) ?)[\w-]+(?: [\w-]+)?[?.!]?$
    (?:latest|current|last|previous) (?:novel|book|film|movie|album|song|episode|news|season|events)
    how (?:do|does|is|are|old|big|far|hot|deep|long) (?:is |are )?(?:the )?(?:photosynthesis|gravity|inflation|vaccines?|electricity|magnets?|evolution|universe|earth|world|sun|moon|brain|heart|ocean|sea|planet|internet|rainbows?|volcano\w*|earthquakes?|tides?|birds?|bees|planes?|airplanes?)
    ^(?:rename|remove|delete|add|fix|refactor|convert|generate|create|open|jump to|clear|run|install|insert|copy|undo
    |implement|replace|sort|print|calculate|compute|play|format|shorten|go to|turn|increase|reduce|move|wrap|extract
    |bump|commit|push|deploy|restart|scroll|highlight|close|save|export|import|download|upload|set|make|change|update
    |book|buy|send|email|paint|draw|plot|count|simplify|debug|test|reset|undo) (?:the|a|an|this|that|it|my
    |these|those|me|all|every|two|three|some|all|up|down|off|in|into|\w+_\w+)(?! (?:decision|history|status) (?:of|on|for))
    ^(?:summari[sz]e|explain|shorten|review|read|check) (?:this|these|it|that|the following)
    ^(?:find|locate|open|show|show me|search for|grep|go to|where is|where's|which file has) (?:the |a )?(?:\w+ )?(?:file|function|class|method|test
    |line (?:that|where|which)|constant|variable|docs|definition)s?
    ^which (?:file|function|class|line|method|test) (?!(?:is|are) (?:still|currently))
    ^(?:help me|recommend|suggest|give me (?:a|an|some|five|ten|ideas)(?! (?:\w+ )?(?:timeline|history|list|summary|overview|recap|rundown|chronology|outline|update|tour))|can you (?:make|write|fix|add|do|give|suggest|rename|show)
    |could you (?:make|write|fix|add|do|give|suggest)|i want you to|i need you to|let's)
    ^(?:how (?:do|can|should|could|would|might) (?:i|you|one|people|someone)|how to|how many \w+ in an?|what's the best way
    |what is the best way|is there a way|is there any way|is it (?:possible|safe|ok|okay|better|worth)|can i|should i)
    ^(?:what(?:'s| is| are)|whats|who(?:'s| is)|explain(?: what)?|how (?:do|does|is)(?! an? (?:upload|download|click|login|deploy|build|job|message|request|event|order|payment|user|customer|file|record|packet|query|call|change|commit|task|ticket|document|row|webhook|signal|reading))|why (?:do|does|is)) (?:a|an) (?!.*\b(?:our|we|from|into)\b)
    ^explain (?:to me )?(?:what (?:a|an)|the (?:concept|difference|idea))
    ^(?:definition|meaning|synonyms?|syntax|example|examples|translation) (?:of|for)
    ^what does \S+ (?:mean|stand for)
    ^(?:good (?:morning|evening|night|afternoon)|thanks|thank you|thx|hello|hi|hey|bye|are you (?:there|ok|ready|sure)|how are you)
    ^why (?:is|are|am|do|does) (?:my|i|he|she|people|it so|the (?:sky|sea|moon|sun))
    ^who(?:'s| is| was) the (?:author|inventor|director|singer|composer|painter|king|queen|president|capital) of
    ^(?!(?:what|why|how|who|which|where|when|did|is|are|do|does|has|have|can|could|was|were)\b)(?!.*\b(?:we|our|my|the|did|was|were)\b).*\b(?:error(?! (?:codes?|handling|budget|rate|messages?))|exception|permission denied|connection refused|not found|segfault|traceback|stack overflow|undefined|null pointer|example|tutorial|cheat ?sheet|syntax)
    ^(?:explain|define) (?:the )?(?:word|term|joke|concept|phrase)
    ^(?:revert|squash|rebase|fetch|pull|clone|rerun|stop|kill|enable|disable|lint|mock|benchmark|profile|split|merge|mute|pause|resume|skip|cancel|schedule|reply|guess|imagine|pretend|suppose|define|spell|pronounce|answer|draw|rank|choose|pick|lower|raise|call|text|ping|order|list|name|log) (?:it|this|that|these|those|the file|the files|the test|the tests|the last|the branch|a|an|my|me|three|five|ten|two|some|all files|files|up|down|mum|mom|dad|you)
    ^who (?:sang|wrote|painted|invented|discovered|composed|directed|played|founded) (?!.*\b(?:our|first|before|version|prior)\b)
    (?:photosynthesis|gravity|quantum|monads?)
    ^is there an? ~(?:package|library|crate|plugin|tool|book|app|website|function|command|shortcut) (?:for|to|that)
    (?:do|does) (?!we (?:decide|agree))~(?:(?<!look )(?<!looks )like|prefer|love|hate|enjoy|drink|eat|dislike|speak|take (?:his|her|their|my)|want (?:his|her|their|for)|celebrate)
    ^(?!.*\b(?:was|were|did|used|before|old|former|previous|last|current|currently|new|now|agree\w*|decide\w*|chose|why|ever)\b).*\b(?:favou?rite|birthdays?|anniversary|allerg(?:y|ies|ic)|shoe size|ring size|middle name|maiden name|nickname|hobby|hobbies|blood type|star sign|zodiac|kids' names|pet's name|eye colou?r)
    (?:recipe|weather|population|distance|lyrics|plot|plural|synonyms?|antonyms?|pronunciation|boiling point|melting point|etymology|opposite|capital|currency|speed) (?:of|for|in|between)
    ^(?:python|git|bash|css|html|react|sql|docker|kubernetes|rust|java|javascript|typescript|node|numpy|pandas|postgres|nginx|linux|vim|excel|latex|regex|pytest|django|flask|golang|aws|sed|awk|curl|npm|pip|cargo) (?!was|is|did|version (?:do|are)|or)\w+
    ^(?:you're|you are|that's|that is|it's|this is) (?:right|wrong|funny|great|nice|fine|ok|good|it|all|perfect|not|weird)
    difference between
    in general
    the history of (?:rome|art|music|science|england|france|germany|the world|the universe|mathematics|philosophy)
    ^(?:übersetze?|schreib\w*|lösche?|öffne|erstelle?|benenne|entferne|füge|starte|wie (?:kann|soll|muss|mache|schreibt|kocht|macht|geht) (?:ich|man)
    |was ist (?:ein|eine)|was bedeutet|guten (?:morgen|abend|tag)|danke|hallo)
    ^(?:traduce|escribe|borra|abre|crea|añade|elimina|cómo (?:se (?:dice|hace|escribe)|puedo|hago)|¿cómo (?:se (?:dice|hace|escribe)|puedo|hago)
    |qué es un|¿qué es una?|gracias|hola|buenos días)
    ^(?:traduis|écris|supprime|ouvre|crée|ajoute|corrige|comment (?:faire|puis-je|dit-on|je peux|écrire)|qu'est-ce qu'une?|merci|bonjour|salut)
"""
_HOW = r"""
    ^how (?:do|does) (?!i |you |he |she |they |it feel|one )(?:the|our|these|those|its|both|all|each|different|other|new|data) (?!dog|cat|baby|kids|twins|boss|boy|girl|children|story|book|film|movie|weather)
    ^how (?:do|does) (?!i |you |he |she |they )~(?:work|works|communicate|talk|fit|interact|propagate|scale|sync|synchroni[sz]e|route|validate|authenticate|relate|connect|depend|hang together|get from|end up|find out|flow|travel|coordinate|recover|share|exchange|handle|reach|discover|notify|cooperate|load|store|persist|expire|trigger|survive|guarantee|prevent|avoid|ensure|detect|resolve|retry|fail|cope|process|render|parse|know (?:which|that|when|whether|if|a|about)|pass)
    ^how (?:is|are) (?!we |you |i |it |things |everything )(?!.*\b(?:going|doing|looking|feeling|coming along)\b)~(?:\w{2,}ed|built|set up|laid out|put together|kept|held|split|done|wired|sent|written|read|chosen|broken|cut|broadcast|cast|put|set|spread|shut|fed|sealed|made|run|found|bound|tied|driven)
    ^how (?:a|an|the|our|each|every) \w+(?: \w+)? (?:travels|gets|flows|reaches|moves|passes|works|goes|ends|is|are|finds|talks|knows|handles|fits|turns)
    ^how (?:do|does) (?!i |you |he |she |they )~(?:get|gets|become|becomes) \w+
    ^(?:explain|describe|tell me|remind me|show me)? ?how (?!many|much|often|long|big|far)\w+(?: \w+){0,2} (?:is|are|get|gets) (?:\w+ly )?\w{2,}(?:ed|built|kept|held|sent|split|written|read|bound)(?! (?:on|upon))(?!.*\b(?:ruling|verdict|decision|agreed|did we|did they)\b)
    ^how (?:do|does) an? (?:upload|download|click|login|deploy|build|job|message|request|event|order|payment|user|customer|file|record|packet|query|call|change|commit|task|ticket|document|row|webhook|signal|reading|sensor reading) \w+
    ^how do we (?!pay|get to|spell|say|cook|feel|know each)\w+
    ^how (?!do|does|did|has|have|had|was|were|is|are|many|much|long|often|we|i|they)\w+(?: \w+){0,3} (?:works?|fits? in|hangs? together|talks? to|communicates?|reach|reaches|gets?|travels?|flows?|moves?|ends? up|knows?)(?!.*\b(?:ruling|verdict|decision|agreed|did we|did they)\b)
"""
_DECISION = r"""
    decid(?:ed|es?) (?:on|to|about|against|that|for|between|not|whether|if|upon|in favou?r)
    ~(?:did|have|has|had|was|were|been|got|we|you|they|team|finally|already) (?:\w+ )?decided?
    (?:what|why|who|how|when|where|which) ~(?:decided|decide)$
    (?<!how many )(?<!are )decisions? (?=(?:on|about|regarding|re|for|from|to|of|we|you|they|made|reached|taken|came|concerning|around|over|between|that|by|was|were|record|behind|against|in|at|did|has|the|my|our|is|with)\b)(?!log|engine|bugs?|templates?|boundary|boundaries|tree|trees|support|maker|model|table|tables|page|service|theory|node|function|making|matrix|fatigue|review|requests?|process|processes|flow|workflow|history|queue|forms?|meeting|points?|rules?|record template)\w+
    decisions?[?.!]?$
    ~(?:did|have|has|had|we|you|they|i|finally|was|were|got|been|team) (?:\w+ )?(?:chose|choose|chosen|opt(?:ed)? (?:for|to|out|against)
    |settled? (?:on|for|upon|with)|pick(?:ed)?|agreed?|approved?|veto(?:ed)?|reject(?:ed)?|conclude|concluded|vote[d]?
    |accept(?:ed)?|turn(?:ed)? down|rul(?:e|ed) (?:out|against|that|on|in)|sign(?:ed)? off|go(?:ne)? (?:with|for|ahead with)|went (?:with|for)|land(?:ed)? on
    |end(?:ed)? up|commit(?:ted)? (?:to|ourselves)|green-?lit|green-?light|resolved? to|greenlight|hire[d]?|declined?|sa(?:y|id) (?:no|yes) to
    |prefer(?:red)? over|discard(?:ed)?|adopt(?:ed)?|nail(?:ed)? down|make up|made up|made the call|shortlist(?:ed)?|scrap(?:ped)?|postponed?
    |drop(?:ped)? the (?:idea|plan)|abandon(?:ed)? the (?:idea|plan)|pass(?:ed)? on)
    did ~(?:choose|opt|settle|pick|agree|approve|veto|reject|conclude|sign off|sign it off|go with|accept|rule|decide|land on|commit to|say no|say yes|turn down|make up|object|vote|consent)
    (?:who|whoever|board|team|committee|council|landlord|boss|client|customer) (?:approved|vetoed|rejected|chose|picked|agreed|signed off|decided|ruled|insisted|objected|turned down
    |gave (?:the )?(?:green light|go-ahead|ok|okay|approval|permission)|said (?:no|yes)|overruled|voted|selected|proposed|suggested|recommended|blocked|authori[sz]ed|made the)
    (?:agreed|approved|settled|chosen|rejected|ruled out|vetoed|turned down|voted|signed off|opted|greenlit|agreed-upon|overruled|concluded)(?: \w+)*? (?:on|upon|with|for|about|to|by|in|at|split|plan|budget|price|date|name|naming|convention)
    (?:was|were|is|are|been|got|gets?|has|have|what|everything|that|it|things) (?:it |all |finally |already |not |been |being |we |and )*(?:agreed|settled|decided|chosen|ruled out|approved|rejected|vetoed|concluded|signed off|turned down)
    (?:verdict|consensus|ruling|conclusions?|compromise|agreement|resolution|outcome|green light|go-ahead|sign-off|final say|final word|final answer|bottom line|decision) (?:on|about|regarding|for|of|over|between|with|from|to|was|reached|we|by|in|as to|around|concerning)
    (?:verdict|consensus|ruling|conclusion|compromise|final say|final word)[?.!]?$
    (?:whose|final|judge?ment|made the|make the|tough|who made that|your|our|my) (?:call|choice|pick)
    (?:we|you|they) (?:said|say|agreed|promised) (?:we|you|they|that we)(?:'d|'ll| would| will)
    is (?:the|our|it|that) ~final[?.!]?$
    which (?:one|ones) (?:did|have) (?:we|you|they) \w+
    (?:stance|position|plan of record|answer) on
    (?:who|we|they|which ~) ended up
    how (?:was|were|did|has) ~(?:resolved|settled|decided|sorted out)
    (?:give|gave|given|grant|granted|get|got) ~(?:permission|approval|the ok|the go-ahead|the green light|blessing)
    (?:which|what) ~are we (?:going to )?(?:buy|buying|taking|go with|going with|choosing|choose|ordering|hiring|inviting|adopting|picking|pick)
    (?:was|were|been|get|got|is|are|has|have) ~(?:accepted|approved|rejected|vetoed|turned down|ruled out|agreed|settled)
    (?:which|what|who) (?:\w+ ){0,3}won
    yes or no
    (?:which|what) \w+(?: \w+)? did (?:we|you|they) (?:take|end|adopt|favou?r|stick)
    (?:did|was|were|who|which) ~(?:in the end|after all)[?.!]?$
    where did (?:we|you|they) ~(?:come down|land|end up)
    did ~(?:ok|okay|permit|allow|authori[sz]e|consent|insist|give (?:the |a )?(?:ok|okay|nod|go-ahead|green light|blessing|permission|approval)|shelve|call off|put off|stick with|stick to|bless|green-?light|promise)
    turn(?:ed|ing)? (?:\S+ ){1,4}down
    (?:have|has) ~(?:chosen|decided|picked|agreed|settled|voted|opted|committed|promised|vowed|resolved)
    thumbs (?:up|down)
    (?:was|were|got|been) resolved (?:at|in|by|on|during)
    (?:terms|agreement|deal|compromise|settlement|consensus|conclusion|decision) (?:was |were |did )?(?:\w+ )?(?:reached|struck|made|agreed)
    middle ground|common ground|made the cut|came out on top|won out|won over|prevailed|shot down|voted|ballot|ratified|greenlit|pledged|commitments? (?:to|we|on|from)|overruled
    (?:gave|give|given|got|get) (?:\w+ )?(?:the |a |their |his |her )?(?:nod|blessing|thumbs[- ]up|ok|okay|go[- ]ahead|green light|all-clear)
    how did (?:we|you|they|the \w+) (?:resolve|settle|decide|choose|pick|vote|agree)
    (?:limit|rules?|date|deadline|budget|price|target|cap|name|terms?|conditions?|goals?) (?:did |have )?(?:we|they|you) (?:set|fix|fixed|impose|imposed|picked|pick|chose|choose|agree|lay down|laid down)
    did ~(?:refuse|decline|deny|endorse|forbid|ban|ratify|overrule|greenlight|back out)
    ^(?:is|will|was) it (?:going to )?(?:be )?~or
    ^(?:are|will|do|shall|should) we ~or (?:not|stay|keep|leave)
    did we (?:ever |finally |actually )?say
    why \w+ (?:over|instead of|rather than|and not) \w+
    (?:choice|decision|call|pick|selection|commitment|promise)s? (?:\w+ )?(?:made|taken|reached|finali[sz]ed)
    did ~(?:recommend|advise|propose|suggest|conclude|resolve|determine)
    what(?:'s|s| is) it (?:going to|gonna) be
    the (?:vote|ballot|poll|motion|proposal) (?:about|on|for|over|to)
    (?:what|who|which \w+) ended up (?:being|as|with)
    (?:winner|winners|result|results) of the (?:\w+ )?(?:vote|poll|ballot|competition|contest|tender)
    did ~(?:sign up to|confirm (?:that )?(?:we|i|it)|make a (?:call|choice|decision)|come to a|reach a)
    (?:was|were|been) (?:\w+ )?(?:refused|denied|allowed|declined|granted)
    (?:ruled|rule) \S+ (?:out|in)
    plan of record|shelved|called off|put on hold|put off|undecided|up for decision
    did ~(?:shelve|scrap|stick with|stick to|go ahead with|back down|call off|put off|give up on)
    (?:any|no|final) decision(?! (?:log|engine|template|bug|tree|table|process|support|page|service))
    ^who called (?:for|it|off)
    (?:argued|pushed|lobbied|voted|argue|push) (?:for|against)
    (?:most|majority of the|enough) votes
    (?:the|final|a) call (?:on|about|whether)
    why (?:was|were|is|are) ~(?:picked|chosen|rejected|selected|preferred|ruled out|approved|turned down|dropped|favou?red)
    (?:still )?going ahead with
    who (?:was|were) (?:against|for|in favou?r|opposed)
    are we (?:\w+ )?(?:keeping|dropping|buying|cancelling|canceling|switching|hiring|selling|ditching|replacing)
    (?:stance|mandate|moratorium|sign-offs?|vetoe?s?|go/no-go|go or no[- ]go|yea or nay|pact|settlement|tie-?break(?:er)?|casting vote|takeaways?|action items|shortlist|approvals?|rejections?|concessions?|pledge|promise|commitments?|choices?|picks) (?:on|about|for|from|of|with|regarding|to|over|between|we|in)
    (?:came|come) out of the (?:\w+ )?(?:meeting|talks|discussion|retro|review|workshop|call|vote|session)
    (?:go|went|gone) (?:ahead )?with (?:the|a|an|it|that)
    (?:did|have|has) ~(?:agreement|consensus|compromise|a deal)
    (?:backed|opposed|supported|endorsed|seconded|blocked|objected to|argued against) (?:the|a|our) (?:\w+ )?(?:idea|plan|proposal|motion|switch|move|change|design|merger|budget)
    whose (?:idea|decision|call|choice)
    (?:choice|selection|pick) (?:of|between|for|was)
    adrs?(?:[ -#]+\d+)?
    (?:the|our) (?:deal|pact|arrangement|understanding|agreement) (?:we|with|between|about|on|is|was)
    made up (?:its|their|his|her|our|your|my) minds?
    (?:settled|agreed) (?:that|on|upon|or|with)
    is (?:it|that|this|the \w+|everything) (?:all )?(?:settled|agreed|decided|final|a done deal)
    (?:say|said|saying) (?:no|yes) to
    trade-?offs? (?:did|do|have) (?:we|you|i)
    which of ~(?:did (?:we|you|they|i)|won|was chosen|made it|got picked|prevailed|wins)
    what (?:won'?t|will|shall|aren'?t|are) we (?:not )?(?:be |going to )(?:\w+ing|build|do|ship|support|keep|cut|drop)
    what(?:'s| is) (?:out of|in) scope
    are we (?:\w+ )?(?:going with|going for|keeping|doing|getting|using|switching|choosing|moving|staying|buying|taking|sticking|dropping|inviting|having|hiring|adopting|supporting) ~\w+ or
    (?:are we|we're|are they|am i) (?:still )?(?:going with|going for|sticking (?:with|to)|opting for|settled on|agreed|in agreement|committed)
    why did (?:we|you|they|i) (?:finally |ultimately |end up )?(?:choose|pick|go|switch|drop|abandon|move|leave|cancel|stop|adopt|hire|buy|postpone|delay|reject|turn|decide|opt|prefer|settle|say|ban|replace|migrate|change|sell|pass)
    (?:made|led|convinced|persuaded|drove) (?:us|you|them|me) (?:to )?(?:do that|choose|pick|go with|switch|drop|decide|reject|turn|do it|say|settle)
    on whose (?:recommendation|say-so|advice|authority)
    (?:we|you) (?:won't|will not|don't|do not) (?:support|build|ship|do|use)
    (?:options|alternatives|candidates|proposals) (?:were|was|did|got|have been|we) ~(?:ruled out|rejected|considered|discarded|turned down|weighed|dismissed)
    (?:considered|rejected|discarded|dismissed) (?:alternatives|options)
    entschieden|entschieden haben|beschlossen|entscheidung\w*|vereinbart|abgemacht|ausgemacht|festgelegt|beschluss|beschlüsse|geeinigt|verworfen|abgelehnt|ausgewählt|genehmigt
    zugestimmt|einigung|kompromiss|ausgesucht|gewählt|abgesegnet|freigegeben|bewilligt|angenommen|genommen haben|zugesagt|abgesagt|abgestimmt|festgesetzt|durchgesetzt|freigegeben hat|für welche\w* ~entschieden|warum haben wir (?:uns )?~(?:gewählt|genommen)
    decidimos|decidió|decidieron|decidido|decisión|decisiones|acordamos|acordó|acordado|acuerdo|elegimos|eligió|elegido|escogimos|escogió|aprobó|aprobamos|aprobado|rechazamos|rechazó|descartamos|quedamos|qué quedamos|se aprobó|se decidió|se acordó|votamos|voto|resolvimos|resolvió|autorizó|optamos
    (?:por qué|porqué) (?:elegimos|escogimos|optamos|cambiamos)
    a-t-on (?:\w+ )?(?:décidé|choisi|tranché|retenu|opté)
    avons-nous (?:\w+ )?(?:décidé|choisi|tranché|retenu|opté|convenu|adopté|rejeté|écarté|accepté)
    (?:a|ont|on a|avons|avez|été|as) (?:\w+ )?(?:décidé|choisi|tranché|retenu|opté|convenu|validé|refusé|rejeté|écarté|approuvé|accepté)
    décidé|décisions?|tranché|convenu|retenue?s?|finalement|validée?|approuvée?|opté|verdict|accord (?:sur|avec)|choix (?:de|du|pour|entre)
    who (?:had|has|gets) the (?:last|final) (?:word|say)
    (?:idea|proposal|suggestion|plan|motion) (?:was |been |get |got )?(?:accepted|rejected|approved|dropped|shot down|turned down|killed|scrapped)
    (?:whether|did) (?:we|they|you) (?:ever )?(?:agree|decide|settle|choose|approve)
"""
_STILL = r"""
    ^(?:has|have|check (?:whether|if)|whether) (?!we |i |you )~(?:still|yet)
    ^(?:is|are|do|does|am) (?:we|i|you|they|\w+) (?:still|already|currently|now)
    ^(?:is|are) ~by now[?.!]?$
    ^(?:is|are) there (?:an? )?(?:open|active|pending)
    ^(?:is|are) (?:the|our|my) ~(?:public|private|live|up|down|on|off|online|offline|enabled|disabled|active|open|closed|running|broken|available|working|visible|full|empty|deployed|restricted|locked|done|ready|finished)
    ^(?:has|have) (?!.*\b(?:ever|always)\b)~yet
    ^did (?:the|my|our) ~(?:land|merge|ship|deploy|arrive|come through|get merged|go out|get fixed|finish)(?: yet)?[?.!]?$
    is it (?:live|up|out|done|merged|fixed|ready|deployed|working|back|running|valid|safe now|fine|ok)[?.!]?$
    did the (?:last|latest) ~(?:go through|pass|succeed|finish|deploy)
    ^(?:has|have) (?!.*\b(?:ever|always)\b)(?:the|our|my) ~(?:been|gone|come|arrived|replied|finished|landed|shipped|merged|started|passed)
"""
_PENDING = r"""
    ^(?:is|are|isn't|aren't|does|do) (?!we |i |you )~(?:still|yet|pending)(?! (?:going with|going for|going ahead|agreed|settled|decided))(?!.*\bgoing (?:with|for|ahead))
    ^(?:is|are) (?:the|our|my) ~(?:public|private|live|enabled|disabled|visible|online|offline|restricted|locked|behind a)
"""
_PARTS = r"""
    ^(?:what|where|how|which|why|who|whats|wheres|hows) .{1,80}\b(?:components?|modules?|interfaces?|layers?|abstractions?|seam|middleware|orchestrator|caches?|queues?|brokers?|daemon|storage|scheduler|ledger|pipelines?|gateway|subsystems?|adapters?|workers?|services?|backend|frontend|controller|schemas?)
"""
_PAST = r"""
    ^(?:what|who|where|which ~|how ~) (?:did|was|were|had) (?:the|our|my|we|i|they|it|he|she) 
    ^(?:was|were) (?:the|our|my|we|i|there|it) 
    ^(?:what|which|who|where|when|how) .{1,60} (?:did|were) (?:we|our|the|they|everyone)
    did (?:we|i) (?:take|use|have|run|pay|call|name|live|wear|own|host|work|send|get|see|eat|buy|meet|visit|store)
    ^(?:was|wer|wo|wie|welche\w*|warum) (?:war|waren|hatten?|hieß|hießen|wurden?|gab) 
"""
_AGAIN = r"""
    ^(?:what|who|where|which) (?:was|were) .{1,80} again[?.!]?$
"""
_NOW = r"""
    ^(?!.*\b(?:was|were|did|had|since when|history|timeline|ago|last|why|how|reason|explain)\b).*(?<!by )(?<!until )(?<!till )\b(?:still|now|right now|as of today)
    ^what(?:'s|s| is) the (?:status|state|progress) (?:of|on|with)(?! .*\b(?:ago|last|in (?:19|20)))
    ^who(?:'s| is| are)? (?:\w+s) (?:the|our|my|all the) (?:old|legacy|former|previous|past|original) (?!.*\b(?:was|were|did|had)\b)
    ^(?:is|are|does|do|has|have) (?:the|our|my|all|any|this) (?!.*\b(?:ever|always|last|ago|yesterday|used|before|previously|once|was|were|did)\b)~(?:old|legacy|former|previous|past|past-\w+|original|history|deprecated)
    ^(?:ist|sind|läuft|laufen|gibt|gilt|steht|funktioniert) (?!.*\b(?:entschieden|beschlossen|früher|letzte\w*|gestern)\b)
    (?:est|sont)-(?:il|elle|ils|elles|ce) ~(?:encore|toujours|en ligne|actif|active|ouvert|en cours)
    ^(?:sigue|siguen|está|están|funciona|hay|todavía) 
"""
_WHY_NOW = r"""
    (?:warum|wieso|weshalb) (?:läuft|laufen|ist|sind|wird|werden|hat|haben|liegt|liegen|gibt|nutzt|nutzen|braucht|brauchen|verwenden|verwendet|speichern|speichert|trennen|darf|schreibt|müssen|muss|benutzen|benutzt|halten|steht|kann|können) (?:der|die|das|wir|es|den|jede\w*|dem|ein|eine|zwei|alle|unser\w*)
    (?:por qué|porqué) (?:separamos|está|están|hay|usa|usamos|guardamos|tenemos|el|la|los|las|se|es|son|dividimos|no|tiene|necesita\w*|existe\w*|escribe|corre)
    cómo (?:decide\w*|elige\w*|sabe\w*|se (?:comunica|comunican|conecta|conectan|relaciona|relacionan|integra|integran|sincroniza\w*|guarda\w*|propaga\w*|reparte\w*|calcula\w*|valida\w*|organiza\w*)|funciona|funcionan|interactúa\w*|está (?:organizad|estructurad|construid|montad|diseñad|hech)\w+|viaja|viajan|llega|llegan|fluye\w*|encaja\w*|pasa|pasan|habla|hablan|trabaja\w*|depende\w*)
    pourquoi (?:avoir|le|la|les|l'|y a|est|sont|deux|un|une|notre|nos|cette?|ne|séparer|utilise|utilisons|utilise-t|stocke|faut|passer|a-t-on (?:séparé|découpé|isolé|mis)|avons-nous (?:séparé|découpé|isolé|mis|deux|un|une|besoin)|chaque)
    where (?:does|do|is) (?:the|our) ~(?:logic|code|validation|implementation|check|handling|state) (?:live|lives|sit|sits|kept|happen|located|belong)
    what(?:'s| is) responsible for
    (?:which|what) (?:services?|modules?|components?|processes|packages|parts|layers|systems) (?:share|sit|talk|belong|depend|are allowed|touch|know|use|live|form|make up|need|speak|run on|read|write|call|own)
    where (?:is|are|does|do) ~(?:plugged|wired|hooked|handled|validated|enforced|computed|checked|implemented|generated|persisted|cached|registered|instantiated)
    why (?:is|are|isn't|aren't|does|do|don't|doesn't|can't|cant|can|must|has|have|must|should) (?:\w+ )?(?:the|our|we|there|this|these|those|each|every|all|both|only|no|some|two|any) (?!sky|sun|sea|moon|ocean|world|earth|people|cats|dogs|leaves)
    why (?:is|are|isn't|aren't|does|do|don't|doesn't|can't|cant|can|must|has) ~(?:api|cli|service|services|module|modules|table|tables|queue|queues|cache|caches|database|db|server|servers|client|clients|index|worker|workers|process|thread|event|events|schema|storage|store|file|files|log|logs|config|job|jobs|token|tokens|package|layer|engine|parser|adapter|gateway|request|requests|history|key|keys|transaction|transactions|build|cursor|plugin|plugins|controller|column|columns|migration|migrations|session|sessions|proxy)
    what (?:protects|shields|guards|separates|connects|feeds|stores|allows|enables|lets|helps|gives|causes|forces|decides|determines|drives|ties|links|holds|controls|keeps|stops|prevents|ensures|guarantees|protects|makes|triggers|happens|breaks|would break|gets affected|calls|reads|writes|consumes|connects|sits|lives|runs|goes) (?!me|us (?:to|do)|him|her|on |wrong|at the|now|up)~\w+
    what (?:depends|relies|hangs|builds|calls) (?:on|into|off)
    what (?:does|do|happens to) an? (?:request|message|job|event|order|payment|user|record|packet|query|task|webhook)
    why (?:is|are) ~(?:kept|stored|written|encoded|split|separated|handled|cached|logged|saved|hashed|encrypted|copied|duplicated|built|run|sent|isolated|replicated|partitioned)
    what (?:would|will|could|might) (?:\w+ing ~(?:affect|break|change|do|mean|touch|cause)|break|be affected|happen|fail|stop working|need to change)
"""
_HISTORICAL = r"""
    (?<!is )(?<!are )(?<!be )(?<!get )used to 
    (?:who|we|i|they|he|she|it|you|that|which) used to
    did ~use to
    (?:was|were|did|had|have|has|used|hadn't|didn't|handled|ran|owned|kept|looked|worked|wore|paid|lived|led|held|wrote|charged|maintained|managed|sat|taught|cost|went|came|did) ~(?:before|until|till|prior to|up to|back when|back in|back then|at the time|in the past|in those days|earlier|previously|formerly|originally|initially|at first|in the beginning|at the start|to begin with|to start with|once)
    (?:who|what|which|that) \w+(?:ed|d|t|ew|ent) ~(?:before|until|prior to|back then)
    (?:before|until|prior to|up to) (?:\w+ ){1,3}(?:joined|switched|moved|left|took over|changed|came|arrived|started|began|migrated|broke|\w+ed|had|was|were|went|got)
    (?:before|from before|prior to|until) (?:the|our|we|i|she|he|they|that|this|last|it) (?:\w+ )*(?:switch|upgrade|migration|move|split|rewrite|allergy|merger|change|redesign|release|launch|renovation|accident|update|incident|outage|reorg|refactor\w*|cutover|current|\w+ed)
    back (?:when|then|in (?!the office|stock))
    when (?:we|i|she|he|they|it|you|the \w+|our \w+|\w+) (?:\w+ )?(?:still|first|was|were|lived|moved|started|joined|began|had|launched|left|opened|bought|founded)
    ^when (?:did|was|were|had|have|has)
    since when
    (?:for )?how long (?:did|was|were|had|ago|have|has)
    how often (?:did|was|were|have|has)
    how many times (?:did|have|has|had|was|were)
    (?:last|previous|past|prior) (?:week|month|year|spring|summer|winter|autumn|fall|night|weekend|sprint|quarter|time|christmas|easter|season|semester|term|release|decade|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december)
    yesterday|the day before|the other day
    ago|years back|weeks back|months back|a while back
    over (?:the|these|all) (?:years|months|weeks|past \w+|last \w+|time)|over time
    (?:at|by|around|back at) (?:the|that) (?:time|point)|in (?:the past|those days|hindsight|retrospect|the old days|earlier days)
    (?:was|were|did|had|happened|went|looked|\w+ed) ~(?:in|on|during|around|throughout) (?:early |late |mid |the )?(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|winter|fall|19\d\d|20\d\d|q[1-4]|outage|incident|\d{1,2}\w* (?:january|february|march|april|may|june|july|august|september|october|november|december))
    (?:as of|as at|state in|situation in|status in) (?:the )?(?:last|end of|start of|beginning of|mid|\d{4}|january|february|march|april|may|june|july|august|september|october|november|december|early|late)
    in (?:19|20)\d\d
    (?:our|my|the|their|his|her|its|whose|\w+'s|list|all|any|which|show me|name|who were|were|^|a) (?:\w+ )?(?:old|former|previous|prior|past|original|earlier|earliest|initial|first|ex|then|erstwhile|legacy|deprecated|retired|abandoned|discontinued) (?!draft of|name of the new|aid|class|person|thing|step|page|floor|line|few|part|column|week of|tense|\d)\w+
    ^(?:old|former|previous|prior|past|original|earlier|earliest|initial|oldest|first|ex) (?!aid|person)\w+
    last known|last seen|last used|last time|no longer|anymore|any more, since|since the (?:beginning|start|launch)|from the (?:beginning|start)
    (?:previous|earlier|older|past|former|prior) (?:versions?|drafts?|owners?|values?|settings?|names?|attempts?|tenants?|address\w*|employers?|jobs?|addresses|hosts?|plans?|suppliers?|providers?|vendors?)
    originally|formerly|previously|initially|at first|at one point|in the early days|early on|once (?:upon|was|had)
    (?:timeline|chronology|evolution|progression|history|changelog|change log|origins?|genesis|backstory) (?:of|for|behind|with|since|from|between)
    (?:timeline|chronology|changelog|chronological\w*|backstory|oldest first|newest first|in order of date)
    (?<!shell )(?<!browser )(?<!git )(?<!audit )history[?.!]?$
    (?:sequence|order|chain|series|succession) (?:of|in which) (?:events|alerts|changes|steps|things|incidents|failures|\w+ (?:that|we|happened|fired))
    what(?:'s| has|s)? (?:happened|changed|went wrong|went on|came before|came first|led (?:up )?to|'s changed|'s happened|preceded)
    what's (?:changed|happened|been)
    how (?:has|have|did|had) (?!i |you know)
    (?:have|has|did|had) (?:we|i|you|they|it|anyone|anybody|the \w+|our \w+|\w+) (?:ever|always|at any point|once|previously|before)
    (?:have|has|had) (?:we|i|you|they|the team|our team) (?:\w+ )?(?:dropped|tried|used|had|been|owned|lost|replaced|rewritten|lived|worked|gone through|seen|changed|switched|made|run|moved|stopped|given|missed|broken|visited|experimented|already)
    (?:had|hadn't) (?:i|we|you|they|he|she|it) 
    ^did (?:we|i|they|the|our|it|you|anyone|anybody|\w+ ever)
    ^(?:who|where|which \w+|how \w+) (?:was|were) (?:our|the|my|on|in|at|responsible|using|running|we|i|working|supposed)
    ^what were (?:our|the|my|we|i)
    ^what was (?:our|my|the|i|we|\w+'s) ~(?:like|called|when|while|during|as|initial\w*|original\w*|in|on|last|first|before|then)(?! again)
    (?:all|any|the|list|which) (?:changes|edits|modifications|revisions) (?:made|to|in|since|between|of)
    which (?:version|commit|release|change|deploy|update|pr) (?:introduced|broke|added|removed|fixed|caused|changed|dropped|first)
    (?:has|have) (?:ever |already |since )?had
    ^(?:my|our|the) \w+(?: \w+)? (?:in|on|during) (?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|winter)[?.!]?$
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
    (?:who|that|we|i|they) ever \w+|ever since|(?<!up )to date|way back|(?:week by week|day by day|month by month|year by year)
    (?:course|trajectory|saga|story|record|archive) of (?:the|our|my)
    since (?:we|i|he|she|they|last|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|easter|christmas)
    (?:at|on) (?:launch|day one|launch day|the day)
    post-?mortem|retired|defunct|superseded|pre-(?:migration|merger|launch|split|rewrite|move|war)
    (?:who|which \w+|what) (?:sang|drove|held|led|won|wrote|had|did|ran|kept|made|took|came|went|got|built|taught|died|broke|left|chaired|hosted|\w{3,}ed) ~(?:prior to|before|until|last|in (?:19|20)\d\d|back)
    (?:has|have) (?:this|the|our|my|it|that) ~(?:been|had|gone|run|used|lived|changed)(?! (?:merged|paid|published|approved|fixed|done|released|deployed|sent|shipped|updated|set|assigned|finished|delivered|renewed))
    in the (?:\w+ties|\d0s|beginning|old days|early|late)
    at (?:what|which) (?:point|time|stage) (?:did|was|were|had)
    (?:before|after|during) the (?:freeze|crash|fire|flood|war|party|trip|holiday|holidays|pandemic|lockdown|wedding|outage|release|launch)
    has been tried|have been tried|(?:tried|attempted) so far
    i (?:bought|used|had|wore|owned|read|rented|drove) before
    predecessors?|trend (?:of|in)|(?:leading|led|running) up to|at one time|the first time|(?:growing up|as a (?:child|kid|student))|childhood
    (?:which|what) \w+(?: \w+)? (?:was|were) (?!(?:we|i) (?:going|supposed))\w+
    what did \w+'s \w+
    when (?:it|they|the \w+|\w+) (?:was|were) (?:founded|built|started|born|little|young|small|new|opened|launched|created|made)
    the last (?:outage|release|time|meeting|trip|visit|deploy|incident|conversation|version|owner|attempt|sprint|review|update|backup|failure|crash|migration)[?.!]?$
    (?:rolled back|reverted|renamed)
    (?:was|were) (?:removed|added|dropped|introduced|replaced|renamed|deprecated|shut down|closed|moved|changed) (?:in|from|by|when|with)
    before the (?:\w+ )?\w+[?.!]?$
    how (?:the|our|my|things) \w+(?: \w+)? (?:developed|changed|evolved|went|grew|looked|moved|started|began)
    ^what (?:was|were) (?:on|in|at|under|behind|inside) (?:the|our|my)
    (?:has|have) been (?:decommissioned|retired|removed|dropped|replaced|cancelled|closed|sold|shut down|lost)
    (?:have|has) there been
    how (?:we|i|they) (?:lost|won|got|came|went|met|\w{3,}ed)
    as of (?:version|v)
    (?:audit trail|retrospective|milestones|lineage|provenance|forerunner|inaugural|earliest|oldest|first ever|incarnations?|iterations|revisions|past versions|obsolete|discontinued|phased out|sunset|bygone|of old) (?:of|for|on|in|version|that|we|one|\w+)
    (?:what|which) (?:year|day|month|date|time) (?:did|was|were)
    how (?:long ago|recently) |long ago
    (?:over|in|during|for|within) the (?:last|past) (?:\w+ )?(?:days|weeks|months|years|sprints|releases|quarters|decade|century|year|month|week)
    (?:used to|no longer|not any ?more|stopped) 
    (?:the|my|our|his|her|their) (?:year|month|week|day|summer|winter|season) (?:we|i|he|she|they|before)
    in (?:my|our|his|her|their|the) (?:previous|last|old|former|first|early) \w+
    ^(?:who|what) (?:started|introduced|broke|caused|replaced|preceded|came before)
    (?:stopped|quit|gave up|switched (?:from|away|off)|moved (?:away|off|from)|migrated from|retired|got rid of|phased out|dropped) \w+
    früher\w*|ehemalig\w*|damals|vorher\w*|letzte[nrsm]? (?:woche|jahr|monat|sommer|winter|frühling|herbst|mal|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|gestern|vorgestern|vor (?:dem|der|den|unserem) \w+|vor (?:\w+ )?(?:jahren|monaten|wochen|tagen|einem|einer|zwei|drei|der (?:umstellung|umzug|migration))|ursprünglich\w*|bisherig\w*|seit wann|wann (?:haben|hat|wurde|wurden|war|waren|ist|sind)|hatten wir|hatte (?:ich|er|sie|das|der|die)|alte[nrsm]? \w+|verlauf|wie sah(?:en)?|wie (?:hat|haben) sich ~(?:entwickelt|verändert|geändert)|chronologie|was (?:war|waren|geschah|passierte)|was hat sich|was ist ~passiert|wer war|wie oft (?:haben|hat|wurde)|jemals|schon (?:ein)?mal|anfangs|zuvor|bevor|hieß|hießen|nutzten|benutzten|verwendeten|zuletzt|erste version|vorgänger\w*|geschichte (?:der|des|von)|wie lange (?:hat|haben|war|waren)|seit (?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|wann)
    ^(?:wer|wo|welche\w*) (?:war|waren|hatte|hatten)
    antes (?:de|del|que)|anterior\w*|antigu[oa]s?|cuándo (?:dejamos|fue|empezamos|se|cambiamos|empezó|dejó|compramos|hicimos|pasó|llegó|salió)|teníamos|usábamos|tenía|vivía|era|eran|estaba|estábamos|hace (?:\w+ )?(?:años?|meses|mes|semanas?|días|tiempo)|ayer|(?:semana|mes|año|verano|invierno|primavera|otoño) pasad[oa]|pasad[oa] (?:semana|mes|año)|al principio|originalmente|inicialmente|historial de|historia de|cronología|qué (?:pasó|ocurrió|sucedió|cambió)|alguna vez|solíamos|previ[oa]s?|desde cuándo|ha cambiado|ha evolucionado|(?:era|eran|fue|fueron|había|habíamos|tenían|solía|hubo)|\w{2,}(?:ábamos|íamos|aba|aban)|última vez|primera versión|en aquel entonces|origen de|cuántas veces|se llamaba|antes (?:la|el|los|las|se)|antes[?]?$
    ancien\w*|précédent\w*|auparavant|autrefois|avant (?:le|la|les|l'|que|de|notre|\w+)|(?:semaine|année|mois|été|hiver|printemps|automne|fois) (?:dernière?|passée?)|(?:dernière?|passée?) (?:semaine|année|mois|hiver|été)|hier|il y a (?:\w+ )?(?:ans?|mois|semaines?|jours?|longtemps)|à l'époque|s'appelait|avant[?.! ]*$|au début|à l'origine|initialement|historique|chronologie|depuis quand|quand (?:avons|a-t|est-ce|ont|avez|as-tu)|était|étaient|avait|avions|utilisions|évolué|a changé|s'est passé|déjà (?:eu|utilisé|essayé|fait)|combien de fois|jadis|d'origine|(?!faits?|parfait|souhait|lait|trait|extrait|portrait)\w{3,}(?:aient|ait)|étions|avions|l'an (?:passé|dernier)|la dernière fois|première version
"""
_ARCHITECTURAL = r"""
    why (?:was|were|did|had|wasn't|weren't|didn't) (?:the|our|we|it|this|there|these|each|they) ~(?:split|separate|separated|built|build|put|store|stored|keep|kept|design|designed|put|written|made|structured|implemented|implement|modelled|wrap|duplicate|introduce|introduced|add|added|need|needed|isolate|decouple|use|used)
    why (?:separate|split|not just|a separate|two|three|have|keep|use|put|store|wrap|isolate|bother with|only one) \w+
    architectur\w*|component diagram|diagrams?|data ?flow|control flow|call graph|dataflow|topology|data model|domain model|event sourcing|micro-?services?|monolith\w*|modular\w*|decoupl\w+|coupling|invariants?|under the hood|internals|end[- ]to[- ]end|internally|downstream|upstream|building blocks|tech stack|design pattern|interplay|wiring|lifecycle of|life cycle of
    (?:design|structure|layout|layers?|anatomy|components?|internals|organi[sz]ation|purpose|role|responsibilit(?:y|ies)|mechanism|schema|shape|parts|pieces|modules?|boundar(?:y|ies)|interfaces?|contracts?|interactions?|relations?|relationships?|connections?|dependenc(?:y|ies)|integration|trade-?offs?|constraints|limits|flow|path|overview|map|blueprint|skeleton|protocol|handshake|division of labou?r|separation|protocol) (?:of|between|behind|for|in|used|from|within|among|with|through|across|pushed) (?!life|the day|my life|me|kids)
    what (?:role|part|purpose|function|job|guarantees?|constraints|assumptions|invariants|pattern|layers?|protocol|interface|components?|modules?|mechanism|abstraction\w*) (?:do|does|is|are|did|has|have|pushed|shaped|make|makes|forced|drove|in|of|behind|sits|goes|talks|go)
    (?:what(?:'s|s| is)) the (?:point|purpose|role|reason|idea|reasoning|rationale|motivation|thinking|logic|intent|design|structure|shape|interface|contract|relationship|connection|boundary|flow|path|layout|schema|mechanism|architecture|responsibility|job) (?:of|behind|for|between|from)
    what(?:'s| is) (?:the|our) \w+(?: \w+){0,2} (?:for|responsible for|made of|made up of|built on|built with|built from|good for|there for|supposed to do)[?.!]?$
    (?:reason(?:s|ing)?|rationale|motivation|justification|argument|thinking|logic|idea|intent) (?:behind|for|of|that led)
    (?:role|part) (?:does|do|of) ~(?:play|plays|in)
    (?:fits?|fit|tie|ties|hang|hangs|plug|plugs|hook|hooks|slot|link|links|work|works) (?:in|into|together|in with|up with) 
    (?:fits? in|fit together|hangs? together|works? together|ties? together|plugs? into|hooks? into)
    (?:depends?|relies|rely|relying|built|sits|builds|dependent) (?:on|upon|on top of)
    (?:talks?|communicates?|connects?|connected|linked|wired|attached|coupled|hooked) (?:to|with|up)
    (?:walk|take|guide|talk) me through
    (?:overview|outline|sketch|tour|explanation|description|breakdown|high-level view) of (?:the|our|how)
    (?:which|what) (?:side|end|half|store|database|module|service|component|layer|process|class|package|part|job|worker|system|table|queue|valve|piece|node|crate|library|program|device|circuit|sensor)s? (?:\w+ )?(?:may|can|could|must|should|writes?|reads?|calls?|owns?|feeds?|talks?|imports?|handles?|does|do(?! we| i| you| they| our)|depends?|is responsible|are responsible|is in charge|controls?|sends?|produces?|consumes?|knows?|contains?|sits?|uses?|emits?|validates?|listens?|makes?|holds?)
    where (?:do|does|is|are|should) ~(?:happen|happens|take place|validated|computed|enforced|checked|handled|implemented|boundary|line|begin|end|start|draw|drawn|persisted|cached|lie|sit)
    (?:can|could|may|should|must|does|do) (?:the|our) ~(?:without|directly|bypass|depend on|talk to|write to|read from|know about|share)
    why (?:a|an|two|three) ~(?:and not|instead|rather|over|not)
    (?:high|low)[- ]level (?:view|overview|picture|description)|big picture
    in (?:which|what) order (?:do|does|are|is)
    where (?:do|does|is|are) ~(?:get \w+|come from|comes from|generated|coming from|line between|border between|boundary between)
    what(?:'s|s| is| are) the (?:flow|path|steps?|sequence|order|route|life ?cycle|contract|logic|process)
    how come (?:the|our|we|there) (?!no longer|stopped|lost)
    (?:who|what|which \w+) (?:calls|invokes|writes to|reads from|subscribes to|listens to|makes up|feeds|owns the (?:state|data))
    what (?:does|do) (?:the|our) ~do (?:in|for|with|when|to)
    what (?:does|do) (?:the|our) \w+(?: \w+)?(?: \w+)? do[?.!]?$
    (?:what|which) (?:design|mechanism|trick|abstraction|property|pattern|structure) (?:lets|allows|makes|enables|gives|keeps)
    how(?:'s| is| are) (?:the|our) ~(?:organi[sz]ed|built|structured|modelled|set up|put together|wired|laid out|implemented|designed|split|layered)
    (?:consumers?|producers?|callers?|publishers?|subscribers?|dependents|clients) of (?:the|our)
    reasons? (?:we|why|that|it|the|there)
    (?:forces|pressures|requirements|considerations|constraints|circumstances|assumptions) ~(?:led|pushed|shaped|drove|made|forced|lead|behind)
    what else ~(?:has|have|needs?|would|must)
    (?:has|have|needs?) to change if
    (?:there|here|used|meant|needed|intended|responsible) for[?.!]?$
    (?:sits?|stands?|lies?|lives?) (?:between|in front of|behind|on top of|next to|beside|underneath|in relation to)
    extension points?|entry points?|failure modes?|fault tolerance|concurrency model|threading model|consistency model|caching strategy|call chain|event flow|auth flow|login flow|error handling strategy|two-phase|state machine (?:of|for|behind)
    where in the (?:stack|code|system|app|pipeline|flow|codebase|architecture)
    (?:is|are|does|do) (?:the|our) ~(?:aware of|independent of|decoupled from|allowed to|responsible for|coupled to|tied to|know about)
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
    (?:who|what) (?:produces|consumes|emits|publishes|handles|validates|triggers|populates|fills|reads|writes|schedules|orchestrates) (?!my|our|your)
    sequence of (?:calls|steps|operations|messages)
    (?:plumbing|hierarchy|taxonomy|lifecycle|life cycle|hand-?off|backpressure|locking|replication|sharding|partitioning|threat model|trust boundar(?:y|ies)|schematic|blueprint|call path|bird's-eye view|moving parts|single-writer|fallback|layering|inheritance|orchestration|choreography|idempotency|isolation|error handling|failover) (?:of|for|in|between|behind|across|within|strategy|mechanism|model|scheme|works)
    (?:flow ?chart|er diagram|class diagram|sequence diagram|block diagram|wiring diagram|dependency graph|service map|system map)
    single source of truth|separation of concerns|dependency injection|message bus|fan-?out|design decisions behind
    (?:design(?:ed)?|structured|organi[sz]ed|modelled|modeled|architected|laid out|wired up|layered|partitioned|sharded|isolated|set up) (?:so that|to|as|like|this way|that way|the way|around|in (?:layers|modules|such a way)|into)
    ^(?:explain|describe) (?:the|our) \w+
    in our (?:design|architecture|system|setup|code base|codebase|model)
    (?:impact|effect|consequences?|blast radius) (?:of|if) (?:chang|remov|renam|replac|swap|delet|mov|the|we|i)\w*
    (?:if|when) (?:i|we|you|one) (?:rename|remove|change|delete|swap|replace|unplug|take out|turn off)
    how (?:\w+ )?(?:gets?|is|are) \w+ (?:from|to|into) ~(?:to|from|into)
    (?:step by step|steps),? (?:how|does|from)|how ~step by step
    flows? (?:from|through|between|into|to) \w+
    from \w+(?: \w+)? to (?:disk|dashboard|database|client|server|user|screen|storage|browser|production|backend|frontend)
    (?:architektur|aufbau|aufgebaut|struktur|strukturiert|schnittstellen?|zusammenspiel|abhängigkeit\w*|datenfluss|komponenten?|schichten?|entwurf|bauplan|datenmodell)
    hängen? ~(?:zusammen|ab)|wovon hängt|hängt ~ab|wie (?:ist|sind) ~(?:getrennt|aufgebaut|verbunden|gegliedert|organisiert|gekoppelt|umgesetzt|gelöst)
    wie (?:funktioniert|funktionieren|kommuniziert|kommunizieren|arbeitet|arbeiten|spricht|sprechen|kommt|kommen|gelangt|fließen|fließt|greift|greifen|ist ~(?:aufgebaut|strukturiert|organisiert|umgesetzt|gebaut|gelöst)|werden|wird) \w+
    wozu|welche rolle|wofür (?:ist|sind|dient|brauchen|gibt)|aus welchen teilen|woraus besteht
    arquitectura|estructura\w*|diseño|componentes?|flujo|capas|interfaz|interacción|módulos?|diagrama|esquema|dependencias?
    (?:qué|cuál) (?:papel|rol|función|servicios? (?:depende|escribe|llama|usa|lee)\w*|depende|pasa (?:si|cuando)|ocurre (?:si|cuando)|es el propósito)|qué hacen? (?:el|la|los|las) \w+ (?:en|cuando|con)|qué (?:módulos?|servicios?|componentes?)|de qué depende|para qué (?:sirve|está|existe|usamos|se usa)
    architecture|conception|composants?|flux|couches|schéma|structurée?s?|découpage|dépendances?|interagi\w+
    comment (?:fonctionne\w*|communique\w*|s'articule\w*|interagi\w+|est|sont|le|la|les|l'|nos|notre|les|circule\w*|se (?:parle|parlent|synchronise\w*|connecte\w*|passe|propage\w*)|passe\w*|un|une|transite\w*|dialogue\w*|marche\w*|gère\w*)
    (?:quel|quelle) (?:est le )?(?:rôle|composant|module|service|couche)|quels? (?:modules?|services?|composants?)|que fait (?:le|la|l')|à quoi (?:sert|servent)|de quoi dépend\w*|que se passe-t-il (?:si|quand|lorsque)
"""
_CURRENT = r"""
    cur+ent(?:ly)?|at present|presently|nowadays|these days|right now|at the moment|at this (?:point|moment|time)|as of (?:today|now|this)|as we speak|so far|up to date|in effect|in force|in progress|in use|on call|on duty|most recent|most up-to-date|latest|outstanding|up and running|for the time being|as it stands|as things stand
    now[?.!]?$|today[?.!]?$|this (?:week|month|quarter|sprint|season|semester|term)[?.!]?$
    (?:status|state|progress|standing|health|availability|whereabouts|stage|phase) (?:of|on|with|for|in|check)
    (?:status|progress|eta)[?.!]?$
    (?:any )?(?:update|updates|news|word) (?:on|about|from)
    where (?:do|does|are|am) (?:we|i|things|it|they) (?:stand|at|with|on|up to|now)
    where ~(?:stands?|left off|we are)[?.!]?$
    how (?:far|close) (?:along|are|is|off|into|from)
    how(?:'s| is| are) (?:the|our|my|things|it) ~(?:going|doing|looking|coming|holding|progressing|performing)
    what(?:'s|s| is| are) (?:\w+ )?(?:deployed|running|live|enabled|blocking|left|next|missing|pending|open|due|scheduled|in|on|up|broken|wrong with|installed|planned|overdue|remaining|holding|happening|going on|failing|stopping)
    what(?:'s|s| is) (?:up|new|happening|on) with
    who(?:'s|s| is| are) (?:the|our|my|on|in|responsible|working|assigned|leading|running|handling|maintaining|in charge|looking after|taking|covering|using|currently|allowed|paying|watching|away|doing|managing)
    who (?:owns|handles|runs|maintains|leads|manages|looks after|has|does|pays|takes|reviews|holds|controls|signs|cleans|teaches|covers|administers|supports|hosts|watches|feeds|drives|gets|keeps|uses|works|do (?:i|we)|can|oversees|heads)
    what(?:'s|s| is| are) (?:our|my current|the (?:name of the )?new|the (?:\w+ ){0,3}(?:set to|set at|version|limit|port|timeout|url|endpoint|hostname|balance|price|rate|deadline|budget|quota|owner|default|threshold|size|count|interval|schedule|setting|branch|plan|rota|region|address of our|value|password|target|score|flag|stage|cost|fee|rent|salary|number of|capacity|retention|frequency|cadence|wifi|headcount|address|ip|domain|bucket|channel|ttl|lifetime|cap|ceiling|maximum|minimum|lead|maintainer|contact|chair|phase|mileage|stock|inventory|occupancy)s?(?! of (?:a|an) ))
    what(?:'s| is) (?:the|our|my) ~(?:set to|called now|at now|on now|right now|like now|these days)
    (?:which|what) (?:\w+ ){1,3}(?:is|are|do|does|have|has|am) (?:we|our|the|my (?:\w+ )?(?:plan|account|car|server|laptop|team|project|subscription)|running|set|active|enabled|live|deployed|on|off|open|assigned|left|in|installed|using|hosting|still|being|it|they|currently|i (?:working|on|paying|using|subscribed|running|assigned|registered))
    (?:which|what) ~(?:are|do|have) (?:we|they)
    which \w+ (?:runs?|hosts?|serves?|works|owns|holds|has|is|are|needs?|uses?|covers?|supports?|blocks?|fails?|still|currently)
    what (?:do|are) (?:we|they) (?:\w+ )?(?:pay|use|charge|run|host|spend|store|support|using|paying|running|waiting|doing|working|missing|charging|on|at|shipping|owe|have|offer|allow|sell)
    what am i (?:subscribed|working|paying|doing|on|supposed|waiting)
    what (?:value|setting|version|port|limit|plan|tier|size|level) (?:do|does|is|are|has)
    where (?:do|are) (?:we|our|the|they) ~\w+
    where (?:is|does) (?:the|our) ~(?:hosted|deployed|running|stored|kept|live|lives|now|located|parked|run|go|point|backed up|listen)
    ^(?:is|are|isn't|aren't) (?!my (?:uncle|aunt|mother|mom|mum|dad|father|sister|brother|grand\w+|son|daughter|wife|husband|boss|friend|cousin|niece|nephew|cat|dog)\b)(?:the|our|my|any|anyone|anybody|there|we|all|everyone|everything|that|this|dark|\w+ mode) (?!.*\b(?:a good idea|allowed in|better than|faster than|possible to)\b)
    ^(?:is|are) ~(?:on|off|enabled|disabled|up|down|live|active|done|ready|finished|working|available|assigned|blocked|open|closed|running|merged|deployed|released|fixed|installed|paid|booked|full|in stock|on track|supported|green|passing|failing)(?: (?:on|in|for|at|by) (?:the |our |my )?\w+)?[?.!]?$
    ^(?:do|does) (?:we|the|our|anyone|anybody|everyone|everybody) 
    ^(?:has|have) (?:the|our|my|we|anyone|anybody|everyone|\w+) 
    ^(?:is|are) ~(?:turned (?:on|off)|switched (?:on|off)|green|red|in (?:staging|prod|production|use|place|stock|review|progress|beta))
    what does (?:the|our|my) ~(?:evaluate to|say|point to|contain|default to|resolve to|cost|show|return)
    ^does \S+ (?:use|run on|support|point to|depend)
    ^(?:the |our |my )?(?:active|remaining|present|existing|prevailing|upcoming) \w+
    on (?:holiday|leave|vacation|sick leave|parental leave|duty|a break)
    ^(?:is|are) ~(?:back from|nightly|daily|weekly|hourly|monthly|by now|away|out of office)
    (?:team|project|company|group|club)'s \w+(?: \w+)?[?.!]?$
    ^is (?:anything|anyone|somebody|someone|something|nothing|everything) 
    ^am i (?:on|still|assigned|subscribed|registered|paying)
    ^when (?:is|are|does|do) (?:the|our|we) (?:\w+ )?(?:next|due|release|deadline|lease|contract|subscription|certificate|trial|meeting|review|standup|demo|sprint|freeze|deploy\w*|run|renew|expire|ship|open|close|meet)
    how (?:many|much) ~(?:is|are|do (?:we|they|our|the|i have|i owe|i pay)|does (?:the|our|it)|have|has|left|open|remain|remaining|there|pending|of|per|we|our)
    how (?!long does it take|long do you)(?:big|full|large|busy|high|low|deep|healthy|old|long|often|fast|slow|expensive|up-to-date|frequently|much|stable|reliable|late) (?:is|are|does|do) (?:the|our|my|it|we)
    number of ~(?:in use|open|left|active|remaining|we|our|users|seats)
    (?:value|setting|version|limit|timeout|port|price|cost|rate|balance|url|hostname|size|owner|assignee|quota|threshold|interval|schedule|deadline|seting) (?:of|for|on) (?:the|our|my|this|webhooks|\w+)(?! in \w+)
    (?:is|are|gets?|be) (?:\w+ )?(?:set|configured|pinned|pointing|locked|capped|limited) (?:to|at|up|for)
    (?:open|unresolved|remaining|pending|unfinished|active|live|running|enabled|upcoming|unpaid|overdue|failing|broken|assigned|blocked|available|installed|supported|scheduled|planned) (?:tickets?|issues?|bugs?|questions?|prs?|pull requests?|tasks?|items?|todos?|incidents?|invoices?|branches|flags?|features?|experiments?|orders?|bills?|tests?|jobs?|alerts?|subscriptions?|versions?|work)
    (?:to-?dos?|todo list|what's left|left to do|still (?:to do|open|missing|waiting|need\w*)|next (?:steps?|release|milestone|deadline|sprint))
    ^(?:find out|let me know|tell me) (?:whether|if)
    who(?:'s| is) (?:behind|at|with|next|up|off|away|still|out)
    still (?:on|off|open|active|valid|running|there|working|up|down|in use|in effect|in force|available|missing|pending)[?.!]?$
    (?:number|count|amount|total|list) of ~(?:we|our|i|active|open)
    which of ~(?:is|are|still|have)
    what(?:'s| is) the ~called[?.!]?$
    newest|most current
    (?:which|what) \w+(?: \w+){0,2} (?:do|does) \w+ (?:use|run|run on|point to|listen on)
    (?:which|what) ~(?:is|are) (?:pending|open|overdue|due|outstanding|unresolved|waiting)[?.!]?$
    where(?:'s|s) (?:the|our|my) \w+(?: \w+)?(?: at| now)?[?.!]?$
    what(?:'s| is) the \w+ \w+'s \w+[?.!]?$
    ^who (?!is|was|has|does|plays|makes|sings|wins|likes|eats|loves|wants)\w{3,}s (?:the|our|my|leave|new|all|access|every) ?
    (?:today|tonight|this (?:week|month|year|quarter|sprint))'s \w+
    ongoing|underway|in[- ]flight|in place[?.!]?$|to this day|on hold|vacant|whereabouts|headcount|roster|inventory|snapshot of
    (?:in effect|in force|in place|in stock|in use|in progress|in review|on track|on schedule|on hold)
    (?:which|what) \w+(?: \w+)? (?:is|are) (?:in|on|at|up|down|out|free|taken|available|affected|involved)
    in charge of|responsible for
    (?:waiting|blocked|stuck) (?:on|for|by)|anyone working on|working on
    ^(?:check|see|verify|confirm|look up) (?:whether|if|that)
    our \w+(?: \w+)?[?.!]?$
    aktuell\w*|derzeit\w*|momentan\w*|zurzeit|zur zeit|gerade|im moment|gegenwärtig|heute|neueste[nrsm]?|jetzt|noch (?:offen|aktiv|in betrieb|gültig)|stand (?:bei|beim|der|des|von|im)|wie weit|zuständig|verantwortlich|in betrieb
    ^(?:läuft|laufen|ist|sind|gibt es|haben wir|nutzen wir|benutzen wir|funktioniert|steht|verwenden wir|hat) ~
    ^(?:welche\w*|wo|wie viele?|wer|was) (?:\w+ )?(?:läuft|laufen|nutzen wir|benutzen wir|verwenden wir|ist|sind|haben wir|liegt|liegen|betreut|kümmert|zahlen wir|kostet|verwaltet|leitet|wartet|besitzt) (?:der|die|das|wir|uns\w*|gerade|sich|auf|im|in|den|bei|für|noch|am)
    actual(?:es|mente)?|ahora|hoy(?: en día)?|en este momento|vigente|estado (?:de|del|actual)|quién (?:está|es el|es la|se encarga|lleva|mantiene|gestiona|tiene)|últim[oa] versión|todavía|sigue\w*|en qué (?:versión|estado|punto|rama)|cuánt[oa]s? ~(?:queda|quedan|hay|tenemos|pagamos|cuesta)|encargad[oa]|responsable|qué versión|qué \w+ (?:está|tenemos|usamos|hay|pagamos)|en producción
    ^¿?(?:está|están|sigue|siguen|funciona|hay|tenemos|usamos) \w+
    actuel\w*|en ce moment|maintenant|aujourd'hui|à présent|en cours|où en (?:est|sont|sommes)|s'occupe|est responsable|encore|état (?:de|du|des|actuel)|dernière version|à jour|qui (?:gère|maintient|s'occupe|est|dirige|paie)|toujours|combien (?:de|d') ~(?:reste|restent|avons|y a)|désormais
    ^(?:le|la|les|l'|notre|nos) ?~(?:est|sont)-(?:il|elle|ils|elles)
    ^(?:est-ce que|est-il|sur quel\w*|quelle? (?:version|est (?:notre|la version|l'état))) \w+
"""
_EAST: tuple[tuple[QueryClass, str], ...] = (
    (
        "other",
        r"""
        生日|喜欢|首都|誕生日|好き|名前は|多高|何時|几点|天气|天気
        ^(?:你好|您好|谢谢|多谢|早上好|晚安|请翻译|翻译|帮我|写一|こんにちは|おはよう|こんばんは|ありがとう|お疲れ)
        什么是|是什么意思|とは何|意味は|訳して|翻訳して|の書き方|怎么写|如何写|(?<!説明)してください$|(?<!説明)して下さい$
    """,
    ),
    (
        "decision",
        r"""
        决定(?!树|性)|怎么定|定的|采纳|约定|共识|说定|选(?!项|择题)|通过了(?!吗)|否定|商量好|答应|決定(?!木)|決まっ|決まり|決め|选择了|選択し|选了|選んだ|選びました|選ばれ|選定|选定|选用|敲定|商定|达成|同意|批准|否决|拒绝了|结论|采用了|为什么(?:选|采用|放弃|不用)|定下来|定了|拍板|说好
        採用(?:する|し)|採択|合意|承認|却下|結論|選び|選ん|選定|可決|否決|決断|決定|取り決め|ことにし|ことになっ|見送|结果如何投票|方針は|没有采用|放弃了
    """,
    ),
    (
        "current_state",
        r"""
        还(?:能|在|有|是)|仍然|依然|まだ|今も|今でも
    """,
    ),
    (
        "architectural",
        r"""
        为什么|为何|怎么(?!样|定|决定)|如何(?!决定)|なぜ|どうして|仕組み
    """,
    ),
    (
        "historical",
        r"""
        用过|换过|做过|改过|去过|一开始|旧版|最早|历史上|上一(?:个|版|任|次)|几年前|年前|月前|天前|从什么时候|以前|之前|过去|從前|从前|曾经|原来|原先|最初|当初|当时|那时|上(?:个|次|周|月|一|季)|去年|前年|昨天|昨日|什么时候(?:.*(?:的|了))|历史|经过|何时|发生了什么|变化|改过几次|多少次|旧的|老的|前任|时间线
        前は|当時|いつから|ていました|過去|最後に|昨夜|一昨|去年|昔|かつて|元々|もともと|当初|先週|先月|昨年|前回|前の|旧|いつ(?:.*(?:た|まし))|履歴|経緯|これまで|何があ|変わっ|変遷|時系列|していた|使っていた|でしたか|だった
    """,
    ),
    (
        "architectural",
        r"""
        组成|关系|拆分|分开|架构|架構|结构|设计|模块(?:之间|关系|划分)|依赖|数据流|流程|组件|接口|之间|边界|通信|怎么从|如何从|怎么(?:工作|实现|运作|交互|处理|连接|同步|保证)|如何(?:工作|实现|运作|交互|处理|通信|连接|同步|保证)|为什么|为何|作用|原理|机制|分层|会影响
        関係|つなが|分かれ|流れ|アーキテクチャ|構成|構造|設計|依存|仕組み|なぜ|どうして|役割|連携|データの流れ|どのように|どうやって|インターフェース|層|やり取り|通信|影響
    """,
    ),
    (
        "current_state",
        r"""
        了没有|没有？?$|终わ|終わりました|完了しました|できました|届きました|吗？?$|いますか|現在|现在|目前|当前|现有|如今|正在|最新|状态|进度|进展|今天|负责|还在|还有|是否|了吗|多少|哪个版本|在用|还没
        いま|有効|いくら|何個|何人|現在|今の|今は|今|現状|最新|状態|進捗|状況|担当|使ってい|動いて|稼働|まだ|バージョン|残って|いくつ
    """,
    ),
)


def _words(gap: str, block: str) -> tuple[list[str], list[str]]:
    """The lines of a table: those bound to the start of the query, and the others."""
    joined = re.sub(r"\n\s*\|", "|", block)
    lines = [line.strip() for line in joined.splitlines() if line.strip()]
    filled = [re.sub(r"(?<![+w])'(?!\])", "'?", line).replace("~", gap) for line in lines]
    return [line[1:] for line in filled if line[0] == "^"], [line for line in filled if line[0] != "^"]


def _table(block: str) -> re.Pattern[str]:
    anchored, loose = _words(r"(?:\S{1,40} ){0,6}?", block)
    lead = re.sub(r"\n\s*", "", _LEAD)
    rows = [rf"^\W{{0,9}}(?:(?:{lead})[,:]? ){{0,4}}(?:{'|'.join(anchored)})"] if anchored else []
    rows += [rf"\b(?:{'|'.join(loose)})"] if loose else []
    return re.compile(rf"(?:{'|'.join(rows)})(?!\B\w)")


def _eastern(block: str) -> re.Pattern[str]:
    anchored, loose = _words("", block)
    return re.compile("|".join([*(rf"^\W{{0,9}}{line}" for line in anchored), *loose]))


_ROWS: tuple[tuple[QueryClass, str], ...] = (
    ("other", _TASKS),
    ("architectural", _HOW),
    ("current_state", _PENDING),
    ("decision", _DECISION),
    ("current_state", _STILL),
    ("architectural", _WHY_NOW),
    ("current_state", _NOW),
    ("historical", _HISTORICAL),
    ("architectural", _ARCHITECTURAL),
    ("other", _AGAIN),
    ("historical", _PAST),
    ("current_state", _CURRENT),
    ("architectural", _PARTS),
)
CUES = tuple((name, _table(block)) for name, block in _ROWS)
"""Spaced scripts: a class and its pattern over lower-case text, in order."""

MECHANISM = re.compile(
    r"^how (?:do|does) (?!(?:you|he|she|they|it|one|people|your|her|his|my|birds|cats|dogs|plants|humans) )[a-z]\w+ \w+"
)
"""Asked last, of the query as it was typed: how something that bears no name does what it does."""

CUES_EAST = tuple((name, _eastern(block)) for name, block in _EAST)
"""The same for Chinese and Japanese."""

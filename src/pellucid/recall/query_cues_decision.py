"""Nothing in, the phrases of queries after a decision out."""

DECISION = r"""
    decid(?:ed|es?) (?:on|to|about|against|that|for|between|not|whether|if|upon|in favou?r)
    ~(?:did|have|has|had|was|were|been|got|we|you|they|team|finally|already) (?:\w+ )?decided?
    (?:what|why|who|how|when|where|which) ~(?:decided|decide)$
    (?<!how many )(?<!are )decisions? (?=(?:on|about|regarding|re|for|from|to|of|we|you|they|made|reached|taken|came
    |concerning|around|over|between|that|by|was|were|record|behind|against|in|at|did|has|the|my|our|is|with)\b)(?!log
    |engine|bugs?|templates?|boundary|boundaries|tree|trees|support|maker|model|table|tables|page|service|theory|node
    |function|making|matrix|fatigue|review|requests?|process|processes|flow|workflow|history|queue|forms?|meeting
    |points?|rules?|record template)\w+
    decisions?[?.!]?$
    ~(?:did|have|has|had|we|you|they|i|finally|was|were|got|been|team) (?:\w+ )?(?:chose|choose|chosen
    |opt(?:ed)? (?:for|to|out|against)|settled? (?:on|for|upon|with)|pick(?:ed)?|agreed?|approved?|veto(?:ed)?
    |reject(?:ed)?|conclude|concluded|vote[d]?|accept(?:ed)?|turn(?:ed)? down|rul(?:e|ed) (?:out|against|that|on|in)
    |sign(?:ed)? off|go(?:ne)? (?:with|for|ahead with)|went (?:with|for)|land(?:ed)? on|end(?:ed)? up
    |commit(?:ted)? (?:to|ourselves)|green-?lit|green-?light|resolved? to|greenlight|hire[d]?|declined?|sa(?:y
    |id) (?:no|yes) to|prefer(?:red)? over|discard(?:ed)?|adopt(?:ed)?|nail(?:ed)? down|make up|made up|made the call
    |shortlist(?:ed)?|scrap(?:ped)?|postponed?|drop(?:ped)? the (?:idea|plan)|abandon(?:ed)? the (?:idea|plan)
    |pass(?:ed)? on)
    did ~(?:choose|opt|settle|pick|agree|approve|veto|reject|conclude|sign off|sign it off|go with|accept|rule|decide
    |land on|commit to|say no|say yes|turn down|make up|object|vote|consent)
    (?:who|whoever|board|team|committee|council|landlord|boss|client|customer) (?:approved|vetoed|rejected|chose
    |picked|agreed|signed off|decided|ruled|insisted|objected|turned down|gave (?:the )?(?:green light|go-ahead|ok
    |okay|approval|permission)|said (?:no|yes)|overruled|voted|selected|proposed|suggested|recommended|blocked
    |authori[sz]ed|made the)
    (?:agreed|approved|settled|chosen|rejected|ruled out|vetoed|turned down|voted|signed off|opted|greenlit
    |agreed-upon|overruled|concluded)(?: \w+)*? (?:on|upon|with|for|about|to|by|in|at|split|plan|budget|price|date
    |name|naming|convention)
    (?:was|were|is|are|been|got|gets?|has|have|what|everything|that|it
    |things) (?:it |all |finally |already |not |been |being |we |and )*(?:agreed|settled|decided|chosen|ruled out
    |approved|rejected|vetoed|concluded|signed off|turned down)
    (?:verdict|consensus|ruling|conclusions?|compromise|agreement|resolution|outcome|green light|go-ahead|sign-off
    |final say|final word|final answer|bottom line|decision) (?:on|about|regarding|for|of|over|between|with|from|to
    |was|reached|we|by|in|as to|around|concerning)
    (?:verdict|consensus|ruling|conclusion|compromise|final say|final word)[?.!]?$
    (?:whose|final|judge?ment|made the|make the|tough|who made that|your|our|my) (?:call|choice|pick)
    (?:we|you|they) (?:said|say|agreed|promised) (?:we|you|they|that we)(?:'d|'ll| would| will)
    is (?:the|our|it|that) ~final[?.!]?$
    which (?:one|ones) (?:did|have) (?:we|you|they) \w+
    (?:stance|position|plan of record|answer) on
    (?:who|we|they|which ~) ended up
    how (?:was|were|did|has) ~(?:resolved|settled|decided|sorted out)
    (?:give|gave|given|grant|granted|get|got) ~(?:permission|approval|the ok|the go-ahead|the green light|blessing)
    (?:which|what) ~are we (?:going to )?(?:buy|buying|taking|go with|going with|choosing|choose|ordering|hiring
    |inviting|adopting|picking|pick)
    (?:was|were|been|get|got|is|are|has|have) ~(?:accepted|approved|rejected|vetoed|turned down|ruled out|agreed
    |settled)
    (?:which|what|who) (?:\w+ ){0,3}won
    yes or no
    (?:which|what) \w+(?: \w+)? did (?:we|you|they) (?:take|end|adopt|favou?r|stick)
    (?:did|was|were|who|which) ~(?:in the end|after all)[?.!]?$
    where did (?:we|you|they) ~(?:come down|land|end up)
    did ~(?:ok|okay|permit|allow|authori[sz]e|consent|insist|give (?:the |a )?(?:ok|okay|nod|go-ahead|green light
    |blessing|permission|approval)|shelve|call off|put off|stick with|stick to|bless|green-?light|promise)
    turn(?:ed|ing)? (?:\S+ ){1,4}down
    (?:have|has) ~(?:chosen|decided|picked|agreed|settled|voted|opted|committed|promised|vowed|resolved)
    thumbs (?:up|down)
    (?:was|were|got|been) resolved (?:at|in|by|on|during)
    (?:terms|agreement|deal|compromise|settlement|consensus|conclusion
    |decision) (?:was |were |did )?(?:\w+ )?(?:reached|struck|made|agreed)
    middle ground|common ground|made the cut|came out on top|won out|won over|prevailed|shot down|voted|ballot
    |ratified|greenlit|pledged|commitments? (?:to|we|on|from)|overruled
    (?:gave|give|given|got|get) (?:\w+ )?(?:the |a |their |his |her )?(?:nod|blessing|thumbs[- ]up|ok|okay
    |go[- ]ahead|green light|all-clear)
    how did (?:we|you|they|the \w+) (?:resolve|settle|decide|choose|pick|vote|agree)
    (?:limit|rules?|date|deadline|budget|price|target|cap|name|terms?|conditions?|goals?) (?:did |have )?(?:we|they
    |you) (?:set|fix|fixed|impose|imposed|picked|pick|chose|choose|agree|lay down|laid down)
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
    why (?:was|were|is|are) ~(?:picked|chosen|rejected|selected|preferred|ruled out|approved|turned down|dropped
    |favou?red)
    (?:still )?going ahead with
    who (?:was|were) (?:against|for|in favou?r|opposed)
    are we (?:\w+ )?(?:keeping|dropping|buying|cancelling|canceling|switching|hiring|selling|ditching|replacing)
    (?:stance|mandate|moratorium|sign-offs?|vetoe?s?|go/no-go|go or no[- ]go|yea or nay|pact|settlement
    |tie-?break(?:er)?|casting vote|takeaways?|action items|shortlist|approvals?|rejections?|concessions?|pledge
    |promise|commitments?|choices?|picks) (?:on|about|for|from|of|with|regarding|to|over|between|we|in)
    (?:came|come) out of the (?:\w+ )?(?:meeting|talks|discussion|retro|review|workshop|call|vote|session)
    (?:go|went|gone) (?:ahead )?with (?:the|a|an|it|that)
    (?:did|have|has) ~(?:agreement|consensus|compromise|a deal)
    (?:backed|opposed|supported|endorsed|seconded|blocked|objected to|argued against) (?:the|a|our) (?:\w+ )?(?:idea
    |plan|proposal|motion|switch|move|change|design|merger|budget)
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
    are we (?:\w+ )?(?:going with|going for|keeping|doing|getting|using|switching|choosing|moving|staying|buying
    |taking|sticking|dropping|inviting|having|hiring|adopting|supporting) ~\w+ or
    (?:are we|we're|are they|am i) (?:still )?(?:going with|going for|sticking (?:with|to)|opting for|settled on
    |agreed|in agreement|committed)
    why did (?:we|you|they|i) (?:finally |ultimately |end up )?(?:choose|pick|go|switch|drop|abandon|move|leave
    |cancel|stop|adopt|hire|buy|postpone|delay|reject|turn|decide|opt|prefer|settle|say|ban|replace|migrate|change
    |sell|pass)
    (?:made|led|convinced|persuaded|drove) (?:us|you|them|me) (?:to )?(?:do that|choose|pick|go with|switch|drop
    |decide|reject|turn|do it|say|settle)
    on whose (?:recommendation|say-so|advice|authority)
    (?:we|you) (?:won't|will not|don't|do not) (?:support|build|ship|do|use)
    (?:options|alternatives|candidates|proposals) (?:were|was|did|got|have been|we) ~(?:ruled out|rejected|considered
    |discarded|turned down|weighed|dismissed)
    (?:considered|rejected|discarded|dismissed) (?:alternatives|options)
    entschieden|entschieden haben|beschlossen|entscheidung\w*|vereinbart|abgemacht|ausgemacht|festgelegt|beschluss
    |beschlüsse|geeinigt|verworfen|abgelehnt|ausgewählt|genehmigt
    zugestimmt|einigung|kompromiss|ausgesucht|gewählt|abgesegnet|freigegeben|bewilligt|angenommen|genommen haben
    |zugesagt|abgesagt|abgestimmt|festgesetzt|durchgesetzt|freigegeben hat|für welche\w* ~entschieden
    |warum haben wir (?:uns )?~(?:gewählt|genommen)
    decidimos|decidió|decidieron|decidido|decisión|decisiones|acordamos|acordó|acordado|acuerdo|elegimos|eligió
    |elegido|escogimos|escogió|aprobó|aprobamos|aprobado|rechazamos|rechazó|descartamos|quedamos|qué quedamos
    |se aprobó|se decidió|se acordó|votamos|voto|resolvimos|resolvió|autorizó|optamos
    (?:por qué|porqué) (?:elegimos|escogimos|optamos|cambiamos)
    a-t-on (?:\w+ )?(?:décidé|choisi|tranché|retenu|opté)
    avons-nous (?:\w+ )?(?:décidé|choisi|tranché|retenu|opté|convenu|adopté|rejeté|écarté|accepté)
    (?:a|ont|on a|avons|avez|été|as) (?:\w+ )?(?:décidé|choisi|tranché|retenu|opté|convenu|validé|refusé|rejeté
    |écarté|approuvé|accepté)
    décidé|décisions?|tranché|convenu|retenue?s?|finalement|validée?|approuvée?|opté|verdict|accord (?:sur|avec)
    |choix (?:de|du|pour|entre)
    who (?:had|has|gets) the (?:last|final) (?:word|say)
    (?:idea|proposal|suggestion|plan|motion) (?:was |been |get |got )?(?:accepted|rejected|approved|dropped|shot down
    |turned down|killed|scrapped)
    (?:whether|did) (?:we|they|you) (?:ever )?(?:agree|decide|settle|choose|approve)
"""
"""Choosing, agreeing, approving, refusing."""

"""Nothing in, a set of words out: those that hold a question together and say nothing about what is sought."""

_ENGLISH = """
    a about again all am an and any are as at be been being both but by can could did do does doing each few for from
    had has have having he her here him his how i if in is it its just me more most my no nor not of off on once only or
    other our over own same she should so some such than that the their them then there these they this those to too
    under until very was we were what when where which while who whom why will with would you your
"""
_GERMAN = """
    aber als am an auch auf aus bei bin bis das dass dem den der des die doch du ein eine einem einen einer er es für
    hat hatte ich ihr im ist kann mein mich mir mit nach nicht noch nur oder sich sie sind so über um und uns unser von
    vor war waren warum was welche welcher wann wenn wer wie wir wird wo zu zum zur
"""
_SPANISH = """
    al como con cual cuando de del donde el ella en era es ese esta este ha han la las le lo los me mi muy no nos o para
    pero por que quien se si sin su sus también te un una y ya yo qué quién cuándo dónde cómo por
"""
_FRENCH = """
    à au aux avec ce ces dans de des du elle en est et eu il ils je la le les leur lui ma mais me mes mon ne nos notre
    nous on ou où par pas pour qu que quel quelle quand qui sa se ses son sur ta te tes ton tu un une vos votre vous
"""
FUNCTION_WORDS = frozenset(" ".join((_ENGLISH, _GERMAN, _SPANISH, _FRENCH)).split())

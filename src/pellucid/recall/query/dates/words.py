"""Nothing in, the words of dates out: months, weekdays, numbers and units of four languages."""

_MONTHS = (
    "january jan januar jänner enero janvier",
    "february feb februar febrero février",
    "march mar märz marzo mars",
    "april apr abril avril",
    "may mai mayo",
    "june jun juni junio juin",
    "july jul juli julio juillet",
    "august aug agosto août",
    "september sept sep septiembre setiembre septembre",
    "october oct oktober okt octubre octobre",
    "november nov noviembre novembre",
    "december dec dezember dez diciembre décembre",
)
MONTHS = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
"""The number of a month by each of its names."""

_WEEKDAYS = (
    "monday mon montag lunes lundi",
    "tuesday tue tues dienstag martes mardi",
    "wednesday wed mittwoch miércoles mercredi",
    "thursday thu thur thurs donnerstag jueves jeudi",
    "friday fri freitag viernes vendredi",
    "saturday sat samstag sonnabend sábado samedi",
    "sunday sun sonntag domingo dimanche",
)
WEEKDAYS = {name: number for number, names in enumerate(_WEEKDAYS) for name in names.split()}
"""Monday is 0."""

_NUMBERS = (
    "a an one ein einem einer eine un una une",
    "two couple zwei dos deux",
    "three few drei tres trois",
    "four vier cuatro quatre",
    "five fünf cinco cinq",
    "six sechs seis",
    "seven sieben siete sept",
    "eight acht ocho huit",
    "nine neun nueve neuf",
    "ten zehn diez dix",
    "eleven elf once onze",
    "twelve zwölf doce douze",
)
NUMBERS = {name: number for number, names in enumerate(_NUMBERS, 1) for name in names.split()}

_UNITS = {
    "day": "day days tag tage tagen día días jour jours",
    "week": "week weeks woche wochen semana semanas semaine semaines",
    "month": "month months monat monate monaten mes meses mois",
    "year": "year years jahr jahre jahren año años an ans année années",
}
UNITS = {name: unit for unit, names in _UNITS.items() for name in names.split()}

PHRASES = {
    "today": "day:0",
    "tonight": "day:0",
    "this morning": "day:0",
    "this afternoon": "day:0",
    "this evening": "day:0",
    "heute": "day:0",
    "heute morgen": "day:0",
    "hoy": "day:0",
    "aujourd'hui": "day:0",
    "ce matin": "day:0",
    "yesterday": "day:-1",
    "last night": "day:-1",
    "gestern": "day:-1",
    "ayer": "day:-1",
    "anoche": "day:-1",
    "hier": "day:-1",
    "the day before yesterday": "day:-2",
    "day before yesterday": "day:-2",
    "vorgestern": "day:-2",
    "anteayer": "day:-2",
    "avant-hier": "day:-2",
    "this week": "week:0",
    "diese woche": "week:0",
    "esta semana": "week:0",
    "cette semaine": "week:0",
    "last week": "week:-1",
    "letzte woche": "week:-1",
    "letzter woche": "week:-1",
    "letzten woche": "week:-1",
    "vorige woche": "week:-1",
    "la semana pasada": "week:-1",
    "la semaine dernière": "week:-1",
    "la semaine passée": "week:-1",
    "last weekend": "weekend:-1",
    "letztes wochenende": "weekend:-1",
    "letzten wochenende": "weekend:-1",
    "el fin de semana pasado": "weekend:-1",
    "le week-end dernier": "weekend:-1",
    "this month": "month:0",
    "diesen monat": "month:0",
    "diesem monat": "month:0",
    "este mes": "month:0",
    "ce mois-ci": "month:0",
    "last month": "month:-1",
    "letzten monat": "month:-1",
    "letztem monat": "month:-1",
    "vorigen monat": "month:-1",
    "el mes pasado": "month:-1",
    "le mois dernier": "month:-1",
    "this quarter": "quarter:0",
    "last quarter": "quarter:-1",
    "letztes quartal": "quarter:-1",
    "this year": "year:0",
    "dieses jahr": "year:0",
    "diesem jahr": "year:0",
    "este año": "year:0",
    "cette année": "year:0",
    "last year": "year:-1",
    "letztes jahr": "year:-1",
    "letzten jahr": "year:-1",
    "voriges jahr": "year:-1",
    "el año pasado": "year:-1",
    "l'année dernière": "year:-1",
    "l'an dernier": "year:-1",
    "the last week": "trail:7",
    "the past week": "trail:7",
    "past week": "trail:7",
    "the past month": "trail:31",
    "past month": "trail:31",
    "the past year": "trail:366",
    "past year": "trail:366",
}
"""A phrase, and its unit with how many of it from the present one; `trail` counts days back from now."""

_COUNTED = """
    users user rows lines line requests request bytes byte kb mb gb tokens characters chars items records files
    times people calls euros dollars euro percent px pixels steps words tests errors entries points pages
    messages events jobs ms seconds second secs sec s minutes minute mins min hours hour hz rpm iterations
    epochs samples queries commits customers orders tickets memories documents nodes workers threads
"""
COUNTED = _COUNTED.split()
"""What a number in front of it counts, so that it is no year."""

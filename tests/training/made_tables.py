"""Tables of many trades and questions of them with the requests that answer them, made by template: what the reader of
tables is fitted on. The tables of `tests/benchmarks/tables.py` and their wordings are others."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from clew.agent.search.table_reader import Asked
from clew.memory.datatypes import Table
from clew.tools.table import Aggregate, Condition, TableRequest

FIRST = (
    "Anna Bram Celia Dirk Elsa Felix Greta Hanna Ivo Jana Karl Lena Marc Nora Otto Paula Rolf Sara Theo Vera".split()
)
LAST = "Abbott Brand Corbin Dekker Evers Falk Grant Holm Ivers Jansen Keller Lund Moreau Novak Olsen Petri Roth".split()
TOWNS = "Aachen Bergen Cardiff Dresden Exeter Florence Gouda Halle Innsbruck Jena Kassel Leiden Mainz Nantes".split()
THINGS = """oak table; desk lamp; garden hose; steel bucket; wool blanket; glass jar; paper bag; copper pipe; brass bell;
tea kettle; hand saw; roof tile; door mat; wall clock; floor brush; pine shelf; cotton towel; clay pot; rubber boot; tin
whistle; ice axe; silk scarf; iron gate; coffee mill; soup spoon; bread knife; candle holder; picture frame; tool box;
paint roller""".replace("\n", " ").split("; ")

TABLES = """
employees | employee employees person people worker workers colleagues | Name:person; Department:Finance,Marketing,Legal,Support; Office:town; Salary:1800-6400:earns the most,is paid best,makes the most money:earns the least,is paid worst; Hired:date:joined last,is the newest:joined first,has been here longest
products | product products article articles item items | Product:thing; Category:kitchen,garden,office,bath; Price:2.5-180 €:is the most expensive,costs the most,is the priciest:is the cheapest,costs the least; Stock:0-400; Supplier:Nordholm,Vasco,Tilde,Bruma
orders | order orders purchase purchases | Order:code; Customer:person; Amount:20-3000 EUR:cost the most:cost the least; Status:open,shipped,cancelled; Ordered:date
members | member members people person | Member:person; Group:juniors,seniors,guests; Fee:20-120; Paid:yesno; Joined:date:joined most recently:joined first; Town:town
books | book books title titles volume | Title:title; Author:person; Genre:crime,poetry,history,travel; Pages:80-900:is the longest,is the thickest:is the shortest,is the thinnest; Published:year:is the newest:is the oldest
rooms | room rooms | Room:code; Building:Annex,Tower,Main hall; Seats:4-220:seats the most people,is the biggest:seats the fewest people,is the smallest; Projector:yesno; Floor:0-6
trips | trip trips journey journeys | Trip:code; Destination:town; Kilometres:12-900:was the longest:was the shortest; Driver:person; Departure:date:was last:was first
cars | car cars vehicle vehicles | Plate:code; Model:Rapida,Corso,Nemo,Lupa; Mileage:1000-220000 km:has driven the farthest:has driven the least; Year:year:is the newest:is the oldest; Fuel:diesel,petrol,electric
patients | patient patients people person | Patient:person; Ward:north ward,east ward,south ward; Age:1-97:is the oldest:is the youngest; Admitted:date; Weight:8-120 kg:is the heaviest,weighs the most:is the lightest,weighs the least
animals | animal animals | Animal:Otter,Lynx,Ibex,Heron,Marmot,Badger,Falcon,Stoat,Viper,Mole; Enclosure:valley,pond,hill; Weight:1-90 kg:is the heaviest:is the lightest; Born:date:is the youngest:is the oldest; Keeper:person
courses | course courses class classes | Course:title; Teacher:person; Level:beginner,advanced,expert; Places:8-60; Fee:40-600 €:is the most expensive:is the cheapest; Starts:date:starts last:starts first
invoices | invoice invoices bill bills | Invoice:code; Client:Halden AG,Morrow Ltd,Pinto SA,Vries BV,Quist GmbH; Total:90-9000 €:is the largest:is the smallest; Due:date:is due last:is due first; Settled:yesno
plants | plant plants | Plant:Lavender,Sage,Thyme,Fern,Ivy,Poppy,Tulip,Aster,Peony,Iris,Dahlia,Lupin; Bed:upper bed,lower bed,yard; Height:5-180 cm:is the tallest,grows the highest:is the shortest,stays the lowest; Planted:date; Colour:white,violet,yellow
matches | match matches game games | Match:code; Home team:Rovers,Comets,Lions,Hawks; Away team:Pirates,Giants,Sharks,Foxes; Spectators:120-9000:drew the biggest crowd:drew the smallest crowd; Date:date
repairs | repair repairs job jobs | Job:code; Machine:lathe,press,mill,drill; Hours:1-40:took the longest:was the quickest; Cost:30-2500 €:cost the most:cost the least; Mechanic:person; Done:date
countries | country countries | Country:Arvania,Belmora,Cordia,Dravia,Estova,Falmar,Gordia,Hestia,Illyra,Jorvia; Continent:Northland,Southland,Midland; Population:1-90 million:has the most inhabitants,is the most populous:has the fewest inhabitants; Area:2000-800000 km²:is the largest,is the biggest:is the smallest; Capital:town
expenses | expense expenses item items cost costs | Item:thing; Project:Aurora,Boreas,Cirrus,Delta; Amount:5-1900 €:was the dearest:was the cheapest; Date:date; Approved:yesno
flats | flat flats apartment apartments | Flat:code; Street:Mill Lane,Harbour Street,Station Road; Rent:380-1900 €:is the dearest,has the highest rent:is the cheapest; Rooms:1-6; Size:22-140 m²:is the largest:is the smallest; Tenant:person
shifts | shift shifts | Worker:person; Day:Monday,Tuesday,Wednesday,Thursday,Friday; Hours:2-11:works the longest:works the shortest; Site:depot,yard,plant; Break:yesno
samples | sample samples measurement measurements | Sample:code; Site:lake,spring,river,well; pH:4.5-9; Temperature:2-31 °C:is the warmest,is the hottest:is the coldest; Taken:date:was taken last:was taken first
paintings | painting paintings picture pictures work works | Title:title; Painter:person; Room:red room,blue room,gallery; Value:400-90000 €:is worth the most,is the most valuable:is worth the least; Year:year:is the newest:is the oldest
deliveries | delivery deliveries parcel parcels | Parcel:code; Receiver:person; Weight:0.3-30 kg:is the heaviest:is the lightest; City:town; Delivered:date; Insured:yesno
wines | wine wines bottle bottles | Wine:title; Region:Valdoro,Montebel,Rivermark; Vintage:year:is the youngest:is the oldest; Price:4-95 €:is the dearest,costs the most:is the cheapest,costs the least; Bottles:1-120
students | student students pupil pupils | Student:person; Class:5a,5b,6a,6b; Points:10-100:scored the most,did best:scored the least,did worst; Absences:0-20:was absent most often:was absent least often; Born:date:is the youngest:is the oldest
"""
"""A line each: the file, words for its rows, and its columns with what their cells are; behind these, how a person says
that a row has the most and the least of it."""

OTHER_NAMES = {
    "Salary": "pay",
    "Price": "cost",
    "Amount": "price",
    "Department": "team",
    "Office": "location",
    "Weight": "mass",
    "Cost": "price",
    "Total": "amount",
    "Population": "inhabitants",
    "Area": "surface",
    "Rent": "monthly rent",
    "Size": "floor space",
    "Stock": "quantity",
    "Keeper": "caretaker",
    "Town": "city",
    "Height": "size",
    "Value": "worth",
    "Points": "score",
    "Hours": "time",
    "Fee": "charge",
    "Author": "writer",
    "Pages": "page count",
}

# fmt: off
TEMPLATES: dict[Asked, tuple[str, ...]] = {
    "look up": (
        "What is the {h} of {k}?", "What {h} does {k} have?", "Tell me the {h} of {k}.", "{k}: {h}?", "Which {h} has {k}?",
        "What's {k}'s {h}?", "Give me {k}'s {h}.", "{h} of {k}", "What {h} is given for {k}?", "I need the {h} for {k}.",
        "How high is the {h} of {k}?",
        "How much {h} has {k}?",
        "How many {h} does {k} have?",
        "What is {k}'s {h} in {t}?",
        "Show the {h} of {k}.",
        "And the {h} of {k}?",
        "Find {k}'s {h}.",
        "What is the {h} for {k}?",
        "What {h} is {k}?", "What does it say about the {h} of {k}?", "Do you know the {h} of {k}?",
        "What is the {h} of {k} in {t}?", "Look up the {h} of {k}.", "Wie ist {h} von {k}?", "Quel est le {h} de {k} ?",
        "¿Cuál es el {h} de {k}?", "In {t}, what is the {h} of {k}?", "Which {h} is listed for {k} in {t}?",
    ),
    "filter": (
        "Which {es} have {h} {v}?", "List the {es} with {h} {v}.", "Show all {es} whose {h} is {v}.", "Which {es} are in {v}?",
        "List all {v} {es}.",
        "Which {es} have {v} as {h}?",
        "Who is in {v}?",
        "Who has {h} {v}?",
        "Which {es} come from {v}?",
        "Find all {es} in {v}.",
        "Tell me the {es} of {v}.",
        "What are the {v} {es}?",
        "{es} in {v}?", "What {es} are {v}?", "Who or what is in {v}?", "Show me every {e} with {h} {v}.",
        "Name the {es} of {v}.", "All {es} with {v}", "Which {es} belong to {v}?", "Welche {es} haben {h} {v}?",
        "Which {v} {es} are there?", "Give me a list of the {es} where {h} is {v}.", "Which of the {es} are in {v}?",
    ),
    "count": (
        "How many {es} are there?", "How many {es} have {h} {v}?", "How many {es} are in {v}?", "How many {v} {es} are there?",
        "Number of {es} in {v}?", "Count the {es} with {h} {v}.", "How many {es} does {t} list?", "How many rows does {t} have?",
        "How many rows are in {t}?",
        "How many records has {t}?",
        "How many entries does the table have?",
        "How many {es} are listed?",
        "How many {es} have we got?",
        "What is the number of {es}?",
        "How many {es} come from {v}?",
        "How many {es} are there in {t}?",
        "How many people are in {v}?",
        "How many of them are in {v}?",
        "How many {es} are {v}?",
        "How many {v} are there?",
        "How many {es} live in {v}?",
        "How many {es} has {v}?",
        "In how many cases is {h} {v}?",
        "How many entries are in {t}?", "What is the number of {es} with {v}?", "How many of the {es} are {v}?",
        "How many {es} belong to {v}?", "Tell me how many {es} we have.", "How many are in {v}?", "Wie viele {es} gibt es?",
        "Wie viele {es} haben {h} {v}?", "Combien de {es} sont {v} ?", "¿Cuántos {es} hay en {v}?", "How many {es} in total?",
        "How many {es} do we have in {v}?", "How many lines has the file {t}?", "How many {es} work in {v}?",
    ),
    "sum": (
        "What is the total {h}?", "What is the sum of {h} of all {es}?", "Total {h} of the {es} in {v}?", "Add up the {h} of all {es}.",
        "What is the {h} of all {es} together?", "How much {h} is it in all?",
        "What is the total of all {h}?",
        "Give me the total {h}.",
        "How much {h} do we have in all?",
        "What is the full {h} of the {es}?",
        "What does {h} come to in total?",
        "Sum total of {h} in {t}?",
        "How much {h} is there in {v} altogether?",
        "What is the {h} of {v} taken together?",
        "All {h} of {v} added up?",
        "What is the overall {h}?", "How much is the {h} altogether?", "Sum up {h} for {v}.",
        "What do the {es} in {v} add up to in {h}?", "What is the total {h} for {v}?", "Combined {h} of all {es}?",
        "Overall {h} of {v}?", "How much {h} do the {es} of {v} have in total?", "Wie hoch ist die Summe von {h}?",
        "Quelle est la somme de {h} ?", "¿Cuál es el total de {h}?", "What is the {h} in {t} in total?", "Sum of {h}",
    ),
    "mean": (
        "What is the average {h}?",
        "What is the average {h} of a {e}?",
        "How high is the {h} on average?",
        "Average {h}?",
        "What is the average {h} of all {es} in {t}?",
        "Calculate the mean {h}.",
        "What is the average {h} among {v} {es}?",
        "What's the mean {h} of {v}?",
        "What is the average {h} across all {es}?", "What is the mean {h} of the {es}?", "Average {h} of {es} in {v}?", "What {h} do {es} have on average?",
        "How much {h} does a {e} have on average?", "What is the average {h} of {v}?", "What is the mean {h} in {v}?",
        "Work out the average of {h}.", "On average, what is the {h} of the {es}?", "Was ist der Durchschnitt von {h}?",
        "Quelle est la moyenne de {h} ?", "¿Cuál es el promedio de {h}?", "What's the typical {h} of {es} in {v}?", "Mean {h}?",
        "Wie hoch ist {h} im Durchschnitt?", "average {h} in {t}",
    ),
    "most": (
        "Which {e} has the highest {h}?",
        "What {e} has the highest {h}?",
        "Find the {e} with the greatest {h}.",
        "Whose {h} is the highest?",
        "Whose {h} is the largest?",
        "Which {e} has the top {h}?",
        "Name the {e} with the largest {h}.",
        "Largest {h} in {t}?",
        "Where is the {h} highest?",
        "Who in {v} has the highest {h}?", "Which {e} has the most {h}?", "Which {e} has the largest {h}?", "Who or what has the greatest {h}?",
        "What is the highest {h}?", "What is the maximum {h}?", "Which {e} has the biggest {h} in {v}?", "Which {v} {e} has the highest {h}?",
        "Top {e} by {h}?",  "Highest {h}?", "Which is the {e} with the most {h}?", "Which {e} {+}?",
        "Which {e} {+}?", "Which of the {es} {+}?", "Which {e} in {v} {+}?", "Who {+}?", "Welche {e} hat den höchsten {h}?",
        "What is the {e} with the highest {h}?", "Quel {e} a le plus grand {h} ?", "¿Qué {e} tiene el mayor {h}?",
        "The {n} {es} with the highest {h}?", "Which {n} {es} have the most {h}?", "What are the top {n} {es} by {h}?",
        "Who has the highest {h}?", "Who has the most {h}?", "Maximum of {h}",
    ),
    "least": (
        "Which {e} has the lowest {h}?",
        "What {e} has the lowest {h}?",
        "Find the {e} with the smallest {h}.",
        "Whose {h} is the lowest?",
        "Whose {h} is the smallest?",
        "Which {e} has the minimum {h}?",
        "Name the {e} with the least {h}.",
        "Smallest {h} in {t}?",
        "Where is the {h} lowest?",
        "Who in {v} has the lowest {h}?", "Which {e} has the least {h}?", "Which {e} has the smallest {h}?", "Who or what has the fewest {h}?",
        "What is the lowest {h}?", "What is the minimum {h}?", "Which {e} has the smallest {h} in {v}?", "Which {v} {e} has the lowest {h}?",
         "Lowest {h}?", "Which is the {e} with the least {h}?", "Which {e} {-}?", "Which {e} {-}?",
        "Which of the {es} {-}?", "Which {e} in {v} {-}?", "Who {-}?", "Welche {e} hat den niedrigsten {h}?", "Who has the lowest {h}?",
        "Quel {e} a le plus petit {h} ?", "¿Qué {e} tiene el menor {h}?", "The {n} {es} with the lowest {h}?", "Minimum of {h}",
        "Which {n} {es} have the least {h}?", "What are the bottom {n} {es} by {h}?",
    ),
    "latest": (
        "Which {e} has the latest {h}?", "Which {e} has the most recent {h}?", "What is the latest {h}?", "Which {e} {+}?", "Which {e} {+}?",
        "Which of the {es} {+}?", "Who {+}?", "Which {e} in {v} {+}?", "What is the last {h}?", "Which {e} has the newest {h}?", "Latest {h} in {t}?",
        "The {n} {es} with the latest {h}?", "Which {e} has the last {h}?", "Welche {e} hat das neueste {h}?",
    ),
    "earliest": (
        "Which {e} has the earliest {h}?", "Which {e} has the oldest {h}?", "What is the earliest {h}?", "Which {e} {-}?", "Which {e} {-}?",
        "Which of the {es} {-}?", "Who {-}?", "Which {e} in {v} {-}?", "What is the first {h}?", "Earliest {h} in {t}?",
        "The {n} {es} with the earliest {h}?", "Which {e} has the first {h}?", "Welche {e} hat das früheste {h}?",
    ),
    "compare": (
        "Which has the higher {h}, {k} or {k2}?", "Does {k} have a higher {h} than {k2}?", "Compare the {h} of {k} and {k2}.",
        "What is the difference in {h} between {k} and {k2}?", "How much more {h} does {k} have than {k2}?", "{h}: {k} or {k2}?",
        "Is the {h} of {k} larger than that of {k2}?", "Who has more {h}, {k} or {k2}?", "Which is larger in {h}, {k} or {k2}?",
        "By how much do {k} and {k2} differ in {h}?", "Has {k} less {h} than {k2}?", "{k} and {k2}: whose {h} is later?",
        "Hat {k} mehr {h} als {k2}?",
    ),
    "count each": (
        "How many {es} are there per {h}?",
        "How many {es} per {h}?",
        "Number of {es} per {h}",
        "How many {es} has each {h}?",
        "For each {h}, how many {es} are there?",
        "Count of {es} for every {h}",
        "Break down the {es} by {h}.",
        "How many {es} by {h}?", "How many {es} are there for each {h}?", "Count the {es} by {h}.", "Number of {es} by {h}?",
        "How many {es} does each {h} have?", "How are the {es} spread over the {h}?", "How many {es} in every {h}?", "Wie viele {es} pro {h}?",
    ),
    "sum each": (
        "What is the total {h} per {g}?",
        "Total {h} per {g}",
        "Sum of {h} by {g}",
        "What is the total {h} in each {g}?",
        "How much {h} per {g}?",
        "For every {g}, what is the total {h}?",
        "Add the {h} up for each {g}.",
        "What does {h} come to per {g}?", "What is the sum of {h} for each {g}?", "Total {h} by {g}?", "Add up {h} by {g}.",
        "How much {h} does each {g} have in total?", "Sum of {h} for every {g}?",
    ),
    "mean each": (
        "What is the average {h} per {g}?",
        "Average {h} per {g}",
        "Mean {h} by {g}",
        "What is the average {h} in each {g}?",
        "For every {g}, what is the average {h}?",
        "On average, what {h} does each {g} have?", "What is the mean {h} for each {g}?", "Average {h} by {g}?", "Mean {h} for every {g}?",
        "What {h} does each {g} have on average?",
    ),
    "most common": (
        "Which {h} has the most {es}?",
        "Which {h} has the largest number of {es}?",
        "Which {h} has the greatest number of {es}?",
        "What is the most frequent {h}?",
        "Which {h} is the commonest?",
        "Which {h} appears most?",
        "What {h} do most of the {es} have?",
        "Which {h} is there most often?", "Which {h} has most {es}?", "Which is the most common {h}?", "What {h} occurs most often?",
        "Which {h} is most frequent among the {es}?", "In which {h} are the most {es}?", "Which {h} do most {es} have?",
    ),
    "other": (
        "Why does {k} have this {h}?",
        "Why is {k} in {v}?",
        "Why are there {es} in {v}?",
        "Why is the {h} of {k} so high?",
        "Why did {k} leave?",
        "Who told {k} about the {h}?",
        "Can {k} change the {h}?",
        "Should the {h} be raised?",
        "Will the {h} of {k} rise?",
        "How should {es} be treated?",
        "Which {es} may be brought to {v}?",
        "How many {es} were there in the {f}?",
        "What is the highest {f}?",
        "Who has the most {f}?",
        "What is the {f} of {v}?",
        "When was the {f} of {k} changed?",
        "How many {es} with a {f} are there?",
        "What is the sum of all {f}?",
        "How much did {v} pay for the {f}?",
        "Which {es} of {v} have a {f}?",
        "List all {es} with a {f}.",
        "Average {f} of {es}?",
        "Does {k} own a {f}?",
        "What is the relation between {h} and {f}?",
        "Where can I find the {es}?",
        "What are {es}?",
        "Who is the boss of {k}?",
        "How do {es} get to {v}?",
        "Which {f} is the oldest?",
        "Who has the oldest {f}?",
        "What is the newest {f}?", "Who decided on the {h} of {k}?", "How do I change the {h} of {k}?", "What is a {h}?",
        "What should I do if the {h} of {k} is wrong?", "Where is the {f} of {k} kept?", "What is the {f} of {k}?",
        "Which {e} has the highest {f}?", "How many {es} have a {f}?", "What is the total {f}?", "What is the average {f}?",
        "How many {es} in {v} have no {f}?", "Which {es} in {v} were praised by the {f}?", "Is {k} allowed to have a {f}?",
        "What was said about {k} at the meeting?", "Explain how {h} works.", "When will the {es} be moved?", "Who wrote the report on {v}?",
        "How many {es} were sold last week to {f}?", "What happened to {k}?", "Is {v} closed on holidays?", "What is {k} like?",
        "How long does it take until the {h} is changed?", "What are the rules for {es}?", "Which {f} has the most {es}?",
        "What do the {es} in {v} think of the {f}?", "How many {f} does {k} have?", "How much is the {f} in {v}?", "How many {f} are there?",
        "What is the purpose of {t}?", "Has {k} paid the {f}?", "Who is responsible for {v}?", "Describe {k}.", "How are {es} chosen?",
    ),
}
FOREIGN = """telephone number; eye colour; favourite song; insurance; password; shoe size; licence; blood type; warranty; nickname;
parking space; deadline; discount; signature; dog; allergy; bonus; lawyer; logo; garage; website; fingerprint; vote; helmet;
passport; ladder; debt; sister; recipe; permit; pension; motto; keys; bicycle""".replace("\n", " ").split("; ")

COMPARISONS = {
    ">": ("{h} over {x}", "a {h} above {x}", "more than {x} {h}", "{h} greater than {x}", "{h} of more than {x}", "{h} higher than {x}"),
    ">=": ("{h} of at least {x}", "{x} {h} or more", "a minimum {h} of {x}", "at least {x} {h}"),
    "<": ("{h} under {x}", "a {h} below {x}", "less than {x} {h}", "{h} lower than {x}", "fewer than {x} {h}", "{h} of less than {x}"),
    "<=": ("{h} of at most {x}", "{x} {h} or less", "a {h} up to {x}", "no more than {x} {h}"),
    "=": ("a {h} of {x}", "{h} {x}", "exactly {x} {h}", "{h} equal to {x}"),
}
OF_DATES = {
    ">": ("{h} after {x}", "with a {h} later than {x}"),
    ">=": ("{h} since {x}", "{h} from {x} on"),
    "<": ("{h} before {x}", "with a {h} earlier than {x}"),
    "=": ("{h} in {x}", "{h} {x}"),
}
COMPARING: dict[Asked, tuple[str, ...]] = {
    "count": ("How many {es} have {c}?", "How many {es} with {c} are there?", "Number of {es} with {c}?", "Count the {es} with {c}."),
    "filter": ("Which {es} have {c}?", "List all {es} with {c}.", "Show the {es} with {c}.", "What {es} are there with {c}?"),
}
# fmt: on


@dataclass(frozen=True, slots=True)
class MadeColumn:
    head: str
    cells: str
    most: tuple[str, ...] = ()
    least: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        if self.cells in ("date", "year"):
            return "date"
        if self.cells[0].isdigit() and "," not in self.cells:
            return "number"
        return "yes-no" if self.cells == "yesno" else "text"


@dataclass(frozen=True, slots=True)
class MadeTable:
    file: str
    words: tuple[str, ...]
    columns: tuple[MadeColumn, ...]
    table: Table


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """`request` is None where no table answers it; `column` is the head that is looked up."""

    text: str
    asked: Asked
    file: str
    request: TableRequest | None
    column: str = ""
    compared: str = ""


def made_tables(rng: random.Random, lines: Sequence[str]) -> list[MadeTable]:
    """With rows drawn anew."""
    return [_made(rng, *line.split(" | ")) for line in lines]


def table_lines() -> list[str]:
    return TABLES.strip().splitlines()


def _made(rng: random.Random, file: str, words: str, columns: str) -> MadeTable:
    made = []
    for column in columns.split("; "):
        head, cells, most, least = (column.split(":") + ["", ""])[:4]
        made.append(MadeColumn(head, cells, *(tuple(one.split(",")) if one else () for one in (most, least))))
    first = made[0].cells.count(",") + 1
    size = first if first > 1 else rng.randint(8, 60)
    cells = [_cells(rng, column, size, place == 0) for place, column in enumerate(made)]
    rows = tuple(zip(*cells, strict=True))
    heads = tuple(column.head for column in made)
    return MadeTable(f"{file}.csv", tuple(words.split()), tuple(made), Table("", heads, rows, 2))


def _cells(rng: random.Random, column: MadeColumn, size: int, key: bool) -> list[str]:
    kind, unit = (column.cells.split(" ", 1) + [""])[:2] if column.kind == "number" else (column.cells, "")
    if column.kind == "number":
        low, high = map(float, kind.split("-"))
        decimals = 2 if "." in kind else 0
        return [f"{rng.uniform(low, high):.{decimals}f}{unit and ' ' + unit}" for _ in range(size)]
    pools = {
        "person": lambda: f"{rng.choice(FIRST)} {rng.choice(LAST)}",
        "town": lambda: rng.choice(TOWNS),
        "thing": lambda: rng.choice(THINGS).capitalize(),
        "title": lambda: f"The {rng.choice(THINGS)} of {rng.choice(TOWNS)}",
        "code": lambda: f"{rng.choice('BCDFGHKLMNPRST')}{rng.randint(10, 999)}",
        "date": lambda: f"20{rng.randint(10, 25)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
        "year": lambda: str(rng.randint(1950, 2024)),
        "yesno": lambda: rng.choice(["yes", "no"]),
    }
    draw = pools.get(column.cells, lambda: rng.choice(column.cells.split(",")))
    if key and column.cells not in pools:
        return column.cells.split(",")[:size]
    cells = list[str]()
    for attempt in count():
        cell = draw()
        if not key or cell not in cells or attempt > 500:
            cells.append(cell)
        if len(cells) == size:
            return cells
    return cells


def questions(
    rng: random.Random, made: MadeTable, templates: dict[Asked, tuple[str, ...]], each: int
) -> Iterator[MadeQuestion]:
    """So many of each kind, where the table has the columns for it."""
    for asked, texts in templates.items():
        for _ in range(each):
            if (one := _question(rng, made, asked, rng.choice(texts))) is not None:
                yield one
    for asked, texts in COMPARING.items():
        for _ in range(each):
            if (one := _comparing(rng, made, asked, rng.choice(texts))) is not None:
                yield one


def _of_kind(made: MadeTable, *kinds: str, key: bool = False) -> list[MadeColumn]:
    return [column for column in made.columns[0 if key else 1 :] if column.kind in kinds]


NEEDED = {
    **dict.fromkeys(("sum", "mean", "most", "least", "sum each", "mean each"), ("number",)),
    **dict.fromkeys(("latest", "earliest"), ("date",)),
    "compare": ("number", "date"),
    "look up": ("number", "date", "text"),
    **dict.fromkeys(("count each", "most common", "filter", "count", "other"), ("text",)),
}


def _question(rng: random.Random, made: MadeTable, asked: Asked, text: str) -> MadeQuestion | None:
    columns = _of_kind(made, *NEEDED[asked])
    if "{+}" in text:
        columns = [one for one in columns if one.most]
    if "{-}" in text:
        columns = [one for one in columns if one.least]
    if not columns:
        return None
    column = rng.choice(columns)
    heads, rows = made.table.heads, made.table.rows
    row, other = rng.sample(list(rows), 2)
    filtering = column if asked in ("filter", "count") else rng.choice(_of_kind(made, "text"))
    value = row[heads.index(filtering.head)]
    groups = [one for one in _of_kind(made, "text") if one is not column and one.cells != "person"]
    if "{g}" in text and not groups:
        return None
    group = rng.choice(groups) if groups else column
    number = rng.choice(["three", "3", "5", "five", "2", "10", "4"])
    digits = {"three": "3", "five": "5"}.get(number, number)
    filled = {
        "h": _head(rng, column.head),
        "k": row[0],
        "k2": other[0],
        "v": value.lower() if rng.random() < 0.3 else value,
        "e": made.words[0] if rng.random() < 0.7 else rng.choice(made.words[::2]),
        "es": rng.choice(made.words[1::2]),
        "t": made.file if rng.random() < 0.5 else f"the {made.file.removesuffix('.csv')} list",
        "g": _head(rng, group.head),
        "n": digits,
        "f": rng.choice(FOREIGN),
        "+": rng.choice(column.most or ("",)),
        "-": rng.choice(column.least or ("",)),
    }
    said = _wrapped(rng, text)
    for name, words in filled.items():
        said = said.replace(f"{{{name}}}", words)
    return MadeQuestion(
        said,
        asked,
        made.file,
        _request(asked, text, column, filtering, value, row, other, group, digits),
        column.head if asked == "look up" else "",
    )


WRAPPED = (
    "Please tell me: {}|Can you tell me {}|I would like to know: {}|{} Thanks.|According to {t}, {}|In {t}: {}"
    "|Hey, {}|Quick question: {}|{} (see {t})|Could you look up {}"
).split("|")
"""What people put around a question."""


def _wrapped(rng: random.Random, text: str) -> str:
    text = text[0].lower() + text[1:] if text[0] != "{" and rng.random() < 0.2 else text
    text = text.rstrip("?.") if rng.random() < 0.15 else text
    return rng.choice(WRAPPED).replace("{}", text) if rng.random() < 0.15 else text


def _head(rng: random.Random, head: str) -> str:
    other = OTHER_NAMES.get(head)
    said = other if other and rng.random() < 0.25 else head
    return said if len(said) < 4 else said.lower()


def _request(
    asked: Asked,
    text: str,
    column: MadeColumn,
    filtering: MadeColumn,
    value: str,
    row: tuple[str, ...],
    other: tuple[str, ...],
    group: MadeColumn,
    number: str,
) -> TableRequest | None:
    head, where = column.head, list[Condition]()
    if asked == "other":
        return None
    if "{v}" in text:
        where.append(Condition(column=filtering.head, value=value))
    if "{k2}" in text:
        where.append(Condition(column="", value=(row[0], other[0])))
    elif "{k}" in text:
        where.append(Condition(column="", value=row[0]))
    given: dict[str, object] = {"where": tuple(where)}
    if asked in ("most", "least", "latest", "earliest"):
        down = asked in ("most", "latest")
        if "{n}" in text:
            given |= {"order_by": head, "descending": down, "limit": int(number)}
        else:
            given["aggregate"] = Aggregate(function="max" if down else "min", column=head)
    elif asked == "most common":
        given |= {"aggregate": Aggregate(function="count"), "group_by": head, "descending": True}
    elif asked == "count each":
        given |= {"aggregate": Aggregate(function="count"), "group_by": head}
    elif asked in ("sum each", "mean each"):
        given |= {"aggregate": Aggregate(function=asked.split()[0], column=head), "group_by": group.head}
    elif asked in ("sum", "mean"):
        given["aggregate"] = Aggregate(function=asked, column=head)
    elif asked == "count":
        given["aggregate"] = Aggregate(function="count")
    return TableRequest(**given)  # type: ignore[arg-type]


def _comparing(rng: random.Random, made: MadeTable, asked: Asked, text: str) -> MadeQuestion | None:
    columns = _of_kind(made, "number", "date")
    if not columns:
        return None
    column = rng.choice(columns)
    cell = rng.choice(made.table.rows)[made.table.heads.index(column.head)]
    dated = column.kind == "date"
    number = cell[:4] if dated and (column.cells == "year" or rng.random() < 0.8) else cell.split()[0]
    operator, forms = rng.choice([*(OF_DATES if dated else COMPARISONS).items()])
    compared = rng.choice(forms).replace("{h}", _head(rng, column.head)).replace("{x}", number)
    said = text.replace("{c}", compared).replace("{es}", rng.choice(made.words[1::2]))
    request = TableRequest(
        where=(Condition(column=column.head, operator=operator, value=number),),  # type: ignore[arg-type]
        aggregate=Aggregate(function="count") if asked == "count" else None,
    )
    return MadeQuestion(said, asked, made.file, request, compared=operator)

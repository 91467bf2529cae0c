"""What a follow-up stands for, by the classes of follow-ups that there are."""

import pytest

from clew.memory.datatypes import Sentence, Utterance
from clew.memory.dialogue.follow_ups import standing
from clew.memory.dialogue.utterances import extract
from tests.memory.dialogue.test_referents import said

PRESSURE = ("What was my blood pressure in June?", "It was 128 over 82.")
BOILER = ("Who repaired the boiler on Monday?", "Karim did, for 90 euros.")


@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [
        ([PRESSURE], "and in September?", "What was my blood pressure in September?"),
        ([BOILER], "and on Friday?", "Who repaired the boiler on Friday?"),
        ([BOILER], "and the gutter?", "Who repaired the gutter on Monday?"),
        ([("How far is it from Leeds to York?", "24 miles.")], "and to Hull?", "How far is it from Leeds to Hull?"),
        ([("How much does the blue tent cost?", "80.")], "and the red one?", "How much does the red tent cost?"),
        ([("Is the harbour lit at night?", "Yes.")], "why?", "Why is the harbour lit at night?"),
        ([("When does Ines need the forms?", "Soon.")], "which forms?", "Which forms does Ines need?"),
        ([("How much did Ines bet?", "40.")], "against whom?", "Against whom did Ines bet?"),
        ([("When is the fair?", "In May.")], "no, I meant Olga's fair", "When is Olga's fair?"),
        ([("When is the fair?", "In May.")], "no, not the fair: where do I park?", "Where do I park?"),
        ([BOILER], "back to the boat: how long is it?", "how long is the boat?"),
        (
            [("What's the difference between oak and ash?", "")],
            "which one is harder?",
            "which of oak and ash is harder?",
        ),
        ([("Why is the pump off?", "It is broken.")], "how do I turn it on?", "how do I turn the pump on?"),
        ([("How do I drain the tank?", "Open it.")], "does that take long?", "does draining the tank take long?"),
        (
            [("Does the warranty of the pump cover frost?", "No.")],
            "is rust covered?",
            "As for the warranty of the pump, is rust covered?",
        ),
        (
            [("How do Ada Kern and Olga Winter differ?", "")],
            "who was older?",
            "Who was older, Ada Kern or Olga Winter?",
        ),
        ([("Compare oak with ash", "")], "what is the second for?", "what is ash for?"),
        (
            [("Compare oak and ash", ""), ("what is the first one for?", "For sound, solid, and safe boats.")],
            "and the second?",
            "What is ash for?",
        ),
        (
            [("Compare oak and ash", ""), ("how heavy is the first one?", "Heavy.")],
            "and the other one?",
            "How heavy is ash?",
        ),
        (
            [("What is the difference between a bee and a wasp?", "")],
            "which is faster, A or B?",
            "which is faster, A or B?",
        ),
        ([("How do I run the tests of attrs?", "")], "is it the same for pluggy?", "How do I run the tests of pluggy?"),
        ([("Which formats can Pillow read?", "PNG.")], "and write?", "Which formats can Pillow write?"),
        ([("Where is Baikonur?", "In Kazakhstan.")], "and its population?", "What is Baikonur's population?"),
        ([("How much was the van?", "40.")], "and its insurance?", "How much was the van's insurance?"),
        ([("Does Pillow need Cython?", "No.")], "which version of it?", "which version of Pillow?"),
        (
            [("Which of the dogs that flew before us died?", "Some did.")],
            "why?",
            "Why did the dogs that flew before us die?",
        ),
    ],
)
def test_follow_ups(turns: list[tuple[str, str]], question: str, expected: str) -> None:
    assert standing(question, said(*turns)).text.casefold().removesuffix("?") == expected.casefold().removesuffix("?")


@pytest.mark.parametrize(
    ("asked", "answer", "question", "expected"),
    [
        ("What did we spend in May 2024?", "210 euros.", "and in June?", "What did we spend in June 2024?"),
        ("Who paid on 3 May 2024?", "Jonas.", "and on the 5th?", "Who paid on 5 May 2024?"),
        ("Who paid on 3 May?", "Jonas.", "and in 2023?", "Who paid in 2023?"),
        ("What was it on 1 March 2025?", "71.", "and the day before?", "What was it on 28 February 2025?"),
        ("What was it in December 2024?", "71.", "and the month after?", "What was it in January 2025?"),
        ("Who paid on Monday?", "Jonas.", "and the day after?", "Who paid the day after Monday?"),
        ("How many were there last year?", "4.", "and this year?", "How many were there this year?"),
        ("Which bills are above 100 euros?", "Two.", "and under 50?", "Which bills are under 50?"),
        ("Which trains leave before 8 o'clock?", "The 7:10.", "and after 9?", "Which trains leave after 9?"),
        ("What was the pulse in June?", "71.", "no, May", "What was the pulse in May?"),
        ("How much is the rent?", "900.", "no, I meant last year", "How much was the rent last year?"),
        ("Where is the Hull office?", "In Park Row.", "no, I meant the one in York", "Where is the office in York?"),
        ("What does the car cost?", "20.", "not the car, the van", "What does the van cost?"),
        ("Who directed Night Tides?", "Jonas Vale did.", "and his wife?", "Who is Jonas Vale's wife?"),
        ("Where does Tom keep his bike?", "In the shed.", "and Olga?", "Where does Olga keep her bike?"),
        ("Where does Tom keep his bike?", "In the shed.", "and the tenant?", "Where does the tenant keep their bike?"),
        ("When was Jonas Vale born?", "In 1928.", "and died?", "When did Jonas Vale die?"),
        ("When was the mill built?", "In 1928.", "and painted?", "When was the mill painted?"),
        ("When does the pool open?", "At 7.", "how much for children?", "How much does the pool cost for children?"),
        ("Which rooms are there?", "The Blue Room, the Red Room and the Green Room.", "and the first one?",
         "What about the Blue Room?"),
        ("Which lamps did I buy?", "You bought a brass lamp and a desk lamp.", "what did the second one cost?",
         "What did the desk lamp cost?"),
        ("Which flats did we see?", "We saw the flat in Hull and the flat in York.", "how much is the second one?",
         "How much is the flat in York?"),
        ("What did Vale write?", "He wrote Night Tides, From Mill to Mill and A Star.", "when was the second one out?",
         "When was From Mill to Mill out?"),
        ("Which rooms are there?", "There are two rooms, Oak and Ash.", "how big is the second?", "How big is Ash?"),
    ],
)  # fmt: skip
def test_what_takes_the_place_of_what(asked: str, answer: str, question: str, expected: str) -> None:
    assert standing(question, said((asked, answer))).text.casefold().rstrip("?") == expected.casefold().rstrip("?")


@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [
        ([("How do I open a ticket?", "Write to us.")], "and close one?", "How do I close a ticket?"),
        ([("Where can I hire the boat?", "At the pier.")], "and return it?", "Where can I return the boat?"),
        ([("When can we check in?", "At two.")], "and check out?", "When can we check out?"),
        ([("What was the codename of Fedora 9?", "Sulphur.")], "when was it out?", "when was Fedora 9 out?"),
        ([("What is the name of the first ferry?", "Elin.")], "is it fast?", "is the first ferry fast?"),
        ([("What is the deductible of the policy?", "90.")], "does it cover hail?", "does the policy cover hail?"),
        ([("What is the rent of the flat?", "900.")], "was it higher?", "was the rent of the flat higher?"),
        ([("Who started the fund?", "Small Steps, a group, did.")], "when was that?", "When was the fund started?"),
        ([("Who wrote the report?", "Erna Voss did.")], "when was that?", "When did Erna Voss write the report?"),
        ([("Who sold the mill?", "Erna Voss did.")], "why did she do it?", "why did Erna Voss sell the mill?"),
        ([("What does all-in-one-setup do?", "It installs.")], "is it slow?", "is all-in-one-setup slow?"),
        ([("When is an NDA due?", "At the start.")], "who signs one?", "who signs an NDA?"),
        ([("Do I need a key for the shed?", "Yes."), ("How do I order one?", "Ask.")], "how long does that take?",
         "how long does ordering a key take?"),
        ([("When was the stove serviced?", "In May.")], "what did that cost?", "what did servicing the stove cost?"),
        ([("Who invited the fairies?", "The king.")], "and how many were there?", "how many fairies were there?"),
        ([("How often do I take the tablets?", "Daily.")], "what if I miss a dose?", "what if I miss a dose?"),
        ([("Who pays for repairs?", "We do.")], "what if I break a lamp?", "Who pays for repairs if I break a lamp?"),
        ([("How do I sort a list?", "With sort.")], "which regex options are there?", "which regex options are there?"),
        ([("When is Zoë's trip?", "To Fort Alan Park on 3 May.")], "what may she eat?", "what may Zoë eat?"),
        ([("When is tom's trip?", "To Fort Alan Park, then to Anna's.")], "what may he eat?", "what may Tom eat?"),
        ([("Who is telling the tale?", "")], "what does he want?", "what does the one who is telling the tale want?"),
        ([("What is a pool?", "A kind of cache (Bell and Moss 1970).")], "do they use it?", "do they use the pool?"),
        ([("What is a pool?", "A kind of cache.")], "how do I let something run when it fails?",
         "how do I let something run when it fails?"),
        ([("How long can people keep the skates?", "A day.")], "how many do we have?", "how many skates do we have?"),
        ([("Who fixed the roof?", "Birk did.")], "what did we end up paying?",
         "as for the roof, what did we end up paying?"),
        ([("What is the pool for?", "To cache.")], "can Go do that by itself?", "can Go do that by itself?"),
        ([("How many trees are there?", "90.")], "how did Bell and Moss choose their model?",
         "how did Bell and Moss choose their model?"),
        ([("Where are the spare keys?", "In a tin.")], "how many do we have?", "how many spare keys do we have?"),
        ([("When was Fedora 9 out?", "In 2008.")], "how big was it, 8 I mean", "how big was Fedora 8?"),
        ([("Who fixed the roof?", "Dach Meier did.")], "what's their number?", "what's Dach Meier's number?"),
        ([("What did Dr. Ott prescribe for my back?", "Naproxen 250 mg.")], "is it strong?", "is Naproxen strong?"),
        ([("Where do we stay in Porto?", "At the Casa do Sol.")], "is that far?", "is the Casa do Sol far?"),
        ([("What is a mutex?", "A lock.")], "how is that different from a semaphore?",
         "how is the mutex different from a semaphore?"),
        ([("Who is taking the notes?", "Petra.")], "who was it last time?", "who was taking the notes last time?"),
        ([("How do I leave the club?", "Write."), ("Is there a fee?", "No.")], "what about pausing it?",
         "what about pausing the club?"),
        ([("Which heater did we pick?", "We picked the Orla over the Vint because of the price."),
          ("How loud is it?", "40 dB.")], "how loud is the other one?", "how loud is the Vint?"),
        ([("What is the dose of ibuprofen?", "400 mg.")], "with or without food?",
         "what is the dose of ibuprofen with or without food?"),
        ([("What is the difference between the two options?", "One is old.")], "can I have both at once?",
         "can I have the two options at once?"),
        ([("How many skeins of wool did we count before the move?", "2,140.")], "who got it wrong at first?",
         "who got the number of skeins wrong at first?"),
        ([("What is the difference between gold and bronze?", "Gold is dearer.")],
         "what is the difference between the old and the new plan?",
         "what is the difference between the old and the new plan?"),
        ([("When is the open day?", "On 3 May."), ("Why was the open day moved?", "It rained.")],
         "how much is it to hire the hall?", "how much is it to hire the hall?"),
        ([("Why no nuts?", "So no nuts in any of them.")], "what present did we give them?",
         "what present did we give them?"),
        ([("What is beets?", "With plugins it can do anything for your music collection.")], "how do i install it",
         "how do i install beets?"),
        ([("What is the melting point of zinc?", "420 degrees.")], "is it toxic?", "is zinc toxic?"),
        ([("Who does Mr. Lorry work for?", "He works for Tellson's Bank.")], "is he rich?", "is Mr. Lorry rich?"),
        ([("How do I load the file?", "With open.")], "and unload?", "how do I unload the file?"),
        ([("How do I load the file?", "With open.")], "how long does it take?", "how long does loading the file take?"),
        ([("Who started Fedora?", "It began among Free Software hackers.")], "is he rich?", "is he rich?"),
        ([("Who runs the mill?", "Jonas Vale does."), ("What does the mill grind?", "Oats.")], "and his wife?",
         "Who is Jonas Vale's wife?"),
        ([("What does first do?", "It reads."), ("and rest?", "It reads too.")], "difference between first and rest?",
         "What is the difference between first and rest?"),
        ([("Who directed Tides?", "Jonas Vale directed it."), ("When was it released?", "In 1927.")], "and his wife?",
         "Who is Jonas Vale's wife?"),
        ([("Who is Dr. Ott?", "A doctor."), ("Is it far?", "No."), ("What is the fee?", "40."), ("Why?", "It is new.")],
         "when do I see her again?", "when do I see Dr. Ott again?"),
    ],
)  # fmt: skip
def test_what_is_done_and_what_it_is_done_to(turns: list[tuple[str, str]], question: str, expected: str) -> None:
    assert standing(question, said(*turns)).text.casefold() == expected.casefold()


@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [
        ([("Who wrote Night Tides?", "Ines Berg wrote it.")], "when?", "When did Ines Berg write Night Tides?"),
        ([("Who has the key?", "It is lost.")], "why?", "Why does someone have the key?"),
        ([("What did Ines paint?", "A boat.")], "when was that?", "When did Ines paint that?"),
        ([("When did we sow the peas?", "In May.")], "how many rows?", "How many rows of the peas did we sow?"),
        ([("Do you mend electric bikes?", "Yes, we do.")], "is it the same for scooters?", "Do you mend scooters?"),
        ([("What is the price of the tent?", "It is 80.")], "and the stove?", "What is the price of the stove?"),
        ([("What is the rent of the flat?", "It is 900.")], "and the deposit?", "What is the deposit of the flat?"),
        ([("Can I cancel if I lost my card?", "Yes, you can.")], "and if it was a year ago?",
         "Can I cancel if I lost my card a year ago?"),
        ([("What happens to my account when I die?", "It is closed.")], "who can open it?", "Who can open my account?"),
        ([("Who is responsible for the shop?", "Olga Winter is in charge.")], "since when?",
         "Since when is Olga Winter responsible for the shop?"),
        ([("What is Olga Winter's job?", "Olga Winter is a vet.")], "and Jonas?", "What is Jonas's job?"),
        ([("What is my rent?", "It is 900.")], "and Olga's?", "What is Olga's rent?"),
        ([("What is the entrance fee?", "It is 9 euros.")], "what about pensioners?",
         "What is the entrance fee for pensioners?"),
        ([("What was my weight on 3 May?", "It was 70 kg.")], "and on 21/06/2024?",
         "What was my weight on 21/06/2024?"),
        ([("What was my weight in May?", "It was 70 kg.")], "what about the pulse?", "What was the pulse in May?"),
        ([("What was my weight in May?", "It was 70 kg.")], "what was it on Aug 11?", "What was my weight on Aug 11?"),
        ([("How do I write to Olga Winter?", "By post.")], "and to two people?", "How do I write to two people?"),
        ([("How many guests can stay at night?", "10 guests.")], "and by day?", "How many guests can stay by day?"),
        ([("When was Night Tides 2.0 released?", "It came in May 1998.")], "and 3.1?",
         "When was Night Tides 3.1 released?"),
        ([("How do I seal the jar?", "With wax.")], "and without heating it?",
         "How do I seal the jar without heating it?"),
        ([("What does a cheap ticket to Hull cost?", "It costs 4.80.")], "and to Leeds?",
         "What does a cheap ticket to Leeds cost?"),
        ([("How do S4 classes differ from S3?", "They are formal.")], "and reference classes?",
         "How do reference classes differ from S3?"),
        ([("Can the function have default values?", "It can.")], "and variable arguments?",
         "Can the function have variable arguments?"),
        ([("How much does the Calora Silent cost?", "12,400 euros.")], "and the cheapest one?",
         "How much does the cheapest one cost?"),
        ([("What does the function lapply do?", "It applies one.")], "and sapply?", "What does sapply do?"),
        ([("How loud is the hestia mini?", "It has 52 dB."), ("and the nordvik a7?", "It has 48 dB.")],
         "what about the other one?", "How loud is the hestia mini?"),
        ([("Which of Oak and Ash is lighter?", "Ash is lighter.")], "and cheaper?",
         "Which of Oak and Ash is cheaper?"),
        ([("Compare oak with ash", ""), ("which is lighter?", "Ash.")], "what is the first one for?",
         "What is oak for?"),
        ([("When did releases under the old name begin?", "In 2008.")], "who used it?", "Who used the old name?"),
        ([("How is a part taken?", "The ways are print(x[1]), x[[2]] and x$name.")], "what does the second one return?",
         "What does x[[2]] return?"),
        ([("What is the difference between x[1:3] and x[[1]]?", "Matrices, lists and arrays have both.")],
         "which of them is faster?", "Which of x[1:3] and x[[1]] is faster?"),
        ([("What did the doctor cost in 2024?", "It cost 58 euros.")], "and the year after?",
         "What did the doctor cost in 2025?"),
        ([("What does x[1:3] return?", "Three of them.")], "and print(x[-1])?", "What does print(x[-1]) return?"),
        ([("What does the Oriel 3 cost?", "It costs 80 euros.")], "no, I meant the weight",
         "What is the weight of the Oriel 3?"),
        ([("Who founded Tarnix?", "Olga Winter did it in 1990.")], "and the revenue?",
         "What is the revenue of Tarnix?"),
        ([("What is the rent of the flat?", "It is 900.")], "and for the garage?", "What is the rent of the garage?"),
        ([("Which hotels are near?", "Hotel Sol, Hotel Ulm and Pension Vera are near.")], "how much is the last one?",
         "How much is Pension Vera?"),
        ([("Which hotels are near?", "Hotel Sol, Hotel Ulm and Pension Vera are near.")], "how much is the first one?",
         "How much is Hotel Sol?"),
        ([("Compare oak and ash", ""), ("which is cheaper?", "Oak is cheaper.")], "how heavy is the other one?",
         "How heavy is ash?"),
    ],
)  # fmt: skip
def test_gaps_and_slots(turns: list[tuple[str, str]], question: str, expected: str) -> None:
    assert standing(question, said(*turns)).text.casefold().rstrip("?") == expected.casefold().rstrip("?")


@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [
        ([("Who directed Night Tides?", "Ines Berg did it in 2001."), ("When was she born?", "She was born in Hull.")],
         "how long is it?", "How long is Night Tides?"),
        ([("Who directed Night Tides?", "Ines Berg did it in 2001."), ("how long is it?", "It runs 90 minutes.")],
         "what did it cost?", "What did Night Tides cost?"),
        ([("What about Night of the Owls?", "It is a film of Ines Berg.")],
         "when was it made?", "When was Night of the Owls made?"),
        ([("Where did Haydn's mother die?", "In Rohrau, in 1754.")], "when did she die?",
         "When did Haydn's mother die?"),
        ([("What do we owe the landlady in Hull?", "We owe her 90.")], "how do I reach her?",
         "How do I reach the landlady?"),
        ([("Is Jonas allergic to bees?", "Yes, Jonas is.")], "when do his pens run out?",
         "When do Jonas's pens run out?"),
        ([("What is ETRN meant for?", "It asks for mail.")], "who may use it?", "Who may use ETRN?"),
        ([("Who is Queequeg?", "A harpooneer of an island.")], "no, the landlord of the Sun, what is he called?",
         "What is the landlord of the Sun called?"),
        ([("What goes into etc/hosts?", "Names do.")], "what is it for?", "What is etc/hosts for?"),
        ([("Who founded Tarnix?", "Olga Winter did it in 1990.")], "how old is she?", "How old is Olga Winter?"),
        ([("When is my sister's birthday?", "It is in May."), ("and my brother's?", "His birthday is in June.")],
         "where does he live?", "Where does my brother live?"),
        ([("Where does my sister live?", "She lives in Hull.")], "and Jonas?", "Where does Jonas live?"),
        ([("Where are the keys?", "Sometimes I leave them with my sister.")], "what is her name?",
         "What is my sister's name?"),
        ([("Who has the key?", "Usually Olga keeps it.")], "where does she live?", "Where does Olga live?"),
        ([("Who came?", "Nobody. Perhaps Jonas Vale came later.")], "how old is he?", "How old is Jonas Vale?"),
        ([("What did we buy in Hull?", "You bought a brass lamp.")], "does it still work?",
         "Does the brass lamp still work?"),
        ([("Which inn did we book in Hull?", "The Bear.")], "what did it cost?", "What did the inn cost?"),
        ([("Where did we stay in Hull?", "At the Bear Inn.")], "what did it cost?", "What did the Bear Inn cost?"),
        ([("When was I in Hull?", "In March.")], "was it warm?", "As for Hull, was it warm?"),
        ([("Who landed on the Moon?", "Jonas Vale.")], "and how far away is it?", "How far away is the Moon?"),
        ([("Where does my sister live?", "She lives in Hull."), ("and Jonas?", "Jonas lives in York."),
          ("when did he move?", "He moved in 2020.")], "and she?", "When did my sister move?"),
        ([("Who founded Tarnix?", "Olga Winter did it in 1990.")], "what does it sell?", "What does Tarnix sell?"),
        ([("Which has the longest guarantee?", "The Calora Silent has 10 years.")], "who sells it?",
         "Who sells the Calora Silent?"),
        ([("Who is Olga Winter married to?", "Olga is married to Jonas Vale, a baker.")], "what was he before?",
         "What was Jonas Vale before?"),
        ([("Where is Olga's workshop?", "Olga's workshop is at 12 Canal Yard.")], "what did she win?",
         "What did Olga win?"),
        ([("What did Olga weigh in May?", "Olga weighed 70 kg.")], "and on Friday evenings, what does she weigh?",
         "On Friday evenings, what does Olga weigh?"),
        ([("What does the hare say?", "He laughs.")], "how often did the dog run before he fell asleep?",
         "how often did the dog run before he fell asleep?"),
        ([("Which stories are there?", "\u201cThe Golden Bird\u201d [1]"), ("What did the hare bet?", "A coin.")],
         "did he win?", "Did the hare win?"),
        ([("What did the fox and the hare bet?", "A coin.")], "how fast did the hare run?",
         "how fast did the hare run?"),
        ([("What did the hare say?", "No.")], "Summarise the tale of the miller and his wife.",
         "Summarise the tale of the miller and his wife."),
        ([("Which of his books is on peace?", "The last one is.")], "do pacifists vote?", "do pacifists vote?"),
        ([("When does the hall open?", "At 6:30.")], "What does a ticket cost?", "What does a ticket cost?"),
        ([("How many loaves are baked each day?", "60.")], "are children welcome?", "are children welcome?"),
        ([("How many loaves are baked each day?", "60.")], "are dogs allowed?", "are dogs allowed?"),
        ([("Does the warranty of the pump cover frost?", "No.")], "what's descaling?", "what's descaling?"),
        ([("How long do the two fridges stay cold?", "6 hours.")], "is our jam spoilt now?", "is our jam spoilt now?"),
        ([("When did the parcel come?", "It came late.")], "how much was the boat?", "how much was the boat?"),
        ([("Who feeds the cat while we are in Poland?", "Ines does it.")], "when are we gone?", "when are we gone?"),
    ],
)  # fmt: skip
def test_what_is_spoken_of(turns: list[tuple[str, str]], question: str, expected: str) -> None:
    assert standing(question, said(*turns)).text.casefold().rstrip("?") == expected.casefold().rstrip("?")


def test_a_name_of_another_kind_is_not_put_into_a_refused_question() -> None:
    refused = [Sentence("What is the capital of Spain?", "user", 1)]
    assert not standing("What about Night of the Owls?", refused).why
    assert standing("What about Peru?", refused).text == "What is the capital of Peru?"


def test_an_answer_that_is_said_again_is_that_of_its_first_turn_too() -> None:
    again = "Olga Winter founded the choir in 2011."
    asked = [
        ("Who founded the choir?", again),
        ("when did she do it?", again),
        ("what is her job?", "She is a vet now."),
    ]
    history = extract([one for q, a in asked for one in (Utterance("user", q), Utterance("agent", a))])
    assert [(one.turn, one.earlier) for one in history if one.text == again] == [(2, (1,))]
    assert standing("and Jonas?", history).text == "what is Jonas's job?"

"""What a unit says to a question of yes or no: with a cue of that polarity alone, in six languages."""

import pytest

from clew.agent.answer.cues import says_opposite
from clew.agent.answer.polarity import Above, asks_yes_or_no, says

SAID = [
    # negation
    ("Are dogs allowed in the library?", "Dogs are not allowed in the library.", "no"),
    ("Is breakfast included in the price?", "Breakfast is not included in the price of the room.", "no"),
    ("Is breakfast included?", "Breakfast is included.", "yes"),
    ("Does the choir sing in summer?", "The choir does not sing in summer.", "no"),
    ("Does the hut have running water?", "The hut has no running water.", "no"),
    ("Does the hut have a stove?", "The hut has a stove and twelve bunks.", "yes"),
    ("Is there a lift in the museum?", "There is no lift in the museum.", "no"),
    ("Is there a car park behind the museum?", "There is a car park behind the museum.", "yes"),
    ("Did Marta pay the deposit?", "Marta never paid the deposit.", "no"),
    ("Did Marta sign the contract?", "Marta signed the contract in March.", "yes"),
    ("Was the letter written?", "The letter was written by Ann.", "yes"),
    ("Did you label the cables?", "- [ ] label the cables", "no"),
    ("Did you label the cables?", "- [x] label the cables", "yes"),
    # may and must
    ("May members bring guests?", "Members may bring guests on Sundays.", "yes"),
    ("May members bring dogs?", "Members may not bring dogs.", "no"),
    ("Can I pay by card?", "You cannot pay by card.", "no"),
    ("Can I pay by card?", "You can pay by card or in cash.", "yes"),
    ("Is smoking allowed in the rooms?", "Smoking is prohibited in the rooms.", "no"),
    ("Do I need a password for the printer?", "You do not need a password for the printer.", "no"),
    ("Must I wear a helmet in the hall?", "You must wear a helmet in the hall.", "yes"),
    ("Is a helmet required in the hall?", "A helmet is optional in the hall.", "no"),
    ("Are dogs allowed?", "Dogs are not allowed.", "no"),
    ("Are dogs allowed?", "Dogs are allowed.", "yes"),
    ("Is smoking allowed?", "Smoking is prohibited.", "no"),
    ("Is parking free?", "Parking is free.", "yes"),
    # opposites
    ("Is the side door open?", "The side door is closed.", "no"),
    ("Was the motion passed?", "The motion was rejected.", "no"),
    ("Is the file encrypted?", "The file is unencrypted.", "no"),
    # days, dates, amounts
    ("Is the shop open on Sundays?", "The shop is open Monday to Friday.", "no"),
    ("Is the shop open on Wednesday?", "The shop is open Monday to Friday.", "yes"),
    ("Is the shop open on Mondays?", "The shop is closed on Mondays.", "no"),
    ("Was the bridge built before 1900?", "The bridge was built in 1894.", "yes"),
    ("Was the bridge built in 1901?", "The bridge was built in 1894.", "no"),
    ("Is the deposit 500 euros?", "The deposit is 400 euros.", "no"),
    ("Is the deposit more than 300 euros?", "The deposit is 400 euros.", "yes"),
    ("Does the parcel weigh less than 2 kg?", "The parcel weighs 2.5 kg.", "no"),
    # nobody knows
    ("Is the date of the concert fixed?", "Whether the date of the concert is fixed is still unclear.", "not-said"),
    # other languages
    ("Sind Hunde im Garten erlaubt?", "Hunde sind im Garten nicht erlaubt.", "no"),
    ("Darf man im Garten grillen?", "Im Garten darf man grillen.", "yes"),
    ("Est-ce que les chiens sont admis au musée ?", "Les chiens ne sont pas admis au musée.", "no"),
    ("Y a-t-il un ascenseur au musée ?", "Il y a un ascenseur au musée.", "yes"),
    ("¿Se permiten perros en el jardín?", "No se permiten perros en el jardín.", "no"),
    ("Si può fumare nel giardino?", "Nel giardino non si può fumare.", "no"),
    ("Ĉu hundoj estas permesataj en la ĝardeno?", "Hundoj ne estas permesataj en la ĝardeno.", "no"),
]

UNSAID = [
    ("Is the shop open on Mondays?", "The shop is closed on Tuesdays."),
    ("Can I pay by card?", "The card is sent to you in the post."),
    ("Did Marta sign the contract?", "Marta read the contract in March."),
    ("Has the certificate been renewed?", "- renew the certificate"),
    ("Are dogs allowed in the library?", "Only guide dogs are allowed in the library."),
    ("Are dogs allowed?", "Guide dogs are allowed in the library."),
    ("Are dogs allowed?", "Dogs may not be fed."),
    ("Are dogs allowed?", "Dogs are allowed on leads."),
    ("Is smoking allowed?", "Smoking is forbidden in the bedroom."),
    ("Are guests allowed?", "Guests under 18 are not allowed."),
    ("Is the pool free?", "The pool is free for children under six."),
    ("Is parking free?", "Parking is free on Sundays."),
    ("Is the gutter included?", "Everything but the gutter is included."),
    ("Is camping permitted?", "Wild camping is banned."),
    ("Is camping permitted?", "Camping is permitted only in May."),
    ("Are all rooms heated?", "Some rooms are heated."),
    ("Are all rooms heated?", "Not all rooms are heated in winter, but the hall is."),
    ("Is the hall heated?", "The hall may be heated next year."),
    ("Is the tea red or green?", "The tea is green."),
    ("Is the hall not heated?", "The hall is not heated."),
    ("Do you know where the key is?", "The key is under the mat."),
    ("Is the fee 1.200 euros?", "The fee is 1,300 euros."),
    ("Does the price include the flight?", "The price depends on the flight."),
    ("Did the pilot see the ship?", "The pilot who did not see the storm saw the ship late."),
    ("Was the bridge built before 1894?", "The bridge was built in 1894."),
    ("Is the strip in the city?", "The strip is located south of the limits of the city."),
    ("Who sings?", "The choir sings."),
    ("È vietato fumare nel giardino?", "Nel giardino è vietato fumare."),
]


@pytest.mark.parametrize(("question", "text", "said"), SAID)
def test_a_cue_says_yes_or_no(question: str, text: str, said: str) -> None:
    assert says(question, [text]) == said


@pytest.mark.parametrize(("question", "text"), UNSAID)
def test_nothing_is_said_without_one(question: str, text: str) -> None:
    assert says(question, [text]) is None


def test_the_subject_may_stand_above(question: str = "Is the boathouse insured?") -> None:
    assert says(question, ["It is not insured."], above=Above("Boathouse")) == "no"
    assert says(question, ["It is not insured."], above=Above("Cars")) is None


def test_what_says_nothing_else_than_is_asked_is_of_what_stands_above() -> None:
    hours = Above(head="Opening hours of the laundry")
    assert says("Is the laundry open on Friday?", ["- Friday: closed"], above=hours) == "no"
    assert says("Is the laundry closed on Fridays?", ["- Friday: closed"], above=hours) == "yes"
    assert says("Is the laundry open on Thursday?", ["- Thursday: 9:00 to 17:00"], above=hours) == "yes"
    assert says("Is the laundry open on Monday?", ["- Thursday: 9:00 to 17:00"], above=hours) is None
    assert says("Is the sauna open on Friday?", ["- Friday: closed"], above=hours) is None
    assert says("Are dogs allowed in the flat?", ["Dogs are not allowed."], above=Above("Lease of the flat")) == "no"
    assert says("Is the boathouse insured?", ["Cars."], above=Above("Boathouse insured")) is None
    assert says("Can I swim in the lake?", ["Not in winter."], above=Above("Swimming in the lake")) is None


def test_what_stands_above_says_nothing_where_it_denies_or_is_of_another_thing() -> None:
    for head in ("Foods that Anna does not eat", "Foods that Anna stopped eating"):
        assert says("Does Anna eat nuts?", ["- Nuts"], Above("Anna", head)) is None
    assert says("Does Anna eat nuts?", ["- Nuts"], Above("Allergies", "Foods that Anna eats")) == "yes"
    assert says("Do you sell tobacco?", ["We do not sell:", "- Tobacco"], Above("Shop")) is None
    asking = Above("Offer", "What does the offer include?")
    assert says("Does the offer include the gutter?", ["Everything but the gutter."], asking) is None
    hours = Above("Museum", lead="Opening hours of the shop:")
    assert says("Is the museum open on Tuesday?", ["- Tuesday: closed"], hours) is None
    assert says("Is the shop open on Tuesday?", ["- Tuesday: closed"], hours) == "no"
    assert says("Is the museum open on Tuesday?", ["- Tuesday: closed"], Above("Museum", "Opening hours")) == "no"
    assert says("Are dogs allowed on the campsite?", ["Dogs are not allowed."], Above("Campsite", "Kitchen")) is None
    assert says("Is entry allowed?", ["Entry is forbidden."], Above("Park", "Dogs")) is None
    assert says("Is entry allowed?", ["Entry is forbidden."], Above("Park", "Rules")) == "no"


def test_lines_of_days_and_hours_say_when_something_is_open() -> None:
    hours = Above("Corner Bakery", "Opening hours")
    assert says("Is the bakery open on Saturdays?", ["- Sat 7-13"], hours) == "yes"
    assert says("Is the bakery open on Tuesday?", ["- Mon-Fri 6:30-18:00"], hours) == "yes"
    assert says("Is the bakery open on Saturdays?", ["- Mon-Fri 6:30-18:00"], hours) is None
    assert says("Is the bakery open on Sundays?", ["- Sun closed"], hours) == "no"


def test_what_is_to_do_is_not_done() -> None:
    asked, line = "Has the certificate been renewed?", "- renew certificate before 12 March"
    assert says(asked, [line], Above("Home server", "To do")) == "no"
    assert says(asked, ["To do", line], Above("Home server")) == "no"
    assert says(asked, ["- renewed the certificate"], Above("Home server", "Done")) == "yes"


def test_a_question_of_the_document_says_nothing_and_its_answer_does() -> None:
    told = ["Q: Do the tools read the .7z format?", "A: No. Use another program to handle .7z files."]
    assert says("Do the tools read the .7z format?", told) == "no"
    assert says("Do the tools read the .7z format?", told[:1]) is None


def test_an_answer_that_begins_with_no_counts_below_its_question() -> None:
    below = Above(head="Can the program read scanned pages?")
    assert says("Can it read scanned pages?", ["No, it needs a text layer."], above=below) == "no"
    assert says("Can it read scanned pages?", ["Yes. Scans go through a second step."], above=below) == "yes"
    assert says("Can it play music?", ["No, it needs a text layer."], above=below) is None


def test_which_questions_of_other_languages_are_of_yes_or_no() -> None:
    assert all(asks_yes_or_no(question) for question, _, _ in SAID[-7:])
    assert not asks_yes_or_no("Wer darf im Garten grillen?") and not asks_yes_or_no("Combien coûte le billet ?")


def test_the_opposite_of_what_is_asked_is_told_from_it() -> None:
    assert says_opposite("Who was the last keeper?", "The first head keeper was Ole Brandt.")
    assert not says_opposite("Who was the last keeper?", "The last keepers left in 1981; the first came in 1870.")
    assert not says_opposite("Who was the last keeper?", "A turn of duty lasted eight weeks.")

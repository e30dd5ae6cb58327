"""Clean tags: place, event, round and date out of what the source has.

The source puts places, events, rounds and years into Site and Event in many
ways. Here the place is the first known one (places.tsv) that either tag names,
and the event is what the patterns of `EVENTS` find. A tournament that nothing
else names is called after its town, as chess players do. What is left is dropped.
"""

import datetime
import re
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "places.tsv"
UNKNOWN = "?"
UNKNOWN_DATE = "????.??.??"
TITLE = "World Championship"
# The first and last year of a game of the source; it has nothing outside that is not an error.
FIRST_YEAR, LAST_YEAR = 1834, 2000
MOST_ROUNDS = 60
ELO_LEAST, ELO_MOST = 2000, 2900

# Events by what the source calls them; the first that matches is taken.
EVENTS = [(re.compile(pattern), name) for pattern, name in [
    (r"(?i)wchj|junior|\bu-?20\b", "Junior Championship"),
    (r"(?i)\bwcht\b|\bwtc\b|team ch world", "World Team Championship"),
    (r"(?i)\betc[ht]?\b|eu-cht", "European Team Championship"),
    (r"(?i)veteran", "Veterans"),
    (r"(?i)women", "Women's Tournament"),
    (r"(?i)candidat|\(cand|\bct\b|\bcandi|\bc[qsf]\b|\bcm\b", "Candidates"),
    (r"(?i)inter-?zonal|\bizt?\b", "Interzonal"),
    (r"(?i)olymp|\bolm?\b", "Olympiad"),
    (r"(?i)world ?cup|\bwcup\b|gma.?w", "World Cup"),
    (r"(?i)wch|ch world|ch wrl|world ?championship|\bworld ch|\(pca\)", TITLE),
    (r"(?i)bundesliga|\bbl\b|\bbl ?\d", "Bundesliga"),
    (r"(?i)(?:urs|su|ussr).{0,6}(?:sf|1/2)|ch urs ?\( ?1/2|1/2.*ch urs", "USSR Championship, semifinal"),
    (r"(?i)(?:urs|su|ussr)[ -](?:ch|fl)(?!t)|ch[ -](?:urs|su|ussr)\b|(?:ussr|soviet) ch", "USSR Championship"),
    (r"(?i)usa[ -]ch|ch[ -]usa|u\.?s\.? ch|united states ch", "US Championship"),
    (r"(?i)ned[ -]ch|ch[ -](?:ned|netherlands)|nld-ch", "Dutch Championship"),
    (r"(?i)hun[ -]ch|ch[ -]hun", "Hungarian Championship"),
    (r"(?i)yug[ -]ch|ch[ -]yug", "Yugoslav Championship"),
    (r"(?i)rus[ -]ch|ch[ -]rus", "Russian Championship"),
    (r"(?i)\bmoscow[ -]ch\b|ch moscow", "Moscow Championship"),
    (r"(?i)ch leningrad|leningrad ch\b", "Leningrad Championship"),
    (r"(?i)hoogovens", "Hoogovens"),
    (r"(?i)\bibm\b", "IBM Tournament"),
    (r"(?i)\bohra\b", "OHRA Tournament"),
    (r"(?i)\bavro\b", "AVRO Tournament"),
    (r"(?i)interpolis", "Interpolis"),
    (r"(?i)s\.?w\.?i\.?f\.?t", "SWIFT Tournament"),
    (r"(?i)lloyds|\blb\b", "Lloyds Bank Open"),
    (r"(?i)phillips|p&d", "Phillips & Drew"),
    (r"(?i)alekhine|\bale mem", "Alekhine Memorial"),
    (r"(?i)(?:memorial|mem) .{0,4}capablanca|\bcap.mem", "Capablanca Memorial"),
    (r"(?i)rubinstein.{0,4}mem|(?:memorial|mem) .{0,4}rubinstein", "Rubinstein Memorial"),
    (r"(?i)keres mem|(?:memorial|mem) .{0,4}keres", "Keres Memorial"),
    (r"(?i)trebitsch", "Trebitsch Memorial"),
    (r"(?i)tal mem|(?:memorial|mem) .{0,4}\btal\b|riga tal", "Tal Memorial"),
    (r"(?i)donner", "Donner Memorial"),
    (r"(?i)bosna", "Bosna"),
    (r"(?i)dsb|kongress|congress", "Congress"),
    (r"(?i)\bgma\b", "GMA Tournament"),
    (r"(?i)\bzt\b|\bzonal", "Zonal"),
    (r"(?i)staunton", "Staunton Memorial"),
    (r"(?i)spartak|sparta[ck]iad", "Spartakiad"),
    (r"(?i)\bopen\b|\bop\b", "Open"),
    (r"(?i)\btt\b|\bteam\b|league|liga", "Team Tournament"),
    (r"(?i)\bmatch\b(?!-)|\bm\b|-match", "Match"),
    (r"(?i)\bch\b|champ", "Championship"),
]]
# The matches for the title: year of the first game, surnames, and towns where the two played nothing else that year.
# In 1948 five players met.
TITLE_MATCHES = """
1886 Steinitz Zukertort; 1889 Steinitz Chigorin @ Havana; 1890 Steinitz Gunsberg @ New York;
1892 Steinitz Chigorin @ Havana; 1894 Lasker Steinitz; 1896 Lasker Steinitz @ Moscow; 1907 Lasker Marshall;
1908 Lasker Tarrasch @ Duesseldorf, Munich; 1910 Lasker Schlechter @ Vienna, Berlin; 1910 Lasker Janowski @ Berlin;
1921 Lasker Capablanca @ Havana; 1927 Capablanca Alekhine @ Buenos Aires; 1929 Alekhine Bogoljubov;
1934 Alekhine Bogoljubov; 1935 Alekhine Euwe; 1937 Alekhine Euwe; 1948 Botvinnik Smyslov Keres Reshevsky Euwe;
1951 Botvinnik Bronstein; 1954 Botvinnik Smyslov @ Moscow; 1957 Botvinnik Smyslov @ Moscow;
1958 Botvinnik Smyslov @ Moscow; 1960 Botvinnik Tal @ Moscow; 1961 Botvinnik Tal @ Moscow;
1963 Botvinnik Petrosian @ Moscow; 1966 Petrosian Spassky @ Moscow; 1969 Petrosian Spassky @ Moscow;
1972 Spassky Fischer @ Reykjavik; 1978 Karpov Korchnoi @ Baguio; 1981 Karpov Korchnoi @ Merano;
1984 Karpov Kasparov @ Moscow; 1985 Karpov Kasparov @ Moscow; 1986 Karpov Kasparov @ London, Leningrad;
1987 Karpov Kasparov @ Seville; 1990 Karpov Kasparov @ New York, Lyon; 1993 Kasparov Short;
1993 Karpov Timman; 1995 Kasparov Anand @ New York; 1996 Karpov Kamsky @ Elista; 1998 Karpov Anand @ Lausanne"""


def read_title_matches():
    """Year, surnames and towns of the matches."""
    for text in TITLE_MATCHES.split(";"):
        who, _, towns = text.partition("@")
        year, *names = who.split()
        yield int(year), set(names), {town.strip() for town in towns.split(",")}


# Games that were not played at the usual pace with sight of the board, or not in earnest.
LIGHT = re.compile(r"(?i)blitz|blind|rapid|active|sim[ ,.)]|simul|\bbl_|\d+'|\bg/?\d\d\b|exhib|consult|berat|thematic"
                   r"|training|corr|odds|remove|kremlin|postal|variant|tele|amber|themawett|gambit tour")
# Since this year masters met at Monaco for rapid and blindfold games.
AMBER = 1992


def whole_word(words):
    """A pattern for any of some words or names."""
    words = sorted(words, key=len, reverse=True)
    return re.compile(r"(?<![A-Za-z])(?:" + "|".join(map(re.escape, words)) + r")(?![A-Za-z])", re.IGNORECASE)


def read_places():
    """Place and number in the table of every spelling, in small letters."""
    places = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, _, spellings = line.partition("\t")
            for spelling in [name] + [each.strip() for each in spellings.split(";")]:
                if spelling:
                    places[spelling.lower()] = (len(places), name)
    return places


PLACES = read_places()
PLACE = whole_word(PLACES)
NOWHERE = (len(PLACES), UNKNOWN)
# The table ends with the countries, from here on.
FIRST_COUNTRY = "austria"
COUNTRIES = {name for number, name in PLACES.values() if number >= PLACES[FIRST_COUNTRY][0]}


def place(site, event):
    """The place that Site names, or Event if Site has no town. Of several the first in the table."""
    named = [min((PLACES[match.lower()] for match in PLACE.findall(text)), default=NOWHERE) for text in (site, event)]
    return named[0][1] if named[0][0] < PLACES[FIRST_COUNTRY][0] else min(named)[1]


def event_name(site, event, year, white, black):
    """The event that the tags name, or the town. The source says world championship of too many games."""
    text, town = f"{event} | {site}", place(site, event)
    otherwise = UNKNOWN if town in COUNTRIES else town
    name = next((name for pattern, name in EVENTS if pattern.search(text)), otherwise)
    pair = {white.partition(",")[0], black.partition(",")[0]}
    for first, names, towns in read_title_matches():
        named = name in (TITLE, "Match") and first <= year <= first + 1
        if pair <= names and (named or name == town and town in towns and first == year):
            return TITLE if len(names) > 2 else f"{TITLE} Match"
    return otherwise if name == TITLE else name


def is_light(year, site, event):
    """Whether a game was rapid, blindfold, simultaneous or the like."""
    return bool(LIGHT.search(f"{event} | {site}")) or (
        year >= AMBER and place(site, event) in ("Monaco", "Monte Carlo", "Roquebrune"))


def round_number(round_tag, event):
    """The round, which the source sometimes has in Event."""
    for text in (round_tag, event):
        match = re.fullmatch(r"0*([1-9]\d?)(\.\d\d?)?", text.strip())
        if match and int(match[1]) <= MOST_ROUNDS:
            return match[1] + (match[2] or "")
    return UNKNOWN


def year_and_date(date, site):
    """The year (0 if unknown) and the date. A year that Site names overrules that of Date."""
    named = {int(year) for year in re.findall(r"(?<!\d)1[89]\d\d(?!\d)", site)}
    match = re.fullmatch(r"(\d{4})\.(\d\d|\?\?)\.(\d\d|\?\?)", date)
    year = int(match[1]) if match else 0
    if len(named) == 1 and year not in named and not (year - 1 in named or year + 1 in named):
        return (named.pop(), None) if year == 1792 else (0, None)
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return 0, None
    try:
        datetime.date(*(int(part) if part.isdigit() else 1 for part in match.groups()))
    except ValueError:
        return year, None
    return year, date


def elo(rating):
    """A rating that a master can have, or nothing."""
    return rating if rating.isdigit() and ELO_LEAST <= int(rating) <= ELO_MOST else None

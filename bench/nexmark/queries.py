"""Nexmark's queries in Flink's SQL, over the views `person`, `auction` and `bid`."""

from __future__ import annotations

from collections import Counter

_EVENTS = """
CREATE TABLE events (
    event_type INT,
    person ROW<id BIGINT, name STRING, emailAddress STRING, creditCard STRING, city STRING, state STRING,
        `dateTime` TIMESTAMP(3), extra STRING>,
    auction ROW<id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT,
        `dateTime` TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT, extra STRING>,
    bid ROW<auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, `dateTime` TIMESTAMP(3),
        extra STRING>,
    `dateTime` AS CASE event_type WHEN 0 THEN person.`dateTime` WHEN 1 THEN auction.`dateTime` ELSE bid.`dateTime` END,
    WATERMARK FOR `dateTime` AS `dateTime` - INTERVAL '4' SECOND
) WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{path}')
"""
_VIEWS = (
    """CREATE VIEW person AS SELECT person.id, person.name, person.emailAddress, person.creditCard, person.city,
        person.state, `dateTime`, person.extra FROM events WHERE event_type = 0""",
    """CREATE VIEW auction AS SELECT auction.id, auction.itemName, auction.description, auction.initialBid,
        auction.reserve, `dateTime`, auction.expires, auction.seller, auction.category, auction.extra
        FROM events WHERE event_type = 1""",
    """CREATE VIEW bid AS SELECT bid.auction, bid.bidder, bid.price, bid.channel, bid.url, `dateTime`, bid.extra
        FROM events WHERE event_type = 2""",
    "CREATE VIEW bid_now AS SELECT *, PROCTIME() AS p_time FROM bid",
)
_COUNTS = """SELECT auction, COUNT(*) AS num, window_start AS starttime, window_end AS endtime
    FROM TABLE(HOP(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '2' SECOND, INTERVAL '10' SECOND))
    GROUP BY auction, window_start, window_end"""
_TUMBLE = "INTERVAL '10' SECOND))"
_DAY = "DATE_FORMAT(`dateTime`, 'yyyy-MM-dd')"


def _ranks(what: str) -> str:
    return f"""{what} AS total,
        {what} FILTER (WHERE price < 10000) AS rank1,
        {what} FILTER (WHERE price >= 10000 AND price < 1000000) AS rank2,
        {what} FILTER (WHERE price >= 1000000) AS rank3"""


_ALL_RANKS = f"""{_ranks("COUNT(*)")},
    {_ranks("COUNT(DISTINCT bidder)").replace(" AS ", " AS bidders_")},
    {_ranks("COUNT(DISTINCT auction)").replace(" AS ", " AS auctions_")}"""

_SIDE_INPUT = """CREATE TABLE side_input (k BIGINT, v STRING) WITH ('connector' = 'jdbc', 'url' = '{url}',
    'table-name' = 'side_input', 'lookup.cache' = 'PARTIAL', 'lookup.partial-cache.max-rows' = '10000')"""

#: Query -> its text. In Nexmark q6 takes the time of the highest bid without a word on which one it is: here it is the
#: first of them. q13 looks rows up in a file, which Flink cannot do any more: here they are in a database.
QUERIES = {
    "q0": "SELECT auction, bidder, price, `dateTime`, extra FROM bid",
    "q1": "SELECT auction, bidder, 0.908 * price AS price, `dateTime`, extra FROM bid",
    "q2": "SELECT auction, price FROM bid WHERE MOD(auction, 123) = 0",
    "q3": """SELECT P.name, P.city, P.state, A.id FROM auction AS A INNER JOIN person AS P ON A.seller = P.id
        WHERE A.category = 10 AND (P.state = 'OR' OR P.state = 'ID' OR P.state = 'CA')""",
    "q4": """SELECT Q.category, AVG(Q.final) FROM (
        SELECT MAX(B.price) AS final, A.category FROM auction A, bid B
        WHERE A.id = B.auction AND B.`dateTime` BETWEEN A.`dateTime` AND A.expires GROUP BY A.id, A.category
        ) Q GROUP BY Q.category""",
    "q5": f"""SELECT AuctionBids.auction, AuctionBids.num FROM ({_COUNTS}) AS AuctionBids JOIN (
        SELECT MAX(CountBids.num) AS maxn, CountBids.starttime, CountBids.endtime FROM ({_COUNTS}) AS CountBids
        GROUP BY CountBids.starttime, CountBids.endtime) AS MaxBids
        ON AuctionBids.starttime = MaxBids.starttime AND AuctionBids.endtime = MaxBids.endtime
        AND AuctionBids.num >= MaxBids.maxn""",
    "q6": """SELECT Q.seller, AVG(Q.final) OVER (
            PARTITION BY Q.seller ORDER BY Q.`dateTime` ROWS BETWEEN 10 PRECEDING AND CURRENT ROW) AS avg_price FROM (
        SELECT A.seller, B.price AS final, B.`dateTime`,
            ROW_NUMBER() OVER (PARTITION BY A.id ORDER BY B.price DESC, B.`dateTime` ASC) AS rownum
        FROM auction A, bid B WHERE A.id = B.auction AND B.`dateTime` BETWEEN A.`dateTime` AND A.expires
        ) Q WHERE Q.rownum <= 1""",
    "q7": f"""SELECT B.auction, B.price, B.bidder, B.`dateTime`, B.extra FROM bid B JOIN (
        SELECT MAX(price) AS maxprice, window_end AS `dateTime`
        FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(`dateTime`), {_TUMBLE} GROUP BY window_start, window_end) B1
        ON B.price = B1.maxprice WHERE B.`dateTime` BETWEEN B1.`dateTime` - INTERVAL '10' SECOND AND B1.`dateTime`""",
    "q8": f"""SELECT P.id, P.name, P.starttime FROM (
        SELECT id, name, window_start AS starttime, window_end AS endtime
        FROM TABLE(TUMBLE(TABLE person, DESCRIPTOR(`dateTime`), {_TUMBLE} GROUP BY id, name, window_start, window_end) P
        JOIN (SELECT seller, window_start AS starttime, window_end AS endtime
        FROM TABLE(TUMBLE(TABLE auction, DESCRIPTOR(`dateTime`), {_TUMBLE} GROUP BY seller, window_start, window_end) A
        ON P.id = A.seller AND P.starttime = A.starttime AND P.endtime = A.endtime""",
    "q9": """SELECT id, itemName, description, initialBid, reserve, `dateTime`, expires, seller, category, extra,
        auction, bidder, price, bid_dateTime, bid_extra FROM (
        SELECT A.*, B.auction, B.bidder, B.price, B.`dateTime` AS bid_dateTime, B.extra AS bid_extra,
            ROW_NUMBER() OVER (PARTITION BY A.id ORDER BY B.price DESC, B.`dateTime` ASC) AS rownum
        FROM auction A, bid B WHERE A.id = B.auction AND B.`dateTime` BETWEEN A.`dateTime` AND A.expires
        ) WHERE rownum <= 1""",
    "q10": f"""SELECT auction, bidder, price, `dateTime`, extra, {_DAY}, DATE_FORMAT(`dateTime`, 'HH:mm') FROM bid""",
    "q11": """SELECT B.bidder, COUNT(*) AS bid_count, SESSION_START(B.`dateTime`, INTERVAL '10' SECOND) AS starttime,
        SESSION_END(B.`dateTime`, INTERVAL '10' SECOND) AS endtime FROM bid B
        GROUP BY B.bidder, SESSION(B.`dateTime`, INTERVAL '10' SECOND)""",
    "q12": f"""SELECT bidder, COUNT(*) AS bid_count, window_start AS starttime, window_end AS endtime
        FROM TABLE(TUMBLE(TABLE bid_now, DESCRIPTOR(p_time), {_TUMBLE} GROUP BY bidder, window_start, window_end""",
    "q13": """SELECT B.auction, B.bidder, B.price, B.`dateTime`, S.v
        FROM (SELECT *, PROCTIME() AS p_time FROM bid) B
        JOIN side_input FOR SYSTEM_TIME AS OF B.p_time AS S ON MOD(B.auction, 10000) = S.k""",
    "q14": """SELECT auction, bidder, 0.908 * price AS price,
        CASE WHEN HOUR(`dateTime`) >= 8 AND HOUR(`dateTime`) <= 18 THEN 'dayTime'
            WHEN HOUR(`dateTime`) <= 6 OR HOUR(`dateTime`) >= 20 THEN 'nightTime' ELSE 'otherTime' END AS bidTimeType,
        `dateTime`, extra, count_char(extra, 'c') AS c_counts FROM bid
        WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000""",
    "q15": f"SELECT {_DAY} AS `day`, {_ALL_RANKS} FROM bid GROUP BY {_DAY}",
    "q16": f"""SELECT channel, {_DAY} AS `day`, MAX(DATE_FORMAT(`dateTime`, 'HH:mm')) AS `minute`, {_ALL_RANKS}
        FROM bid GROUP BY channel, {_DAY}""",
    "q17": f"""SELECT auction, {_DAY} AS `day`, {_ranks("COUNT(*)")}, MIN(price) AS min_price, MAX(price) AS max_price,
        AVG(price) AS avg_price, SUM(price) AS sum_price FROM bid GROUP BY auction, {_DAY}""",
    "q18": """SELECT auction, bidder, price, channel, url, `dateTime`, extra FROM (
        SELECT *, ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY `dateTime` DESC) AS rank_number FROM bid
        ) WHERE rank_number <= 1""",
    "q19": """SELECT * FROM (
        SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS rank_number FROM bid
        ) WHERE rank_number <= 10""",
    "q20": """SELECT auction, bidder, price, channel, url, B.`dateTime`, B.extra, itemName, description, initialBid,
        reserve, A.`dateTime`, expires, seller, category, A.extra
        FROM bid AS B INNER JOIN auction AS A ON B.auction = A.id WHERE A.category = 10""",
    "q21": """SELECT auction, bidder, price, channel, CASE WHEN LOWER(channel) = 'apple' THEN '0'
            WHEN LOWER(channel) = 'google' THEN '1' WHEN LOWER(channel) = 'facebook' THEN '2'
            WHEN LOWER(channel) = 'baidu' THEN '3' ELSE REGEXP_EXTRACT(url, '(&|^)channel_id=([^&]*)', 2)
            END AS channel_id
        FROM bid WHERE REGEXP_EXTRACT(url, '(&|^)channel_id=([^&]*)', 2) IS NOT NULL
            OR LOWER(channel) IN ('apple', 'google', 'facebook', 'baidu')""",
    "q22": """SELECT auction, bidder, price, channel, SPLIT_INDEX(url, '/', 3) AS dir1,
        SPLIT_INDEX(url, '/', 4) AS dir2, SPLIT_INDEX(url, '/', 5) AS dir3 FROM bid""",
}

#: Flink cannot run it in streaming mode, as its window is over rows that change.
OVER_CHANGES = "q6"

#: Flink cannot run it in batch mode, as it has no groups by sessions there.
BY_SESSIONS = "q11"

#: Its changes replace the row with the same first column: Flink tells nothing of the row before.
REPLACING = "q9"

#: Its windows are of processing time: each run has other rows, and batch mode has no such windows.
BY_THE_CLOCK = "q12"


def tables(path: str, side_input: str = "") -> list[str]:
    """The statements that declare the events of a file, and the views over them.

    Args:
        path: The file.
        side_input: The URL of the database that q13 looks rows up in; empty: it is not run.
    """
    return [_EVENTS.format(path=path), *_VIEWS, *([_SIDE_INPUT.format(url=side_input)] if side_input else [])]


def bids_too_many(rows: Counter[str], bids: Counter[int]) -> Counter[int]:
    """By how many the counts of q12's rows, as text, are above the bids that a bidder has made."""
    counted: Counter[int] = Counter()
    for text, times in rows.items():
        bidder, count = text.strip("[").split(", ")[:2]
        counted[int(bidder)] += int(count) * times
    return counted - bids

-- Delays of flights from New York City in January 2013: statistics by carrier, and delays of each airport by the hour.
--
--   datastream run examples/flights/flights.sql
--
-- From the project's folder. Without the first statement each result is a changelog.

SET 'execution.runtime-mode' = 'batch';

CREATE TABLE flights (
  `year` INT, `month` INT, `day` INT, dep_time INT, sched_dep_time INT, dep_delay INT, arr_time INT,
  sched_arr_time INT, arr_delay INT, carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,
  air_time INT, distance INT, `hour` INT, `minute` INT, time_hour STRING,
  -- When it was to leave: when it left, less its delay.
  scheduled AS TIMESTAMPADD(
    MINUTE,
    dep_time / 100 * 60 + MOD(dep_time, 100) - dep_delay,
    TO_TIMESTAMP(CONCAT_WS('-', CAST(`year` AS STRING), CAST(`month` AS STRING), CAST(`day` AS STRING)), 'yyyy-M-d')),
  WATERMARK FOR scheduled AS scheduled - INTERVAL '1' DAY
) WITH (
  'connector' = 'filesystem',
  'path' = 'examples/flights/data/flights-2013-01.csv.gz',
  'format' = 'csv',
  'csv.null-literal' = 'NA',
  -- The header is no flight.
  'csv.ignore-parse-errors' = 'true'
);

CREATE TABLE airlines (carrier STRING, name STRING) WITH (
  'connector' = 'filesystem',
  'path' = 'examples/flights/data/airlines.csv',
  'format' = 'csv'
);

CREATE VIEW departed AS SELECT * FROM flights WHERE dep_time IS NOT NULL;

SELECT
  f.carrier,
  a.name,
  COUNT(*) AS flights,
  SUM(f.dep_delay) AS dep_delay_sum,
  MAX(f.dep_delay) AS dep_delay_max,
  COUNT(f.arr_delay) AS arrivals,
  SUM(f.arr_delay) AS arr_delay_sum,
  MAX(f.arr_delay) AS arr_delay_max,
  COUNT(*) FILTER (WHERE f.dep_delay > 15) AS late
FROM departed AS f JOIN airlines AS a ON f.carrier = a.carrier
GROUP BY f.carrier, a.name
ORDER BY f.carrier;

SELECT origin, window_start, COUNT(*) AS flights, SUM(dep_delay) AS delay_sum, MAX(dep_delay) AS delay_max
FROM TABLE(TUMBLE(TABLE departed, DESCRIPTOR(scheduled), INTERVAL '1' HOUR))
GROUP BY origin, window_start, window_end
ORDER BY delay_sum DESC
LIMIT 5;

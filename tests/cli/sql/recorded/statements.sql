SET 'sql-client.execution.result-mode' = 'tableau';
SET 'parallelism.default' = '1';
-- What is there.
SHOW CATALOGS;
SHOW CURRENT DATABASE;
CREATE DATABASE shop;
USE shop;
SHOW TABLES;
CREATE TABLE numbers (
  id INT NOT NULL,
  name STRING
) WITH (
  'connector' = 'datagen', 'number-of-rows' = '2',
  'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '2'
);
CREATE TABLE gone (a INT) WITH ('connector' = 'blackhole');
CREATE VIEW texts AS SELECT * FROM (VALUES (1, 'short'), (2, 'a text of more than thirty characters'), (3, '東京')) AS t (n, word);
SHOW TABLES;
SHOW VIEWS;
DESCRIBE numbers;
-- Queries, first of rows as they come.
SELECT id FROM numbers;
SELECT n, word FROM texts WHERE n > 5;
SELECT COUNT(*) AS n FROM (VALUES (1), (2)) AS v (a);
SET 'table.display.max-column-width' = '12';
SELECT word, CAST(NULL AS INT) AS nothing, DATE '2026-01-02' AS d, TRUE AS yes FROM texts;
SET 'execution.runtime-mode' = 'batch';
SELECT n, word, 1 AS how_many_of_them FROM texts ORDER BY n;
SET 'sql-client.display.print-time-cost' = 'false';
SELECT n FROM texts WHERE n > 5;
-- INSERTs.
INSERT INTO gone SELECT id FROM numbers;
SET 'table.dml-sync' = 'true';
INSERT INTO gone SELECT id FROM numbers;
BEGIN STATEMENT SET;
INSERT INTO gone SELECT id FROM numbers;
INSERT INTO gone SELECT 3;
END;
EXECUTE STATEMENT SET BEGIN
  INSERT INTO gone SELECT id FROM numbers;
  INSERT INTO gone SELECT 3;
END;
DROP VIEW texts;
RESET;
DROP TABLE nothing;
SHOW DATABASES;

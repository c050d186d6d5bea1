/** Distances between ticks that read well in a unit. */

const powers = (factors, low, high) => {
  const found = [];
  for (let power = low; power <= high; power++) for (const factor of factors) found.push(factor * 10 ** power);
  return found;
};

export const PLAIN = powers([1, 2, 5], -3, 12);
export const COUNTS = powers([1, 2, 5], 0, 14);
export const BYTES = Array.from({ length: 46 }, (_, i) => 2 ** i);

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const DURATIONS = [
  ...powers([1, 2, 5], 0, 2),
  ...[1, 2, 5, 10, 20, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((n) => n * MINUTE),
  ...[1, 2, 6, 12, 24, 48, 120, 240, 1200, 4800, 24_000, 240_000].map((n) => n * HOUR),
];

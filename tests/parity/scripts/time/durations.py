from pyflink.common import Duration, Instant, Time

print(Duration.of_days(1).__class__.__name__, Duration.of_seconds(1) == Duration.of_millis(1000))
for time_ in (Time.milliseconds(5), Time.seconds(5), Time.minutes(5), Time.hours(5), Time.days(5), Time(7)):
    print(time_.to_milliseconds())
print(
    Instant.of_epoch_milli(1500),
    Instant(1, 500_000_000) == Instant.of_epoch_milli(1500),
    Instant(1, 5).to_epoch_milli(),
)

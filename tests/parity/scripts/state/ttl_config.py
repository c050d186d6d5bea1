from pyflink.common import Time
from pyflink.datastream.state import StateTtlConfig

ttl = StateTtlConfig.new_builder(Time.minutes(5)).update_ttl_on_read_and_write().never_return_expired().build()
print(ttl.get_ttl().to_milliseconds(), ttl.get_update_type(), ttl.get_state_visibility(), ttl.is_enabled())
print(StateTtlConfig.new_builder(Time.days(1)).build().get_update_type())

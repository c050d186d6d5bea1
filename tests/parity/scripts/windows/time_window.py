from pyflink.datastream.window import CountWindow, TimeWindow, TriggerResult

first, second = TimeWindow(0, 10), TimeWindow(5, 15)
print(first, first.max_timestamp(), first.intersects(second), first.cover(second), first == TimeWindow(0, 10))
print(sorted([second, first]), first < second, hash(first) == hash(TimeWindow(0, 10)))
print(TimeWindow.get_window_start_with_offset(13, 0, 5), TimeWindow.get_window_start_with_offset(13, 2, 5))
print(CountWindow(3), CountWindow(3) == CountWindow(3), TriggerResult.FIRE.is_fire(), TriggerResult.FIRE.is_purge())

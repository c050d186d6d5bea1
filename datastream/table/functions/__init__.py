"""The function library of the Table API: functions and operators as data. `library` has all of them."""

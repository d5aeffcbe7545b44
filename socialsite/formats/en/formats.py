# Django writes "10:30 a.m.", whose full stop would meet the one at the end of a sentence.
TIME_FORMAT = "g:i A"
DATETIME_FORMAT = "N j, Y, g:i A"

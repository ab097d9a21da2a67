"""The privacy lab: what needs no simulation, one file or folder a topic.

A topic is a command and a tab of the Lab screen, of one name; `topics` is the table of them.
`questions.NAME` declares what it asks for, `NAME` holds its numbers, table, charts and sentences,
`help.toml` its words. `asking` has a topic answer its command or its tab.
"""

"""The privacy lab: what needs no simulation, one file or folder a topic.

A topic is a command and a tab of the Lab screen, of one name. `questions.NAME` declares its
options, `NAME` has its `answer`: values, rows, sentences and figures. `topics` reads the rows and
words of all from `topics.toml`, and `asking` has a topic answer its command or its tab.
"""

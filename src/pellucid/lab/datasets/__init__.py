"""The files of a data set in, groups of records and labelled questions out."""

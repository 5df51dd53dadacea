# Declares integers.py, which is compiled as it looks at each place of what is searched.

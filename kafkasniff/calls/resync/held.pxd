# Declares held.py, which is compiled as it looks at each place of what is searched.

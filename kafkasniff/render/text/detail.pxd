from kafkasniff.render.text.tree cimport tree_lines
from kafkasniff.render.words cimport escape

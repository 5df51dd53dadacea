#!/usr/bin/env bash
# Take in a new release of Kafka: get its jars from Maven, lay their definitions over those of this tree, make the docs.
#
# Use: tools/update_kafka.sh VERSION, such as 4.5.0. Needs Java, Maven and the environment of `make setup`.
set -euo pipefail
cd "$(dirname "$0")/.."
release=${1:?which release of Kafka, such as 4.5.0?}
jars=.kafka/$release

for name in clients group-coordinator metadata raft server-common share-coordinator storage transaction-coordinator; do
  mvn --quiet --batch-mode dependency:copy -Dartifact="org.apache.kafka:kafka-$name:$release" -DoutputDirectory="$PWD/$jars"
done
export PYTHONPATH=$PWD
.venv/bin/python tools/import_definitions.py --update "$jars"/*.jar
.venv/bin/python tools/make_docs.py
.venv/bin/python tools/make_rules.py
git status --short

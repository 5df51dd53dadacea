// Findings: what is wrong, why, what to do, and the packets that show it.

function evidenceCommand(evidence) {
  return `kafkasniff show ${shellWord(evidence.file)} --packet ${evidence.packet}`;
}

function subjectText(subject) {
  return Object.entries(subject)
    .map(([key, value]) => `${key} ${Array.isArray(value) ? value.slice(0, 6).join(", ") + (value.length > 6 ? ` and ${value.length - 6} more` : "") : value}`)
    .join("; ");
}

function evidenceList(finding) {
  return element(
    "ul",
    { class: "evidence" },
    ...finding.evidence.map((each) =>
      element(
        "li",
        {},
        element("span", { class: "time" }, each.time.slice(11)),
        ` packet ${countText(each.packet)} `,
        name(each.what),
        " ",
        copyButton(evidenceCommand(each)),
      ),
    ),
  );
}

function consequenceList(finding) {
  if (!finding.consequences.length) return null;
  return element(
    "ul",
    { class: "consequences" },
    ...finding.consequences.map((each) =>
      element("li", {}, "it explains ", element("code", {}, each.rule), ": ", name(each.summary), consequenceList(each)),
    ),
  );
}

function findingElement(finding) {
  return element(
    "article",
    { class: `finding ${finding.severity}` },
    element(
      "h3",
      {},
      element("span", { class: "severity" }, finding.severity),
      " ",
      element("code", {}, finding.rule),
      " ",
      name(finding.summary),
    ),
    element(
      "dl",
      {},
      element("dt", {}, "why"),
      element("dd", {}, name(finding.cause)),
      element("dt", {}, "fix"),
      element("dd", {}, name(finding.fix)),
      element("dt", {}, "who"),
      element("dd", {}, name(subjectText(finding.subject))),
      element("dt", {}, "when"),
      element("dd", {}, `${countText(finding.count)} × from ${timeText(finding.time)} to ${timeText(finding.last_time)}`),
    ),
    consequenceList(finding),
    element("details", {}, element("summary", {}, `evidence: ${countText(finding.evidence.length)} packets`), evidenceList(finding)),
  );
}

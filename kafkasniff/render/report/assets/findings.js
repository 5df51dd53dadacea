// Findings: what is wrong, why, what to do, and the packets that show it, with the calls they carried.

const cited = new Map(data.cited.map((each) => [`${each.packet} ${each.file}`, each.call]));

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
        ` packet ${each.packet} `,
        name(findingText(each.what, finding)),
        " ",
        copyButton(evidenceCommand(each)),
        decodedCall(each),
      ),
    ),
  );
}

function decodedCall(evidence) {
  const call = cited.get(`${evidence.packet} ${evidence.file}`);
  if (!call) return null;
  const text = JSON.stringify(call, null, 1).split("\n").map(printable).join("\n");
  return element("details", {}, element("summary", {}, "the call, decoded"), element("pre", { tabindex: "0" }, text));
}

function consequenceList(finding) {
  if (!finding.consequences.length) return null;
  return element(
    "ul",
    { class: "consequences" },
    ...finding.consequences.map((each) =>
      element("li", {}, "it explains ", element("code", {}, each.rule), ": ", name(findingText(each.summary, each)), consequenceList(each)),
    ),
  );
}

function summaryElement(finding) {
  return element("p", { class: "summary" }, name(findingText(finding.summary, finding)));
}

// What one finding adds to those of the same cause: whom, when, what it explains, and the packets.
function caseElement(finding, isOnly = false) {
  const made = element(
    "li",
    {},
    isOnly ? null : summaryElement(finding),
    element("p", { class: "who-of" }, name(subjectText(finding.subject)), `; ${countText(finding.count)} × from ${timeText(finding.time)} to ${timeText(finding.last_time)}`),
    consequenceList(finding),
    element("details", {}, element("summary", {}, `evidence in ${countText(finding.evidence.length)} packet${finding.evidence.length === 1 ? "" : "s"}`), evidenceList(finding)),
  );
  span.listeners.push(() => made.classList.toggle("outside", !isWithin(finding.time, finding.last_time)));
  return made;
}

const CASES_SHOWN = 3;

// Findings of one cause: the cause and what to do about it once; what happened stands first where it is one.
function groupElement(group) {
  const [first] = group;
  const isOnly = group.length === 1;
  const shown = group.slice(0, CASES_SHOWN).map((each) => caseElement(each, isOnly));
  const rest = group.slice(CASES_SHOWN);
  const folded = element("details", {}, element("summary", {}, `${countText(rest.length)} more`));
  // Made when they are first looked at: there may be thousands.
  const unfold = () => folded.childElementCount === 1 && folded.append(element("ul", { class: "cases" }, ...rest.map((each) => caseElement(each))));
  folded.addEventListener("toggle", unfold);
  const count = isOnly ? "" : ` ${countText(group.length)} findings`;
  return element(
    "article",
    { class: `finding ${first.severity}` },
    element("h3", {}, element("span", { class: "severity" }, first.severity), " ", element("code", {}, first.rule), count),
    isOnly ? summaryElement(first) : null,
    element("dl", {}, element("dt", {}, "why"), element("dd", {}, name(first.cause)), element("dt", {}, "fix"), element("dd", {}, name(first.fix))),
    element("ul", { class: "cases" }, ...shown),
    rest.length ? folded : null,
  );
}

function findingSection() {
  const groups = new Map();
  for (const finding of data.findings) {
    const key = JSON.stringify([finding.rule, finding.cause, finding.fix]);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(finding);
  }
  const counts = [["error", "errors"], ["warning", "warnings"], ["info", "for information"]].map(([each, many]) => {
    const count = data.findings.filter((finding) => finding.severity === each).length;
    return count ? `${countText(count)} ${count === 1 && each !== "info" ? each : many}` : "";
  });
  const none = data.bins ? "Nothing to report of what could be read." : "Nothing could be judged: there are no calls.";
  const text = counts.filter(Boolean).join(", ") || none;
  return section("findings", "Findings", element("p", { class: "hint" }, text), ...[...groups.values()].map(groupElement));
}

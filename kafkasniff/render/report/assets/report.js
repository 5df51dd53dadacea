// Puts the page together.

function turnTheme() {
  const root = document.documentElement;
  root.style.colorScheme = isDark() ? "light" : "dark";
  drawPlots();
}

function isDark() {
  const chosen = document.documentElement.style.colorScheme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function build() {
  document.title = `kafkasniff: ${data.files.join(", ")}`;
  const sections = [findingSection(), ...(bins ? [timeSection(), latencySection(), clientSection(), topicSection(), talkSection(), groupSection(), transactionSection(), callSection()] : [])];
  sections.push(connectionSection());
  if (bins) sections.push(auditSection());
  sections.push(unseenSection());
  const links = sections.map((each) => element("a", { href: `#${each.id}` }, each.querySelector("h2").textContent));
  document.body.append(
    probe,
    status,
    element(
      "header",
      {},
      element("h1", {}, "kafkasniff: ", name(data.files.join(", "))),
      element("p", { id: "headline" }, name(data.closing)),
      element("button", { id: "theme", onclick: turnTheme }, "light or dark"),
    ),
    element("div", { class: "bar" }, element("nav", { "aria-label": "Sections" }, ...links), spanBar()),
    element("main", {}, ...sections),
  );
  drawPlots();
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) drawPlots();
    width = innerWidth;
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawPlots);
  // Paper is white, and nothing on it unfolds.
  addEventListener("beforeprint", () => {
    document.documentElement.style.colorScheme = "light";
    for (const each of document.querySelectorAll("details")) each.open = true;
    drawPlots();
  });
  document.body.dataset.ready = "yes";
}

build();

// Elements are made by name and filled with text: nothing of the data is ever read as markup.

const data = JSON.parse(document.getElementById("data").textContent);

// In tables with many rows, names stand as their numbers among `texts`.
for (const table of Object.values(data.tables)) {
  for (const row of table.texts ? table.rows : []) {
    for (const place of table.coded) row[place] = row[place] === null ? null : table.texts[row[place]];
  }
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") made.className = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// What does not print, or turns the direction of text, shows as the terminal shows it: \x1b, \u202e.
const UNPRINTABLE = /[\p{C}\p{Z}]/gu;

function printable(value) {
  return String(value).replace(UNPRINTABLE, (character) => {
    if (character === " ") return character;
    const code = character.codePointAt(0);
    if (code <= 0xff) return "\\x" + code.toString(16).padStart(2, "0");
    return code <= 0xffff ? "\\u" + code.toString(16).padStart(4, "0") : "\\U" + code.toString(16).padStart(8, "0");
  });
}

// A name from the wire: it may be written from right to left, and must not turn what stands around it.
function name(value) {
  return element("bdi", {}, printable(value));
}

const wholeNumbers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const shortNumbers = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });

function countText(value) {
  return wholeNumbers.format(value);
}

function sizeText(value) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit ? shortNumbers.format(value) : countText(value)} ${units[unit]}`;
}

function durationText(milliseconds) {
  if (milliseconds < 1) return `${shortNumbers.format(milliseconds * 1000)} µs`;
  if (milliseconds < 1000) return `${shortNumbers.format(milliseconds)} ms`;
  return `${shortNumbers.format(milliseconds / 1000)} s`;
}

function timeText(milliseconds) {
  // What was a whole number of ns may be a little less than one of ms.
  return new Date(Math.floor(milliseconds + 1e-3)).toISOString().slice(11, 23);
}

function dayText(milliseconds) {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

// APIs have the names of Kafka's messages for people, `JoinGroup`; the data has those of its ApiKeys, `JOIN_GROUP`.
function apiText(value) {
  return value.split("_").map((word) => word.slice(0, 1) + word.slice(1).toLowerCase()).join("");
}

// A text of a finding, in which its subject's names stay as they are.
function findingText(text, finding) {
  const kept = new Set(Object.values(finding.subject).flat());
  return text.replace(/(?<![\w.-])[A-Z_]+(?![\w-])/g, (word) => (data.apis.includes(word) && !kept.has(word) ? apiText(word) : word));
}

const FORMATS = {
  api: apiText,
  count: countText,
  bytes: sizeText,
  ms: durationText,
  about: (value) => `≈ ${durationText(value)}`,
  time: (value) => `${dayText(value)} ${timeText(value)}`,
  flag: (value) => (value ? "yes" : "no"),
  list: (value) => value.join(", "),
};
// Numbers that only name something stand without commas.
const NUMBERS = new Set(["count", "bytes", "ms", "id"]);

function cellText(kind, value) {
  if (value === null || value === undefined || value === "") return "–";
  return FORMATS[kind] ? FORMATS[kind](value) : String(value);
}

// The shell takes the text as it stands; what a terminal would obey as it is pasted is written as an escape.
function shellWord(text) {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  UNPRINTABLE.lastIndex = 0;
  if (!/[\p{C}\p{Zl}\p{Zp}]/u.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const bytes = [...new TextEncoder().encode(text)].map((byte) =>
    byte < 0x20 || byte > 0x7e || byte === 0x27 || byte === 0x5c
      ? "\\x" + byte.toString(16).padStart(2, "0")
      : String.fromCharCode(byte),
  );
  return `$'${bytes.join("")}'`;
}

const status = element("p", { class: "status", role: "status", "aria-live": "polite" });
let statusTimer = 0;

function say(text) {
  status.textContent = text;
  clearTimeout(statusTimer);
  statusTimer = setTimeout(() => (status.textContent = ""), 6000);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page from disk has no clipboard in some browsers; what is selected can be copied in all.
    const area = element("textarea", { class: "hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say(`Copied: ${printable(text)}`);
}

function copyButton(command) {
  const text = typeof command === "function" ? command : () => command;
  return element("button", { class: "copy", title: "Copy the command that shows this", onclick: () => copy(text()) }, "copy");
}

function indexOf(table, column) {
  return table.columns.indexOf(column);
}

// Rows as objects by the names of columns.
function objects(table) {
  return table.rows.map((row) => Object.fromEntries(table.columns.map((column, index) => [column, row[index]])));
}

// A colour of the style as a canvas takes it, in the theme in use.
const probe = element("span", { class: "hidden", "aria-hidden": "true" });

function colour(variable) {
  probe.style.color = `var(--${variable})`;
  return getComputedStyle(probe).color;
}

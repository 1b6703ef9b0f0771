"use strict";
// The list of items: filtered, sorted, and drawn only as far as it is in sight.
(() => {
  const source = document.getElementById("index");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const at = (id) => document.getElementById(id);
  const list = at("list"), rows = at("rows"), head = at("head"), detail = at("detail"), panes = at("panes");
  const search = at("search"), group = at("group"), filters = at("filters");
  const ROW = 34, AROUND = 8;
  const chunks = [], haystacks = [];
  const state = { filters: new Set(), group: -1, query: "", sort: "", selected: -1, marks: true };
  let shown = [];

  const texts = (i) => {
    const k = Math.floor(i / data.chunk);
    chunks[k] = chunks[k] || JSON.parse(at("texts-" + k).textContent);
    return chunks[k][i % data.chunk];
  };
  const haystack = (i) => {
    if (haystacks[i] === undefined) {
      const one = texts(i);
      const said = one.judgments.flatMap((j) => [j.text, j.said.join(" ")]);
      const all = [data.rows[i][0], ...one.verdict, ...one.asked.map((a) => a[1]), ...one.answers.map((a) => a[2]), ...said];
      haystacks[i] = all.join("\n").toLowerCase();
    }
    return haystacks[i];
  };

  function compare(column, sign) {
    return (i, j) => {
      const a = data.rows[i][column], b = data.rows[j][column];
      if (a === null || b === null) return (a === null) - (b === null) || i - j;
      const order = typeof a === "number" && typeof b === "number" ? a - b
        : String(a).localeCompare(String(b), undefined, { numeric: true });
      return sign * order || i - j;
    };
  }

  function select() {
    const mask = data.filters.reduce((sum, f, k) => state.filters.has(f.key) ? sum + 2 ** k : sum, 0);
    const words = state.query.toLowerCase().trim();
    shown = [];
    for (let i = 0; i < data.rows.length; i++) {
      if (mask && !(data.marks[i] & mask)) continue;
      if (state.group >= 0 && !data.groups[i].includes(state.group)) continue;
      if (words && !haystack(i).includes(words)) continue;
      shown.push(i);
    }
    const column = data.columns.findIndex((c) => c.name === state.sort.replace(/^-/, ""));
    if (state.sort && column >= 0) shown.sort(compare(column, state.sort.startsWith("-") ? -1 : 1));
  }

  function cell(column, value, i) {
    const element = document.createElement("span");
    element.className = "cell " + column.kind + (column.wide ? " wide" : "");
    element.setAttribute("role", "gridcell");
    if (column.kind === "outcome") {
      const pill = document.createElement("span");
      pill.className = "pill " + data.tones[i];
      pill.textContent = value;
      element.append(pill);
    } else {
      element.textContent = value === null ? "" : typeof value === "number" ? value.toLocaleString("en") : value;
    }
    return element;
  }

  function draw() {
    rows.style.height = shown.length * ROW + "px";
    const first = Math.max(0, Math.floor((list.scrollTop - ROW) / ROW) - AROUND);
    const n = Math.ceil((list.clientHeight || 600) / ROW) + 2 * AROUND;
    rows.replaceChildren(...shown.slice(first, first + n).map((i, k) => {
      const row = document.createElement("div");
      row.className = "row";
      row.setAttribute("role", "row");
      row.setAttribute("aria-rowindex", first + k + 2);
      row.setAttribute("aria-selected", i === state.selected);
      row.dataset.item = i;
      row.style.top = (first + k) * ROW + "px";
      row.append(...data.columns.map((column, c) => cell(column, data.rows[i][c], i)));
      return row;
    }));
  }

  function show() {
    select();
    for (const button of filters.children) button.setAttribute("aria-pressed", state.filters.has(button.dataset.key));
    const total = data.rows.length, noun = data.noun + (total === 1 ? "" : "s");
    const of = shown.length === total ? "" : " of " + total.toLocaleString("en");
    at("count").textContent = shown.length.toLocaleString("en") + of + " " + noun;
    at("none").hidden = shown.length > 0;
    list.setAttribute("aria-rowcount", shown.length + 1);
    for (const button of head.children) {
      const name = button.dataset.name;
      const sorted = state.sort === name ? "ascending" : state.sort === "-" + name ? "descending" : "none";
      button.setAttribute("aria-sort", sorted);
    }
    draw();
    open(false);
  }

  // The detail is made anew: its button or box that had the focus keeps it.
  function refocus(held) {
    const same = held.id ? at(held.id) : held.dataset.go ? detail.querySelector("[data-go=" + held.dataset.go + "]") : null;
    if (same) same.focus({ preventScroll: true });
  }

  function open(reveal) {
    const i = state.selected;
    const held = detail.contains(document.activeElement) ? document.activeElement : null;
    detail.hidden = i < 0;
    panes.classList.toggle("open", i >= 0);
    if (i < 0) {
      detail.replaceChildren();
      if (held) list.focus({ preventScroll: true });
      return draw();
    }
    const place = shown.indexOf(i);
    const where = place < 0 ? "not in this list" : (place + 1).toLocaleString("en") + " of " + shown.length.toLocaleString("en");
    detail.replaceChildren(judgeDetails(data.rows[i][0], data.tones[i], texts(i), state.marks, where));
    if (held) refocus(held);
    if (reveal && place >= 0) {
      const top = place * ROW, room = list.clientHeight - 2 * ROW;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (top > list.scrollTop + room) list.scrollTop = top - room;
    }
    draw();
  }

  function remember() {
    const kept = new URLSearchParams();
    if (state.filters.size) kept.set("filter", [...state.filters].join(","));
    if (state.group >= 0) kept.set(data.field, data.values[state.group]);
    if (state.query) kept.set("q", state.query);
    if (state.sort) kept.set("sort", state.sort);
    if (state.selected >= 0) kept.set(data.noun, data.rows[state.selected][0]);
    const hash = kept.toString();
    try { history.replaceState(null, "", hash ? "#" + hash : location.pathname + location.search); } catch { /* from disk */ }
  }

  function recall() {
    const kept = new URLSearchParams(location.hash.slice(1));
    const known = new Set(data.filters.map((f) => f.key));
    state.filters = new Set((kept.get("filter") || "").split(",").filter((name) => known.has(name)));
    state.group = data.values.indexOf(kept.get(data.field));
    state.query = kept.get("q") || "";
    state.sort = kept.get("sort") || "";
    const id = kept.get(data.noun);
    state.selected = id === null ? -1 : data.rows.findIndex((row) => String(row[0]) === id);
    search.value = state.query;
    group.value = state.group;
    show();
    open(true);
    if ([...kept.keys()].some((name) => name !== "theme")) arrive();
  }

  const isNarrow = () => panes.clientWidth < 760;
  const arrive = () => (state.selected >= 0 && isNarrow() ? detail : at("items")).scrollIntoView({ block: "start" });

  const change = () => { list.scrollTop = 0; show(); remember(); };
  const choose = (i) => {
    state.selected = i;
    open(true);
    remember();
    if (i >= 0 && isNarrow()) arrive();
    else detail.scrollTop = 0;
  };
  const step = (by) => {
    if (!shown.length) return;
    const place = shown.indexOf(state.selected);
    choose(shown[place < 0 ? 0 : Math.min(Math.max(place + by, 0), shown.length - 1)]);
  };

  for (const one of data.filters) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.key = one.key;
    button.textContent = one.key + " ";
    const n = document.createElement("b");
    n.textContent = one.n.toLocaleString("en");
    button.append(n);
    button.addEventListener("click", () => {
      if (!state.filters.delete(one.key)) state.filters.add(one.key);
      change();
    });
    filters.append(button);
  }
  if (data.field) {
    group.hidden = false;
    ["any " + data.field, ...data.values].forEach((name, k) => {
      const option = document.createElement("option");
      option.value = k - 1;
      option.textContent = name;
      group.append(option);
    });
    group.addEventListener("change", () => { state.group = Number(group.value); change(); });
  }
  for (const column of data.columns) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "cell " + column.kind + (column.wide ? " wide" : "");
    button.setAttribute("role", "columnheader");
    button.dataset.name = column.name;
    button.textContent = column.name;
    if (column.about) button.title = column.about;
    button.addEventListener("click", () => {
      state.sort = state.sort === column.name ? "-" + column.name : state.sort === "-" + column.name ? "" : column.name;
      change();
    });
    head.append(button);
  }
  let waiting = 0;
  const look = () => {
    clearTimeout(waiting);
    if (state.query === search.value) return;
    state.query = search.value;
    change();
  };
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, 150);
  });
  search.addEventListener("search", look); // Enter, and where the browser itself empties the box
  list.addEventListener("scroll", draw, { passive: true });
  rows.addEventListener("click", (event) => {
    const row = event.target.closest("[data-item]");
    if (row) choose(Number(row.dataset.item));
  });
  detail.addEventListener("click", (event) => {
    const go = event.target.dataset.go;
    if (go === "close") choose(-1);
    else if (go) step(go === "next" ? 1 : -1);
  });
  detail.addEventListener("change", (event) => {
    if (event.target.id !== "marks") return;
    state.marks = event.target.checked;
    open(false);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const types = event.target instanceof Element && event.target.matches("input[type=search], select");
    if (event.key === "Escape") {
      if (event.target === search && search.value) {
        event.preventDefault(); // some browsers empty the box, and tell nobody in time
        search.value = "";
        look();
      } else if (types) event.target.blur();
      else if (state.selected >= 0) choose(-1);
      return;
    }
    if (types) return;
    const arrows = document.activeElement === list;
    if (event.key === "j" || (arrows && event.key === "ArrowDown")) step(1);
    else if (event.key === "k" || (arrows && event.key === "ArrowUp")) step(-1);
    else if (event.key === "/") search.focus();
    else return;
    event.preventDefault();
  });
  window.addEventListener("hashchange", recall);
  // A link to what the address already says changes nothing in it, so nobody hears of it.
  for (const link of document.querySelectorAll(".legend a")) {
    link.addEventListener("click", () => { if (link.hash === location.hash) recall(); });
  }
  window.addEventListener("resize", draw);
  recall();
})();

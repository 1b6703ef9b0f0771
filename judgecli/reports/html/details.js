"use strict";
// One item, with all its texts. Every text of a stranger goes in as text, never as markup.
const judgeDetails = (() => {
  const MAX_UNFOLDED = 12; // judgments

  const make = (tag, kind, text) => {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  const block = (label, text) => {
    const element = make("div", "block");
    element.append(make("h4", "", label), make("div", "text", text));
    return element;
  };

  function answer([label, note, text], pieces) {
    const element = make("div", "answer");
    const head = make("h4", "", label);
    head.append(make("span", "dim", " " + note));
    const body = make("div", text.trim() ? "text" : "text dim", pieces || text.trim() ? "" : "(empty)");
    if (!pieces) body.append(text);
    for (const [words, differs] of pieces || []) body.append(differs ? make("mark", "", words) : words);
    element.append(head, body);
    return element;
  }

  function answers(texts, marks) {
    const element = make("div", "answers");
    const [i, j] = texts.compare || [];
    const found = marks && texts.compare ? judgeWords(texts.answers[i][2], texts.answers[j][2]) : {};
    texts.answers.forEach((one, k) => {
      const side = k === i ? 0 : k === j ? 1 : -1;
      element.append(answer(one, found.marked && side >= 0 ? found.marked[side] : null));
    });
    return [element, found.reason];
  }

  function table({ header, rows }) {
    const element = make("div", "scroll"), inner = make("table");
    for (const [k, cells] of [header, ...rows].entries()) {
      const row = make("tr");
      row.append(...cells.map((cell, i) => make(k && i ? "td" : "th", "", cell)));
      inner.append(row);
    }
    element.append(inner);
    return element;
  }

  function judgments(all) {
    const element = make("div", "judgments");
    element.append(...all.map(judgment));
    if (all.length <= MAX_UNFOLDED) return element;
    const folded = make("details");
    folded.append(make("summary", "", all.length.toLocaleString("en") + " judgments"), element);
    return folded;
  }

  function judgment(one) {
    const element = make("div", "judgment");
    element.append(make("h4", "", one.title), make("p", "", one.said.join(", ")));
    if (one.text.trim()) element.append(make("div", "text said", one.text.trim()));
    for (const [name, text] of one.parts) element.append(block(name, text));
    return element;
  }

  // Return the element of an item; `marks` says whether differing words are marked.
  return function details(id, tone, texts, marks, place) {
    const article = document.createDocumentFragment();
    const head = make("div", "detail-head");
    head.append(make("h3", "", id), make("span", "dim place", place));
    const nav = make("span", "nav");
    for (const [name, sign] of [["previous", "\u2191"], ["next", "\u2193"], ["close", "\u00d7"]]) {
      const button = make("button", "quiet", sign);
      button.type = "button";
      button.dataset.go = name;
      button.title = name;
      button.setAttribute("aria-label", name);
      nav.append(button);
    }
    head.append(nav);
    article.append(head);
    const verdict = make("p", "verdict");
    verdict.append(make("span", "pill " + tone, texts.verdict[0]), texts.verdict.slice(1).map((one) => " \u00b7 " + one).join(""));
    article.append(verdict);
    if (texts.table) article.append(table(texts.table));
    for (const [label, text] of texts.asked) article.append(block(label, text));
    const [columns, reason] = answers(texts, marks);
    if (texts.compare) {
      const label = make("label", "marks dim");
      const box = make("input");
      box.type = "checkbox";
      box.checked = marks;
      box.id = "marks";
      label.append(box, " mark differing words" + (reason ? " (" + reason + ")" : ""));
      article.append(label);
    }
    article.append(columns);
    article.append(judgments(texts.judgments));
    return article;
  };
})();

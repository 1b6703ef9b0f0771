"use strict";
(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const wanted = window.matchMedia("(prefers-color-scheme: dark)");
  const kept = () => { try { return localStorage.getItem("judge-theme"); } catch { return null; } };
  const keep = (name) => { try { localStorage.setItem("judge-theme", name); } catch { /* not from disk */ } };
  const asked = new URLSearchParams(location.hash.slice(1)).get("theme") || kept();
  const show = (name) => {
    root.dataset.theme = name;
    button.textContent = name === "dark" ? "light" : "dark";
  };
  show(asked === "dark" || asked === "light" ? asked : wanted.matches ? "dark" : "light");
  wanted.addEventListener("change", () => { if (!kept()) show(wanted.matches ? "dark" : "light"); });
  button.hidden = false;
  button.addEventListener("click", () => {
    const name = root.dataset.theme === "dark" ? "light" : "dark";
    keep(name);
    show(name);
  });
})();

// A picture that can be looked at closely: every `svg` within `[data-pan]` is moved by dragging and by the arrow keys,
// and comes nearer by its buttons, by + and -, or by the wheel with Ctrl. Without this script it is the same picture.
"use strict";
for (const place of document.querySelectorAll("[data-pan]")) {
  const picture = place.querySelector("svg");
  if (!picture) continue;
  const whole = picture.viewBox.baseVal;
  const home = { x: whole.x, y: whole.y, width: whole.width, height: whole.height };
  const view = { ...home };
  const show = () => picture.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  const move = (dx, dy) => { view.x += dx * view.width; view.y += dy * view.height; show(); };
  const zoom = (by, atX = 0.5, atY = 0.5) => {
    const width = Math.min(Math.max(view.width * by, home.width / 16), home.width * 2);
    const scale = width / view.width;
    view.x += view.width * (1 - scale) * atX;
    view.y += view.height * (1 - scale) * atY;
    view.width = width;
    view.height *= scale;
    show();
  };
  const reset = () => { Object.assign(view, home); show(); };
  const tools = document.createElement("div");
  tools.className = "acts";
  for (const [sign, name, act] of [["+", "Nearer", () => zoom(0.75)], ["−", "Farther", () => zoom(1 / 0.75)], ["Whole", "The whole picture", reset]]) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "quiet", textContent: sign });
    button.setAttribute("aria-label", name);
    button.addEventListener("click", act);
    tools.append(button);
  }
  place.prepend(tools);
  place.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
    if (step) move(...step);
    else if (event.key === "+") zoom(0.75);
    else if (event.key === "-") zoom(1 / 0.75);
    else return;
    event.preventDefault();
  });
  picture.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = picture.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 0.85 : 1 / 0.85, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }, { passive: false });
  let from = null;
  let moved = 0;
  picture.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY]; moved = 0; });
  picture.addEventListener("pointermove", (event) => {
    if (!from) return;
    const box = picture.getBoundingClientRect();
    moved += Math.abs(event.clientX - from[0]) + Math.abs(event.clientY - from[1]);
    move((from[0] - event.clientX) / box.width, (from[1] - event.clientY) / box.height);
    from = [event.clientX, event.clientY];
  });
  for (const end of ["pointerup", "pointerleave"]) picture.addEventListener(end, () => { from = null; });
  picture.addEventListener("click", (event) => { if (moved > 5) event.preventDefault(); }, true);
  picture.addEventListener("dragstart", (event) => event.preventDefault());
}

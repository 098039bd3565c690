(() => {
  "use strict";
  const waiting = new Map();
  let last = 0;

  const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      send({ id: last, method, params });
    });

  const say = (text) => {
    const block = document.createElement("pre");
    block.style.whiteSpace = "pre-wrap";
    block.textContent = text;
    document.body.replaceChildren(block);
  };

  const dark = [...document.styleSheets[0].cssRules].find((rule) => /prefers-color-scheme/.test(rule.conditionText));
  const dress = ({ theme }) => {
    if (!theme) return;
    document.documentElement.style.colorScheme = theme;
    dark.media.mediaText = theme === "dark" ? "all" : "not all";
  };

  const show = async (result) => {
    const text = (result.content || []).map((part) => part.text || "").join("\n");
    const snapshot = (result.structuredContent || {}).snapshot;
    say(text);
    if (!snapshot) return;
    try {
      const uri = `pellucid://recall/${snapshot.snapshotId}?format=html`;
      const { contents } = await ask("resources/read", { uri });
      const page = new DOMParser().parseFromString(contents[0].text, "text/html");
      document.body.replaceChildren(...page.body.childNodes);
    } catch {
      say(text);
    }
  };

  addEventListener("message", ({ source, data }) => {
    if (source !== parent || !data || data.jsonrpc !== "2.0") return;
    if (data.method === "ui/notifications/tool-result") show(data.params || {});
    else if (data.method === "ui/notifications/host-context-changed") dress(data.params || {});
    else if (data.method && data.id !== undefined) send({ id: data.id, result: {} });
    else if (waiting.has(data.id)) {
      const { resolve, reject } = waiting.get(data.id);
      waiting.delete(data.id);
      data.error ? reject(data.error) : resolve(data.result);
    }
  });

  // in a page without an address of its own, a link to a place of it would leave it
  addEventListener("click", (event) => {
    const place = event.target.closest?.('a[href^="#"]')?.getAttribute("href");
    if (!place) return;
    event.preventDefault();
    document.querySelector(place)?.scrollIntoView();
  });

  const sized = () => {
    const { scrollWidth: width, scrollHeight: height } = document.documentElement;
    send({ method: "ui/notifications/size-changed", params: { width, height } });
  };

  ask("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "pellucid-xray", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  }).then(({ hostContext }) => {
    dress(hostContext || {});
    send({ method: "ui/notifications/initialized", params: {} });
    new ResizeObserver(sized).observe(document.body);
  });
})();

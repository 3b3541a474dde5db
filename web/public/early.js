// Asks the server for what the first screen shows and is made of, before the application itself has been read; api/early-answers.ts
// hands the answers over. A file of its own because the page's content security policy allows no inline scripts.
(function () {
  var meta = document.querySelector('meta[name="screens"]');
  // made by vite.config.ts: expressions for paths, and the files of their screens
  var screens = meta === null ? [] : JSON.parse(meta.content);
  screens.forEach(function (screen) {
    if (!new RegExp(screen[0]).test(location.pathname)) return;
    globalThis.earlyScreen = true;
    screen[1].forEach(function (file) {
      var link = document.createElement("link");
      var isStyle = file.endsWith(".css");
      link.rel = isStyle ? "preload" : "modulepreload";
      if (isStyle) link.as = "style";
      link.crossOrigin = "";
      link.href = "/" + file;
      document.head.append(link);
    });
  });

  var ofObject = /^\/objects\/([0-9a-f-]{36})$/.exec(location.pathname);
  var paths =
    location.pathname === "/"
      ? ["/api/testobjects", "/api/stats"]
      : ofObject
        ? ["/api/testobjects/" + ofObject[1]]
        : [];
  try {
    // Who identifies themselves to the API does so with headers that are not known here.
    if (localStorage.getItem("apiAuth") !== null) return;
  } catch {
    // Storage may be switched off; then nobody does.
  }
  globalThis.earlyAnswers = new Map(
    paths.map(function (path) {
      var answer = fetch(path, { headers: { Accept: "application/json" } });
      // whoever takes it hears of a failure
      answer.catch(function () {});
      return [location.origin + path, answer];
    }),
  );
})();

// Sets the remembered or the system's colour scheme before the first paint; a file of its own because the page's
// content security policy allows no inline scripts.
(function () {
  var remembered = null;
  try {
    remembered = localStorage.getItem("web-tester-color-scheme");
  } catch {
    // Storage may be switched off; the system's choice then holds.
  }
  var dark = remembered === "dark" || (remembered !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();

// Runs before the first paint, so that the theme does not flash. Not a module: modules run later.
{
  const chosen = localStorage.getItem("datastream.theme");
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

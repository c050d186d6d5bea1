// Runs before the first paint, so that a chosen theme does not flash. Not a module: modules run later.
{
  const chosen = localStorage.getItem("datastream.theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
}

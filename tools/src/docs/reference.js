const search = document.getElementById("search");
const kinds = [...document.querySelectorAll("section.kind")];
function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const kind of kinds) {
    const own = kind.dataset.text;
    let shown = 0;
    for (const field of kind.querySelectorAll(".field")) {
      const text = own + " " + field.dataset.text;
      field.hidden = !words.every((word) => text.includes(word));
      shown += field.hidden ? 0 : 1;
    }
    for (const object of kind.querySelectorAll(".object")) {
      object.hidden = words.length > 0 && !object.querySelector(".field:not([hidden])");
    }
    kind.hidden = words.length > 0 && shown === 0 && !words.every((word) => own.includes(word));
    found += kind.hidden ? 0 : 1;
  }
  document.getElementById("none").hidden = found > 0 || words.length === 0;
}
search.addEventListener("input", filter);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  }
});

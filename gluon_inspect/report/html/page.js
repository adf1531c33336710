// Sorts a table by the column whose head is clicked; unknown values stay last in both directions.
for (const head of document.querySelectorAll("table.sortable th")) {
  const sort = () => {
    const column = head.cellIndex, body = head.closest("table").tBodies[0];
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = row => row.cells[column].dataset.value === undefined
      ? row.cells[column].textContent : Number(row.cells[column].dataset.value);
    const compare = (a, b) => {
      if (a === "unknown" || b === "unknown") return (a === "unknown") - (b === "unknown");
      const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
      return down ? -order : order;
    };
    body.append(...[...body.rows].sort((a, b) => compare(key(a), key(b))));
  };
  head.addEventListener("click", sort);
  head.addEventListener("keydown", event => { if (event.key === "Enter") sort(); });
}

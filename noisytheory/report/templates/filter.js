// Filters and sorting of the verdict table; without it the table is whole and in order.
(function () {
  var table = document.querySelector("table.verdicts"), form = document.querySelector("form");
  if (!table || !form) return;
  var body = table.tBodies[0], rows = Array.prototype.slice.call(body.rows);
  var shown = document.getElementById("shown");
  function filter() {
    var count = 0;
    rows.forEach(function (row) {
      var hide = Array.prototype.some.call(form.elements, function (field) {
        return field.name && field.value && row.dataset[field.name] !== field.value;
      });
      row.hidden = hide;
      if (!hide) count += 1;
    });
    shown.textContent = count + " of " + rows.length + " claims shown";
  }
  function key(row, column) {
    var cell = row.cells[column], value = cell.dataset.sort;
    if (value === undefined) return cell.textContent.trim().toLowerCase();
    return value === "" ? -Infinity : Number(value);
  }
  Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, column) {
    var button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.textContent = "";
    head.appendChild(button);
    button.addEventListener("click", function () {
      var down = head.getAttribute("aria-sort") === "ascending", sign = down ? -1 : 1;
      Array.prototype.forEach.call(table.tHead.rows[0].cells, function (other) {
        other.removeAttribute("aria-sort");
      });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      rows.slice().sort(function (a, b) {
        var x = key(a, column), y = key(b, column);
        return sign * (x < y ? -1 : x > y ? 1 : rows.indexOf(a) - rows.indexOf(b));
      }).forEach(function (row) { body.appendChild(row); });
    });
  });
  form.addEventListener("change", filter);
  form.addEventListener("reset", function () { setTimeout(filter, 0); });
  form.hidden = false;
  filter();
})();

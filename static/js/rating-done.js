/* Inside a marketplace's frame the task ends when its form is posted: do so at once. */
document.getElementById("report").submit();

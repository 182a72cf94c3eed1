# CTest's JUnit file → one line a test: `passed NAME`, `failed NAME` or `skipped NAME: reason`.
# A test that did not run is failed, unless it was disabled or said itself that it skips.
function unescaped(text) {
  gsub(/&quot;/, "\"", text); gsub(/&apos;/, "\047", text); gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text)
  gsub(/&amp;/, "\\&", text)
  return text
}
function attribute(line, name) {
  if (!match(line, " " name "=\"[^\"]*\"")) return ""
  return unescaped(substr(line, RSTART + length(name) + 3, RLENGTH - length(name) - 4))
}
/^\t<testcase / { name = attribute($0, "name"); status = attribute($0, "status"); message = ""; reason = ""; next_is_reason = 0; next }
/^\t\t<skipped / { message = attribute($0, "message"); next }
next_is_reason && reason == "" { reason = unescaped($0); next_is_reason = 0 }
/: Skipped$/ { next_is_reason = 1 }
/^\t<\/testcase>/ {
  if (status == "run") print "passed " name
  else if (status == "disabled") print "skipped " name ": disabled"
  else if (status == "notrun" && message ~ /^SKIP_/) print "skipped " name ": " (reason == "" ? "no reason given" : reason)
  else print "failed " name
}

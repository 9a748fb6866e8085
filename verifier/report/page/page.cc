#include "verifier/report/page/page.h"

#include "verifier/report/excerpt.h"
#include "verifier/report/page/page_data.h"
#include "verifier/report/page/script.h"
#include "verifier/report/page/skeleton.h"
#include "verifier/report/page/style.h"

#include "llvm/Support/Base64.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SHA256.h"

namespace plumbline::report {
namespace {

using llvm::json::OStream;

// JSON that nothing in an HTML file takes for markup; outside its strings none of these characters occurs.
std::string withoutMarkup(llvm::StringRef json) {
  std::string text;
  text.reserve(json.size());
  for (std::size_t k = 0; k < json.size(); ++k) {
    const llvm::StringRef rest = json.substr(k);
    if (rest.starts_with("<"))
      text += "\\u003c";
    else if (rest.starts_with(">"))
      text += "\\u003e";
    else if (rest.starts_with("&"))
      text += "\\u0026";
    else if (rest.starts_with("\u2028") || rest.starts_with("\u2029")) {
      text += rest.starts_with("\u2028") ? "\\u2028" : "\\u2029";
      k += 2;
    } else
      text += json[k];
  }
  return text;
}

// How a Content-Security-Policy names an inline script or style.
std::string sourceOf(llvm::StringRef text) {
  llvm::SHA256 hash;
  hash.update(text);
  return "'sha256-" + llvm::encodeBase64(hash.final()) + "'";
}

std::string policy() {
  return "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; script-src " +
         sourceOf(pageScript()) + "; style-src " + sourceOf(pageStyle());
}

// The skeleton, with {{policy}}, {{style}}, {{data}} and {{script}} filled in.
void printSkeleton(llvm::StringRef data, llvm::raw_ostream &out) {
  const std::string allowed = policy();
  llvm::StringRef rest = pageSkeleton();
  while (!rest.empty()) {
    const auto [text, tail] = rest.split("{{");
    const auto [place, after] = tail.split("}}");
    out << text;
    if (place == "policy")
      out << allowed;
    else if (place == "style")
      out << pageStyle();
    else if (place == "script")
      out << pageScript();
    else if (place == "data")
      out << data;
    rest = after;
  }
}

void printIndices(llvm::StringRef key, llvm::ArrayRef<std::uint32_t> indices, OStream &json) {
  json.attributeArray(key, [&] {
    for (const std::uint32_t index : indices)
      json.value(index);
  });
}

void printDifference(const PageDifference &difference, OStream &json) {
  printIndices("added", difference.added, json);
  printIndices("fixed", difference.fixed, json);
  json.attributeArray("same", [&] {
    for (const SameFinding &same : difference.same)
      json.array([&] {
        json.value(same.base);
        json.value(same.next);
      });
  });
  json.attributeArray("summary", [&] {
    for (const std::string &line : difference.summary)
      json.value(printable(line));
  });
}

void printDocument(llvm::ArrayRef<const Report *> reports, const PageDifference *difference, llvm::raw_ostream &out) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream);
  json.object([&] {
    json.attributeArray("sides", [&] {
      for (const Report *report : reports)
        printPageData(*report, json);
    });
    if (difference)
      json.attributeObject("difference", [&] { printDifference(*difference, json); });
  });
  printSkeleton(withoutMarkup(text), out);
}

} // namespace

void printPage(const Report &report, llvm::raw_ostream &out) { printDocument({&report}, nullptr, out); }

void printPages(const Report &base, const Report &next, const PageDifference &difference, llvm::raw_ostream &out) {
  printDocument({&base, &next}, &difference, out);
}

} // namespace plumbline::report

//! The requests of a `load`: path, method, headers and body.

use protocol::HttpRequest;

use super::super::entries::{Entries, Entry};
use super::super::problem::{Problem, Problems, quote};
use super::super::reader::{self, Value, unexpected};

/// The requests, used in turn; at least one. `None` where something is wrong, which has been noted.
pub fn requests(entries: &Entries<'_>, problems: &mut Problems) -> Option<Vec<HttpRequest>> {
    let before = problems.len();
    let paths = entries.get("path").map_or_else(|| vec!["/".to_owned()], |entry| paths(entry, problems));
    let body = entries.get("body").and_then(|entry| reader::text(entry.key, entry.value, problems));
    let method = entries.get("method").and_then(|entry| method(entry, problems));
    let method = method.unwrap_or_else(|| if body.is_some() { "POST" } else { "GET" }.to_owned());
    let headers = entries.get("headers").map(|entry| headers(entry, problems)).unwrap_or_default();
    if problems.len() > before {
        return None;
    }
    let request =
        |path| HttpRequest { method: method.clone(), path, headers: headers.clone(), body: body.map(str::to_owned) };
    Some(paths.into_iter().map(request).collect())
}

/// Whether a server can be asked for this.
#[must_use]
pub fn is_path(text: &str) -> bool {
    text.starts_with('/') && text.chars().all(|c| c.is_ascii_graphic() && c != '#')
}

fn paths(entry: &Entry<'_>, problems: &mut Problems) -> Vec<String> {
    let values: Vec<&Value<'_>> = match entry.value.get_ref().as_array() {
        Some(array) if !array.is_empty() => array.iter().collect(),
        Some(_) => {
            problems.push(Problem::new("`path` has no value").at(entry.value.span(), "expected at least one path"));
            return Vec::new();
        }
        None => vec![entry.value],
    };
    let mut paths = Vec::new();
    for value in values {
        match value.get_ref().as_str() {
            Some(path) if is_path(path) => paths.push(path.to_owned()),
            Some(other) => {
                let problem = Problem::new(format!("not a path: {}", quote(other)))
                    .at(value.span(), "expected a path that begins with `/`, as it stands in a request");
                problems.push(match other.starts_with('/') {
                    true => problem.help("write spaces and letters beyond ASCII as `%20` and the like"),
                    false => problem,
                });
            }
            None => problems.push(unexpected(entry.key, value)),
        }
    }
    paths
}

fn method(entry: &Entry<'_>, problems: &mut Problems) -> Option<String> {
    let text = reader::text(entry.key, entry.value, problems)?;
    if !text.is_empty() && text.chars().all(|c| c.is_ascii_uppercase() || c == '-') {
        return Some(text.to_owned());
    }
    let problem = Problem::new(format!("not a method: {}", quote(text)))
        .at(entry.value.span(), format!("expected {}", entry.key.kind.expectation()));
    let upper = text.to_ascii_uppercase();
    problems.push(match !text.is_empty() && upper.chars().all(|c| c.is_ascii_uppercase()) {
        true => problem.help(format!("methods are in capitals: \"{upper}\"")),
        false => problem,
    });
    None
}

/// Whether a header can have this name: a token, as HTTP calls it.
#[must_use]
pub fn is_header_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
}

fn headers(entry: &Entry<'_>, problems: &mut Problems) -> Vec<(String, String)> {
    let headers = reader::texts(entry.key, entry.value, problems).unwrap_or_default();
    for (name, value) in &headers {
        let why = if !is_header_name(name) {
            format!("{} is no name of a header", quote(name))
        } else if ["host", "content-length", "connection", "transfer-encoding"]
            .iter()
            .any(|own| name.eq_ignore_ascii_case(own))
        {
            format!("the client sets the header `{name}` itself")
        } else if value.chars().any(char::is_control) {
            format!("the value of the header `{name}` contains a control character")
        } else {
            continue;
        };
        let mut problem = Problem::new(why).at(entry.value.span(), "in these headers");
        if name.eq_ignore_ascii_case("connection") {
            problem = problem.help(
                "the connections of a load stay open from request to request; the operation `http-get` of a [[batch]] opens \
                 a new one each time",
            );
        }
        problems.push(problem);
    }
    headers
}

/// The name of a header.
pub fn header_name(entry: &Entry<'_>, problems: &mut Problems) -> Option<String> {
    let name = reader::text(entry.key, entry.value, problems)?;
    if is_header_name(name) {
        return Some(name.to_owned());
    }
    problems.push(
        Problem::new(format!("{} is no name of a header", quote(name)))
            .at(entry.value.span(), format!("expected {}", entry.key.kind.expectation())),
    );
    None
}

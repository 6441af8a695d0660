//! An operator that is limited to namespaces: its roles in each of them, and the environment variable that names them.

use serde_json::{Value, json};

/// The variable that `Manager::namespaces_from_env` reads.
const VARIABLE: &str = "WATCH_NAMESPACE";
/// The word that stands for a namespace until it is known.
pub(super) const WATCHED: &str = "CRDKIT-WATCHED";

/// Returns the roles of a program that is limited to [`WATCHED`], under names of their own there: the namespace of the program may be
/// one of those.
#[cfg(feature = "controller")]
pub(super) fn renamed(mut roles: Vec<Value>) -> Vec<Value> {
    for role in roles.iter_mut().filter(|role| is_watched(role)) {
        for name in ["/metadata/name", "/roleRef/name"] {
            if let Some(name) = role.pointer_mut(name) {
                *name = format!("{}-watched", name.as_str().unwrap_or_default()).into();
            }
        }
    }
    roles
}

/// Returns the roles for these namespaces.
pub(super) fn in_namespaces(limited: &[Value], namespaces: &[String]) -> Vec<Value> {
    let (watched, others) = split(limited);
    let of_namespace = |namespace: &String| {
        let mut roles = watched.clone();
        roles.iter_mut().for_each(|role| role["metadata"]["namespace"] = json!(namespace));
        roles
    };
    others.into_iter().chain(namespaces.iter().flat_map(of_namespace)).collect()
}

/// Returns the roles in the namespaces that are watched, and the others.
pub(super) fn split(limited: &[Value]) -> (Vec<Value>, Vec<Value>) {
    limited.iter().cloned().partition(is_watched)
}

pub(super) fn variable(namespaces: &[String]) -> Value {
    json!({ "name": VARIABLE, "value": namespaces.join(",") })
}

/// Returns the environment of the container in a chart, below its key at this depth.
pub(super) fn environment_template(depth: usize) -> String {
    let indent = " ".repeat(depth);
    format!(
        "
{indent}{{{{- with .Values.watchNamespaces }}}}
{indent}- name: {VARIABLE}
{indent}  value: {{{{ join \",\" . | quote }}}}
{indent}{{{{- end }}}}
{indent}{{{{- with .Values.env }}}}
{indent}{{{{- toYaml . | nindent {depth} }}}}
{indent}{{{{- end }}}}
"
    )
}

/// Returns the template of the roles: those of all namespaces, or those of the value `watchNamespaces`.
pub(super) fn roles_template(unlimited: &str, others: &str, watched: &str) -> String {
    let watched = watched.replace(WATCHED, "{{ . | quote }}").replace("{{ .Release", "{{ $.Release");
    format!(
        "{{{{- if .Values.watchNamespaces }}}}\n{others}{{{{- range .Values.watchNamespaces }}}}\n{watched}{{{{- end }}}}\n\
         {{{{- else }}}}\n{unlimited}{{{{- end }}}}\n"
    )
}

fn is_watched(role: &Value) -> bool {
    role["metadata"]["namespace"] == WATCHED
}

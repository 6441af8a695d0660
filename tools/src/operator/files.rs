//! The files of an operator.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::json;

use super::{
    Operator, chart,
    objects::{NAMESPACE, Part, SERVICE_MONITOR},
};
use crate::{
    emit::{
        Crds,
        files::{file_name, header, package_directory},
        samples::{sample_file_name, samples},
        to_yaml,
    },
    yaml::{order::Order, write},
};

/// The files of an operator, and the directories that belong to it.
#[derive(Default)]
pub(in crate::emit) struct OperatorFiles {
    pub(in crate::emit) contents: BTreeMap<PathBuf, String>,
    pub(in crate::emit) directories: Vec<PathBuf>,
}

/// Returns the files of the operator of a set.
pub(in crate::emit) fn files(set: &Crds, crds: &[CustomResourceDefinition]) -> OperatorFiles {
    let Some(operator) = &set.operator else {
        return OperatorFiles::default();
    };
    let parts = operator.parts(crds, &set.objects);
    let mut files = Writer { header: header(set.update_command.as_deref()), files: OperatorFiles::default() };
    if let Some(path) = &operator.yaml {
        files.yaml(path, crds, operator.installed_parts(crds, &set.objects));
    }
    if let Some(directory) = &operator.kustomize {
        files.kustomize(directory, crds, &parts);
    }
    if let Some(directory) = &operator.helm {
        files.helm(directory, operator, crds, &parts);
    }
    if let Some(directory) = &operator.samples {
        files.samples(directory, crds);
    }
    files.files
}

struct Writer {
    header: String,
    files: OperatorFiles,
}

impl Writer {
    fn add(&mut self, path: &Path, content: &str) {
        let content = format!("{}{content}", self.header);
        self.files.contents.insert(package_directory().join(path), content);
    }

    /// Adds a directory in which no other generated files remain.
    fn own(&mut self, directory: &Path) {
        self.files.directories.push(package_directory().join(directory));
    }

    fn yaml(&mut self, path: &Path, crds: &[CustomResourceDefinition], (first, last): (Vec<Part>, Vec<Part>)) {
        let definitions = crds.iter().map(|crd| format!("---\n{}", to_yaml(crd)));
        let [first, last] = [first, last].map(|parts| write::documents(parts.iter().flat_map(|part| &part.objects)));
        let text: String = std::iter::once(first).chain(definitions).chain([last]).collect();
        self.add(path, &text);
    }

    fn kustomize(&mut self, directory: &Path, crds: &[CustomResourceDefinition], parts: &[Part]) {
        let component = directory.join(SERVICE_MONITOR);
        for owned in [directory, &directory.join("crds"), &component] {
            self.own(owned);
        }
        let mut resources = Vec::new();
        for crd in crds {
            let path = format!("crds/{}", file_name(crd));
            self.add(&directory.join(&path), &to_yaml(crd));
            resources.push(path);
        }
        for part in parts {
            let file = format!("{}.yaml", part.name);
            if part.name == SERVICE_MONITOR {
                self.add(&component.join(&file), &write::documents(&part.objects));
                let kustomization = kustomization("v1alpha1", "Component", &[file]);
                self.add(&component.join("kustomization.yaml"), &kustomization);
            } else {
                self.add(&directory.join(&file), &write::documents(&part.objects));
                resources.push(file);
            }
        }
        self.add(&directory.join("kustomization.yaml"), &kustomization("v1beta1", "Kustomization", &resources));
    }

    fn helm(&mut self, directory: &Path, operator: &Operator, crds: &[CustomResourceDefinition], parts: &[Part]) {
        let (templates, definitions) = (directory.join("templates"), directory.join("crds"));
        for owned in [directory, &templates, &definitions] {
            self.own(owned);
        }
        for crd in crds {
            self.add(&definitions.join(file_name(crd)), &to_yaml(crd));
        }
        self.add(&directory.join("Chart.yaml"), &chart::metadata(operator));
        self.add(&directory.join("values.yaml"), &chart::values(operator));
        for part in parts.iter().filter(|part| part.name != NAMESPACE) {
            let template = chart::template(operator, crds, part);
            self.add(&templates.join(format!("{}.yaml", part.name)), &template);
        }
    }

    fn samples(&mut self, directory: &Path, crds: &[CustomResourceDefinition]) {
        self.own(directory);
        for crd in crds {
            for sample in samples(crd) {
                self.add(&directory.join(sample_file_name(crd, &sample)), sample.to_yaml());
            }
        }
    }
}

fn kustomization(version: &str, kind: &str, resources: &[String]) -> String {
    let object = json!({
        "apiVersion": format!("kustomize.config.k8s.io/{version}"),
        "kind": kind,
        "resources": resources,
    });
    write::document(&object, Order::MANIFEST)
}
